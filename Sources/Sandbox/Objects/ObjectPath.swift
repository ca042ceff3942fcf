import Bytes
import Crypto

/// Where an object's bytes lie below its bucket's folder.
enum ObjectPath {
    /// Folder of the objects whose keys cannot be paths.
    static let others = "%"

    /// The longest name of a file or folder that the systems take, in bytes.
    private static let longestName = 255
    private static let longestPath = 2048

    /// The key itself, where it is a path that stays in the folder and means the same on every system; else nil.
    static func plain(_ key: [UInt8]) -> String? {
        let segments = key.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard key.count <= longestPath, UTF8Text.isWellFormed(key.span), !key.span.hasControlCharacters,
            // `%` is the folder of the others.
            segments.allSatisfy({ (1...longestName).contains($0.count) && $0.first != UInt8(ascii: ".") }),
            key.first != UInt8(ascii: "%")
        else { return nil }
        return key.text
    }

    /// A path that no other key has: its digest.
    static func hashed(_ key: [UInt8]) throws(StoreFault) -> String {
        "\(others)/\(try digest(key))"
    }

    /// All paths that the file of an object can have; the first that is there is the file. They depend on the key alone: a record
    /// does not name its file, because whoever writes a record could name any file.
    static func places(of key: [UInt8]) throws(StoreFault) -> [String] {
        [try hashed(key)] + (plain(key).map { [$0] } ?? [])
    }

    /// The name of an object's record.
    static func record(_ key: [UInt8]) throws(StoreFault) -> String { "\(try digest(key)).json" }

    private static func digest(_ key: [UInt8]) throws(StoreFault) -> String {
        do throws(CryptoError) { return Hex.encode(try Digest(.sha256, of: key.span).bytes.array).text } catch {
            throw .disk("\(error)")
        }
    }
}
