import Bytes

/// What Redis answers to a command (RESP2). Outside input, whatever it is.
package indirect enum RedisReply: Sendable, Equatable {
    case nothing
    case integer(Int64)
    /// A text or a status.
    case bytes([UInt8])
    /// An error's text, such as `OOM command not allowed`.
    case error([UInt8])
    case list([RedisReply])

    package var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    package var bytes: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    package var list: [RedisReply]? { if case .list(let value) = self { value } else { nil } }

    /// What kind of reply it is, for the log; never what it holds, but for the first word of an error, which Redis chooses.
    package var kind: String {
        switch self {
        case .nothing: "nothing"
        case .integer: "an integer"
        case .bytes: "a text"
        case .list: "a list"
        case .error(let text): "the error \(RedisReply.code(of: text))"
        }
    }

    /// An error's code, such as `READONLY`: its first word.
    static func code(of error: [UInt8]) -> String {
        let word = error.prefix { ByteSet.uppercase.contains($0) }.prefix(24)
        return word.isEmpty ? "without a code" : Array(word).text
    }
}
