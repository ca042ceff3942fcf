/// The content of a request, read piece by piece while it arrives, so that an upload of any size takes little memory.
final class BodyReader {
    /// Why the content cannot be read to its end.
    enum Fault: Error, Equatable {
        /// The client is gone, or has sent nothing for too long.
        case interrupted
        /// The transfer coding is broken.
        case malformed(String)
        /// There is more than the vendor's side takes.
        case tooLarge
    }

    /// Bytes that Content-Length announces; nil where the client does not say it beforehand.
    let length: Int?
    /// Bytes that were read so far.
    private(set) var count = 0
    private(set) var isAtEnd = false
    private let next: () throws(Fault) -> [UInt8]?

    /// - Parameter next: the next bytes, nil when there are no more.
    init(length: Int?, next: @escaping () throws(Fault) -> [UInt8]?) {
        self.length = length
        self.next = next
    }

    /// A content that is there already.
    convenience init(_ bytes: [UInt8]) {
        var rest: [UInt8]? = bytes.isEmpty ? nil : bytes
        self.init(length: bytes.count) { () throws(Fault) in
            defer { rest = nil }
            return rest
        }
    }

    /// The next bytes, at most 64 KiB where they come from a client; nil when there are no more.
    func read() throws(Fault) -> [UInt8]? {
        guard !isAtEnd else { return nil }
        guard let bytes = try next() else {
            isAtEnd = true
            return nil
        }
        count += bytes.count
        return bytes
    }

    /// All that is left, where it is no more than `most` bytes.
    func readAll(atMost most: Int) throws(Fault) -> [UInt8] {
        var all: [UInt8] = []
        while let bytes = try read() {
            guard all.count + bytes.count <= most else { throw .tooLarge }
            all += bytes
        }
        return all
    }
}
