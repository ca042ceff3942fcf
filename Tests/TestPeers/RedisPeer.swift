import COpenSSL
import Foundation

/// A server that speaks Redis' protocol, and says to what is asked what a test wants.
package final class RedisPeer: Sendable {
    package enum Answer: Sendable {
        /// What comes, as its bytes.
        case says([UInt8])
        case nothing
        /// The connection ends.
        case end

        package static func says(_ text: String) -> Answer { .says(Array(text.utf8)) }
    }

    /// What a test says to a command; nil for what a Redis in order would.
    /// - Parameter connection: its number, from 1.
    package typealias Script = @Sendable (_ words: [String], _ connection: Int) -> Answer?

    private let peer: ClientPeer
    package var port: UInt16 { peer.port }

    /// - Parameter runID: what its process calls itself.
    package init(runID: String = "run", _ script: @escaping Script) throws {
        peer = try ClientPeer { connection, number in
            while true {
                let words = try connection.command()
                let texts = words.map { String(decoding: $0, as: UTF8.self) }
                switch script(texts, number) ?? .says(RedisPeer.usual(texts, words, runID)) {
                case .says(let bytes): try connection.write(bytes)
                case .nothing: break
                case .end: return
                }
            }
        }
    }

    deinit { _ = peer.stop(within: 0) }

    /// How many connections have come.
    package var connections: Int { peer.connections }

    // MARK: Commands

    /// Whether it is the heartbeat of a replica.
    package static func isHeartbeat(_ words: [String]) -> Bool { isCall(words, of: "replicas") }

    /// Whether a script is called whose first key is of a kind.
    package static func isCall(_ words: [String], of kind: String) -> Bool {
        words.count > 3 && words[0] == "EVALSHA"
            && (words[3].hasSuffix(":\(kind)") || words[3].contains(":\(kind):"))
    }

    private static func usual(_ texts: [String], _ words: [[UInt8]], _ runID: String) -> [UInt8] {
        switch texts.first {
        case "INFO":
            return bulk(
                "redis_version:7.0.15\r\nrole:master\r\nmaxmemory_policy:noeviction\r\nrun_id:\(runID)\r\n")
        case "SCRIPT": return bulk(sha1(words.last ?? []))
        case "AUTH": return Array("+OK\r\n".utf8)
        case "HGETALL": return list()
        case "EVALSHA" where isHeartbeat(texts): return heartbeat()
        case "EVALSHA": return integer(1)
        default: return Array("-ERR unknown\r\n".utf8)
        }
    }

    // MARK: Answers

    package static func heartbeat(
        replicas: Int64 = 1, time: Int64 = 1_800_000_000_000, brakes: String = "", epoch: String = "run-1"
    )
        -> [UInt8]
    {
        list(integer(replicas), integer(time), bulk(brakes), bulk(epoch))
    }

    package static func integer(_ number: Int64) -> [UInt8] { Array(":\(number)\r\n".utf8) }

    package static func bulk(_ text: String) -> [UInt8] { bulk(Array(text.utf8)) }

    package static func bulk(_ bytes: [UInt8]) -> [UInt8] {
        Array("$\(bytes.count)\r\n".utf8) + bytes + Array("\r\n".utf8)
    }

    package static func list(_ parts: [UInt8]...) -> [UInt8] { Array("*\(parts.count)\r\n".utf8) + parts.joined() }

    private static func sha1(_ bytes: [UInt8]) -> String {
        var digest = [UInt8](repeating: 0, count: 20)
        SHA1(bytes, bytes.count, &digest)
        return digest.map { String(format: "%02x", $0) }.joined()
    }
}
