"""Parses what no compiler here can compile: Kotlin and Objective-C. It finds errors of the grammar, and no others.

usage: parse.py FILE...
"""

import pathlib
import re
import sys

import tree_sitter
import tree_sitter_kotlin
import tree_sitter_objc

LANGUAGES = {
    **dict.fromkeys([".kt", ".kts"], tree_sitter.Language(tree_sitter_kotlin.language())),
    **dict.fromkeys([".h", ".m"], tree_sitter.Language(tree_sitter_objc.language())),
}
# Macros of Apple's headers that stand for attributes; nothing expands them here.
MACROS = re.compile(rb"NS_(ASSUME_NONNULL_BEGIN|ASSUME_NONNULL_END|DESIGNATED_INITIALIZER|UNAVAILABLE)\b")


def faults(node):
    """Lines, from 1, that the grammar cannot read."""
    if node.is_error or node.is_missing:
        yield node.start_point.row + 1
    for child in node.children:
        yield from faults(child)


def main():
    all_parse = True
    # A check that finds nothing wrong with this would find nothing wrong with anything.
    for suffix, language in LANGUAGES.items():
        if not tree_sitter.Parser(language).parse(b"void ) { = fun class (").root_node.has_error:
            sys.exit(f"the grammar for {suffix} takes anything")
    for name in sys.argv[1:]:
        path = pathlib.Path(name)
        tree = tree_sitter.Parser(LANGUAGES[path.suffix]).parse(MACROS.sub(b"", path.read_bytes()))
        lines = sorted(set(faults(tree.root_node)))
        all_parse = all_parse and not lines
        print(f"{name}: " + (f"cannot be parsed at lines {lines}" if lines else "parsed, not compiled"))
    sys.exit(0 if all_parse else 1)


main()
