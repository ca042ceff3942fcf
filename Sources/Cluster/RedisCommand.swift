import Bytes
import Crypto

/// A command as it goes to Redis: its words, each with its length, so that no byte in them can be taken for another word.
package struct RedisCommand: Sendable {
    private var words: [[UInt8]] = []

    /// - Parameter name: the first word.
    package init(_ name: StaticString) { words.append(name.array) }

    package func adding(_ word: [UInt8]) -> RedisCommand {
        var command = self
        command.words.append(word)
        return command
    }

    package func adding(_ word: StaticString) -> RedisCommand { adding(word.array) }

    package func adding(_ number: Int64) -> RedisCommand { adding(Array(String(number).utf8)) }

    /// Writes the command behind others.
    func write(into out: inout ByteWriter) {
        RedisCommand.begin("*", words.count, &out)
        for word in words {
            RedisCommand.begin("$", word.count, &out)
            out.append(word)
            out.append("\r\n")
        }
    }

    private static func begin(_ kind: StaticString, _ count: Int, _ out: inout ByteWriter) {
        out.append(kind)
        out.append(decimal: Int64(count))
        out.append("\r\n")
    }
}
