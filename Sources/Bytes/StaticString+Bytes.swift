/// The bytes of literals as a span, so that nobody else needs the pointer to them.
extension StaticString {
    package var bytes: Span<UInt8> {
        @_lifetime(immortal)
        get {
            // Unsafe: a literal stays where it is as long as the program runs, whichever value it is reached by.
            let bytes = unsafe UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount).span
            return unsafe _overrideLifetime(bytes, copying: ())
        }
    }

    /// The literal's bytes, for use off the hot path.
    package var array: [UInt8] { bytes.array }

    /// Whether one of the literal's bytes is `byte`.
    package func contains(_ byte: UInt8) -> Bool { bytes.firstIndex(of: byte) != nil }
}
