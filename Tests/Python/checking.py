"""What a script has to see, said and checked in one line."""


class Mismatch(SystemExit):
    """Ends the script with a message on standard error, unless somebody catches it."""


def check(what, found, expected):
    if found != expected:
        raise Mismatch(f"{what}: {found!r}, not {expected!r}")
    print(f"{what}: {found!r}")


def check_that(what, holds, detail=None):
    if not holds:
        raise Mismatch(f"{what}: no" if detail is None else f"{what}: no: {detail!r}")
    print(f"{what}: yes")
