/// A reader of bytes that anybody may send, and what must hold of it whatever they are.
package struct FuzzTarget: Sendable {
    /// As its file in the corpus is called.
    package let name: String
    /// Throws where it does not hold. A trap is as bad.
    package let check: @Sendable ([UInt8]) throws -> Void

    package static let all = [
        request, response, chunks, percent, form, json, token, configuration, stringToSign, canonicalRequest,
        deletion, iceberg, brakes, redis,
    ]
}

/// What should have held.
package struct Broken: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

func require(_ holds: Bool, _ what: @autoclosure () -> String) throws {
    if !holds { throw Broken(what()) }
}

/// The ways to cut bytes into pieces: not at all, at an index that depends on the bytes, and everywhere.
func cuts(of bytes: [UInt8]) -> [[ArraySlice<UInt8>]] {
    let index = bytes.reduce(UInt(7)) { $0 &* 31 &+ UInt($1) } % UInt(bytes.count + 1)
    let middle = Int(index)
    return [[bytes[...]], [bytes[..<middle], bytes[middle...]], bytes.indices.map { bytes[$0...$0] }]
}
