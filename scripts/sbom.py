#!/usr/bin/env python3
"""Prints the bill of materials of a binary, in SPDX 2.3: itself, the Swift runtime and the libraries under it that are in it, and
the libraries of Debian that it loads. The same binary has the same bill, if SOURCE_DATE_EPOCH is set.

usage: scripts/sbom.py BINARY VERSION
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from urllib.parse import quote


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def loaded(binary):
    """The libraries that are loaded with it."""
    return re.findall(r"(/\S+) \(0x", run("ldd", binary))


def contained():
    """The libraries under the Swift runtime, which the linker takes in."""
    paths = [run("clang", f"-print-file-name={name}").strip() for name in ["libstdc++.a", "libgcc_eh.a"]]
    if not all(map(os.path.isabs, paths)):
        sys.exit(f"sbom: clang knows no place of all of {paths}")
    return paths


def packages(paths):
    """The packages of Debian that files belong to."""
    names = set()
    for path in {str(pathlib.Path(path).resolve()) for path in paths}:
        # dpkg knows the files by where they were before /lib became a link to /usr/lib.
        known = [path, path.removeprefix("/usr")]
        found = subprocess.run(["dpkg", "-S", *known], capture_output=True, text=True).stdout
        names |= set(re.findall(r"^(\S+?)(?::\S+)?: /", found, re.MULTILINE))
    for name in sorted(names):
        line = run("dpkg-query", "-W", "-f", "${Package} ${Version} ${Architecture}\n", name).splitlines()[0]
        name, version, architecture = line.split()
        yield package(
            name, version, primaryPackagePurpose="LIBRARY",
            externalRefs=purl(f"pkg:deb/debian/{quote(name, safe='')}@{quote(version, safe='')}?arch={architecture}"))


def package(name, version, **more):
    return {
        "SPDXID": f"SPDXRef-{re.sub('[^A-Za-z0-9.-]', '-', name)}", "name": name, "versionInfo": version,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", **more}


def purl(locator):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]


def main():
    binary, version = sys.argv[1:]
    digest = hashlib.sha256(pathlib.Path(binary).read_bytes()).hexdigest()
    time = int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp()))
    swift = re.search(r"Swift version (\S+)", run("swift", "--version"))[1]
    own = package(
        "countersign", version, licenseConcluded="Apache-2.0", licenseDeclared="Apache-2.0", primaryPackagePurpose="APPLICATION",
        packageFileName=pathlib.Path(binary).name, checksums=[{"algorithm": "SHA256", "checksumValue": digest}])
    runtime = package(
        "swift-runtime", swift, licenseDeclared="Apache-2.0 WITH Swift-exception", primaryPackagePurpose="LIBRARY",
        comment="The standard library and Dispatch, of the toolchain.",
        externalRefs=purl(f"pkg:github/swiftlang/swift@swift-{swift}-RELEASE"))
    if any(name in path for path in loaded(binary) for name in ["libstdc++", "libgcc_s"]):
        sys.exit(f"sbom: {binary} loads the C++ library, which it should contain")
    static, dynamic = [runtime, *packages(contained())], list(packages(loaded(binary)))
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own)]
    relations += [(own["SPDXID"], "STATIC_LINK", library) for library in static]
    relations += [(own["SPDXID"], "DYNAMIC_LINK", library) for library in dynamic]
    print(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"countersign-{version}",
        "documentNamespace": f"https://countersign.invalid/spdx/{version}/{digest}",
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: scripts/sbom.py"]},
        "packages": [own, *static, *dynamic],
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other["SPDXID"]} for one, kind, other in relations],
    }, indent=2))


if __name__ == "__main__":
    main()
