import Bytes
import Crypto

/// A script that Redis runs as one step. It is loaded when a connection begins, and called by its SHA-1 from then on.
package struct RedisScript: Sendable {
    let text: StaticString
    /// As Redis names it: in hex.
    let name: [UInt8]

    /// - Parameter text: in Lua.
    package init(_ text: StaticString) throws(CryptoError) {
        self.text = text
        name = Hex.encode(try Digest(.sha1, of: text.bytes).bytes.array)
    }

    /// A call, to which arguments are added.
    package func call(on keys: [[UInt8]]) -> RedisCommand {
        keys.reduce(RedisCommand("EVALSHA").adding(name).adding(Int64(keys.count))) { $0.adding($1) }
    }
}
