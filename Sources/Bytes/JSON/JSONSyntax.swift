/// The language that a text is written in.
package enum JSONSyntax: Sendable {
    /// RFC 8259, for everything that comes over the wire.
    case json

    /// json5.org, for files that people write. Beyond JSON it has
    /// - `//` and `/* */` comments, and more white space (sections 7 and 8),
    /// - trailing commas, and keys without quotes (sections 3 and 4), here of ASCII letters, digits, `_` and `$` only,
    /// - single quotes, more escapes, raw control characters, and strings that go on after an escaped line end (section 5),
    /// - hexadecimal, a leading `+`, a leading or trailing decimal point, `Infinity` and `NaN` (section 6).
    case json5
}
