/// Well-formedness of UTF-8 (Unicode 15, table 3-7).
package enum UTF8Text {
    package static func isWellFormed(_ bytes: Span<UInt8>) -> Bool {
        do throws(UTF8.ValidationError) {
            if !bytes.isASCII { _ = try UTF8Span(validating: bytes) }
            return true
        } catch {
            return false
        }
    }
}
