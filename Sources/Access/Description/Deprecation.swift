/// A version of the program: `major.minor.patch` (docs/versioning.md).
package struct ReleaseVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    package let major, minor, patch: Int

    package init(_ major: Int, _ minor: Int, _ patch: Int) {
        (self.major, self.minor, self.patch) = (major, minor, patch)
    }

    /// - Returns: nil where the text is not three numbers of at most six digits, without zeros in front, and points between.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (0x30...0x39).contains($0) } && part.utf8.count <= 6 ? Int(part) : nil
        }
        guard parts.count == 3, numbers.count == 3 else { return nil }
        self.init(numbers[0], numbers[1], numbers[2])
        guard description == text else { return nil }
    }

    package var description: String { "\(major).\(minor).\(patch)" }

    package static func < (a: ReleaseVersion, b: ReleaseVersion) -> Bool {
        (a.major, a.minor, a.patch) < (b.major, b.minor, b.patch)
    }
}

/// That a key of the configuration will go.
package struct Deprecation: Sendable, Hashable {
    /// The first version that says so.
    package let since: ReleaseVersion
    /// The first version that does not have the key.
    package let end: ReleaseVersion
    /// What to do instead, such as ``use `hosts` ``.
    package let instead: String

    package init(since: ReleaseVersion, end: ReleaseVersion, instead: String) {
        (self.since, self.end, self.instead) = (since, end, instead)
    }
}

/// A deprecated key that a configuration gives.
package struct DeprecatedKey: Sendable, Hashable {
    package let path: String
    package let deprecation: Deprecation

    package init(path: String, _ deprecation: Deprecation) { (self.path, self.deprecation) = (path, deprecation) }
}
