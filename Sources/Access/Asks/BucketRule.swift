import Bytes

/// What a bucket may be called at any vendor: 1 to 63 letters, digits, `-`, `_` and `.`; so never with a `:` or `/`.
package enum BucketRule {
    package static let fault: StaticString = "must be 1 to 63 letters, digits, - _ or ."

    package static func admits(_ name: Span<UInt8>) -> Bool {
        (1...63).contains(name.count) && ByteSet.dottedWord.contains(all: name)
    }
}
