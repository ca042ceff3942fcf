import Bytes
import Crypto
import HTTP

/// Names requests, so that they are found again in logs: by the client's own name, or by one that no other request has.
struct RequestIDs: ~Copyable {
    private let prefix: [UInt8]
    private var count: Int64 = 0

    init() throws(CryptoError) {
        prefix = Hex.encode(try SecureRandom.bytes(8)) + [UInt8(ascii: "-")]
    }

    mutating func write(for request: borrowing Request, into id: inout ByteWriter) {
        let given = request.field(.requestID)
        if request.head.isRepeated(.requestID) || !RequestIDs.isPlain(given) {
            write(into: &id)
        } else {
            id.append(given)
        }
    }

    mutating func write(into id: inout ByteWriter) {
        count += 1
        id.append(prefix)
        id.append(decimal: count)
    }

    /// `[A-Za-z0-9._-]{1,64}`
    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        (1...64).contains(text.count) && ByteSet.dottedWord.contains(all: text)
    }
}
