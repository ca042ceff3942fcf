import Bytes
import CHiredis

/// Reads replies out of the bytes that Redis sends, by hiredis. What is not of the protocol, nested deeper than seven lists or larger than its
/// bounds is an error, after which the reader is of no use any more.
@safe package final class RedisReader {
    /// What came is no reply, or a larger one than ours are.
    package struct Fault: Error {}

    // Unsafe: hiredis' own memory, freed by deinit; what it makes of a reply is read and freed at once.
    private let reader: UnsafeMutablePointer<redisReader>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    /// Bytes that have come of the reply that is not whole.
    private var length = 0

    /// Bytes of one reply.
    package static let longestReply = 4 << 20

    /// - Returns: nil where there is no memory.
    package init?() {
        let functions = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
        unsafe functions.initialize(to: redisReplyObjectFunctions())
        guard let reader = unsafe cs_redis_make_reader(functions) else {
            unsafe functions.deallocate()
            return nil
        }
        unsafe self.reader = unsafe reader
        unsafe self.functions = unsafe functions
    }

    deinit {
        unsafe redisReaderFree(reader)
        unsafe functions.deallocate()
    }

    /// Takes what has come.
    package func feed(_ bytes: [UInt8]) throws(Fault) {
        length += bytes.count
        let isTaken = unsafe bytes.withUnsafeBytes { bytes in
            unsafe redisReaderFeed(reader, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
                == REDIS_OK
        }
        guard isTaken else { throw Fault() }
    }

    /// - Returns: the next reply; nil while none is whole.
    package func next() throws(Fault) -> RedisReply? {
        var made: UnsafeMutableRawPointer?
        guard unsafe redisReaderGetReply(reader, &made) == REDIS_OK else { throw Fault() }
        guard let made = unsafe made else {
            guard length <= RedisReader.longestReply else { throw Fault() }
            return nil
        }
        defer { unsafe freeReplyObject(made) }
        length = unsafe reader.pointee.len - reader.pointee.pos
        return unsafe RedisReader.copy(made.assumingMemoryBound(to: redisReply.self).pointee)
    }

    /// - Parameter reply: hiredis nests no deeper than eight.
    private static func copy(_ reply: redisReply) -> RedisReply {
        switch unsafe reply.type {
        case REDIS_REPLY_INTEGER: return unsafe .integer(reply.integer)
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return unsafe .bytes(text(of: reply))
        case REDIS_REPLY_ERROR: return unsafe .error(text(of: reply))
        case REDIS_REPLY_ARRAY:
            let elements = unsafe UnsafeBufferPointer(start: reply.element, count: reply.elements)
            return unsafe .list(elements.map { element in unsafe element.map { unsafe copy($0.pointee) } ?? .nothing })
        default: return .nothing
        }
    }

    private static func text(of reply: redisReply) -> [UInt8] {
        unsafe reply.str.map { unsafe Array(UnsafeRawBufferPointer(start: $0, count: reply.len)) } ?? []
    }
}
