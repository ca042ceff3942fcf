import Bytes
import Crypto
import HTTP

/// The name by which a request is found again in logs: the client's own, or one that no other request has.
struct RequestID: ~Copyable {
    private let prefix: [UInt8]
    private var count: Int64 = 0
    private var current = ByteWriter(capacity: 64)

    var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { current.bytes }
    }

    var text: String { current.bytes.text }

    init() throws(CryptoError) {
        prefix = Hex.encode(try SecureRandom.bytes(8)) + [UInt8(ascii: "-")]
    }

    mutating func begin(_ request: borrowing Request) {
        let given = request.field(.requestID)
        if request.head.isRepeated(.requestID) || !RequestID.isPlain(given) {
            begin()
        } else {
            current.reset()
            current.append(given)
        }
    }

    mutating func begin() {
        count += 1
        current.reset()
        current.append(prefix)
        current.append(decimal: count)
    }

    /// `[A-Za-z0-9._-]{1,64}`
    private static func isPlain(_ text: Span<UInt8>) -> Bool {
        guard (1...64).contains(text.count) else { return false }
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                continue
            default: return false
            }
        }
        return true
    }
}
