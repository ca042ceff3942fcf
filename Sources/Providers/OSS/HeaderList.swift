import Access
import Bytes

/// The `x-oss-` headers that a grant lets clients have signed.
struct HeaderList: Sendable {
    private let names: Set<[UInt8]>
    private let admitsMetadata: Bool

    private static let metadata = Array("x-oss-meta-".utf8)

    /// Headers that reach beyond the object written, publish it, or make the vendor call somebody: never signed for others.
    private static let reaching = [
        "x-oss-acl", "x-oss-object-acl", "x-oss-callback", "x-oss-callback-var", "x-oss-symlink-target",
        "x-oss-security-token", "x-oss-copy-source",
    ]

    init(_ list: [[UInt8]]) throws(FieldProblem) {
        var names: Set<[UInt8]> = []
        var admitsMetadata = false
        for name in list {
            if name.elementsEqual("x-oss-meta-*".utf8) {
                admitsMetadata = true
                continue
            }
            guard name.starts(with: "x-oss-".utf8), name.count > 6, name.allSatisfy(HeaderList.isNameByte) else {
                throw FieldProblem("headers", "must be lower-case names that begin with x-oss-, or x-oss-meta-*")
            }
            if let reaching = HeaderList.reaching.first(where: { name.starts(with: $0.utf8) }) {
                throw FieldProblem("headers", "\(reaching) reaches beyond the object and is never signed for a caller")
            }
            names.insert(name)
        }
        self.names = names
        self.admitsMetadata = admitsMetadata
    }

    func contains(_ name: [UInt8]) -> Bool {
        names.contains(name) || admitsMetadata && name.starts(with: HeaderList.metadata)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") || byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
            || byte == UInt8(ascii: "-")
    }
}
