import Bytes
import Crypto

extension Chapter {
    /// Nanoseconds that no HMAC or hash may take.
    private static let slowest = 5000.0

    private static func code(_ name: String, _ algorithm: DigestAlgorithm, _ length: Int) -> Row {
        Row("\(name), \(length) bytes", slowest: slowest) { bench in
            let key = try HMACKey(algorithm, Secret(Array(text: Fixture.secret)))
            let message = [UInt8](repeating: UInt8(ascii: "m"), count: length)
            return { bench.take(Int(try key.sign(message.span).bytes[0])) }
        }
    }

    private static func digest(_ name: String, _ algorithm: DigestAlgorithm, _ length: Int) -> Row {
        Row("\(name), \(length) bytes", slowest: slowest) { bench in
            let message = [UInt8](repeating: UInt8(ascii: "m"), count: length)
            return { bench.take(Int(try Digest(algorithm, of: message.span).bytes[0])) }
        }
    }

    static let crypto = Chapter(rows: [
        code("HMAC-SHA1", .sha1, 250), code("HMAC-SHA1", .sha1, 2048),
        code("HMAC-SHA256", .sha256, 250), code("HMAC-SHA256", .sha256, 2048),
        digest("SHA-256", .sha256, 44), digest("SHA-256", .sha256, 1024),
        Row("MD5 of a secret and 60 bytes", slowest: slowest) { bench in
            let secret = Secret(Array(text: Fixture.secret))
            let message = [UInt8](repeating: UInt8(ascii: "m"), count: 60)
            return { bench.take(Int(try Digest(.md5, of: secret, followedBy: message.span).bytes[0])) }
        },
        Row("HMAC-SHA256 key made ready", slowest: slowest) { bench in
            let secret = Secret(Array(text: Fixture.secret))
            return { bench.object = try HMACKey(.sha256, secret) }
        },
        Row("random bytes, 16") { bench in
            let pool = Pool()
            return { bench.take(Int(try pool.random.draw()[0])) }
        },
    ])

    private final class Pool { var random = RandomPool() }
}
