import Bytes
import CZlib

/// Compression of whole bodies (RFC 1952), by zlib.
enum Gzip {
    /// Bodies below this are not worth it.
    static let threshold = 1024

    /// - Returns: nil where zlib has no memory for it.
    static func compress(_ body: borrowing ByteWriter) -> [UInt8]? {
        // Unsafe: the stream stays where it is while zlib points to it, and what is read and written is lent for the call.
        var stream = unsafe z_stream()
        // 31: a window of 32 KiB, and gzip's head and tail around the data.
        guard
            unsafe deflateInit2_(
                &stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
                == Z_OK
        else { return nil }
        defer { unsafe deflateEnd(&stream) }
        var out = unsafe [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(body.count))))
        let isDone = unsafe body.bytes.withUnsafeBytes { source in
            unsafe out.withUnsafeMutableBytes { room in
                // zlib reads only, though its type does not say so.
                unsafe stream.next_in = UnsafeMutablePointer(mutating: source.bindMemory(to: UInt8.self).baseAddress)
                unsafe stream.avail_in = UInt32(clamping: source.count)
                unsafe stream.next_out = room.bindMemory(to: UInt8.self).baseAddress
                unsafe stream.avail_out = UInt32(clamping: room.count)
                return unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END
            }
        }
        guard isDone else { return nil }
        unsafe out.removeLast(out.count - Int(stream.total_out))
        return out
    }
}
