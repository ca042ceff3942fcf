/// An append-only buffer of bytes that is made once and used again: `reset()` forgets the content and keeps the storage.
///
/// Everything that leaves the service is put together in one of these. It grows by doubling and never shrinks by itself;
/// code that reuses one decides when its storage has become too large to keep (`trim`).
@safe
public struct ByteWriter: ~Copyable, @unchecked Sendable {
    // Unsafe: memory of its own, or lent until it is gone, which only its methods reach, within `capacity`; all of it is initialised, and without capacity
    // there is none. An array would be asked before each byte whether it is shared. Nothing is shared: it is never copied.
    @usableFromInline let storage: UnsafeMutablePointer<UInt8>
    /// Bytes that the storage has room for, those that have been written among them.
    @usableFromInline package let capacity: Int
    private let isOwner: Bool
    /// How many bytes have been written since the last `reset()`.
    @usableFromInline package internal(set) var count = 0

    /// - Parameter capacity: bytes to make room for; with 0 nothing is allocated before the first byte.
    @usableFromInline
    package init(capacity: Int = 256) {
        self.capacity = max(capacity, 0)
        isOwner = capacity > 0
        if capacity > 0 {
            unsafe storage = .allocate(capacity: capacity)
            unsafe storage.initialize(repeating: 0, count: capacity)
        } else {
            unsafe storage = UnsafeMutablePointer(bitPattern: MemoryLayout<UInt>.alignment).unsafelyUnwrapped
        }
    }

    /// Writes into lent memory, which is initialised, for as long as that has room.
    fileprivate init(lent memory: UnsafeMutableBufferPointer<UInt8>) {
        let start = memory.baseAddress
        isOwner = false
        capacity = unsafe start == nil ? 0 : memory.count
        unsafe storage = start ?? UnsafeMutablePointer(bitPattern: MemoryLayout<UInt>.alignment).unsafelyUnwrapped
    }

    deinit {
        if isOwner { unsafe storage.deallocate() }
    }

    /// What has been written so far.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { unsafe _overrideLifetime(Span(_unsafeStart: storage, count: count), borrowing: self) }
    }

    /// A copy of what has been written so far.
    package var array: [UInt8] { bytes.array }

    package var isEmpty: Bool { count == 0 }

    package mutating func reset() { count = 0 }

    /// Forgets everything after the first `length` bytes; does nothing when there are fewer.
    package mutating func truncate(to length: Int) { count = min(count, max(0, length)) }

    /// Gives the storage back when it holds more than `limit` bytes; the content is forgotten then.
    package mutating func trim(above limit: Int) {
        guard capacity > limit else { return }
        self = ByteWriter(capacity: limit)
    }

    @inlinable
    public mutating func append(_ byte: UInt8) {
        if count == capacity { grow(by: 1) }
        unsafe storage[count] = byte
        count += 1
    }

    package mutating func append(_ text: StaticString) {
        append(text.bytes)
    }

    package mutating func append(_ bytes: Span<UInt8>) {
        reserve(bytes.count)
        write(bytes, at: count)
        count += bytes.count
    }

    package mutating func append(_ bytes: [UInt8]) { append(bytes.span) }

    package mutating func append(_ bytes: ArraySlice<UInt8>) { append(bytes.span) }

    /// The name of a JSON member with its quotes and its colon, and the comma before it. It is a literal's, which needs no escape.
    mutating func append(memberName name: Span<UInt8>, afterOthers: Bool) {
        reserve(name.count + 4)
        let start = afterOthers ? count + 1 : count
        let end = start + 1 + name.count
        // Unsafe: there is room for all of it.
        if afterOthers { unsafe storage[count] = UInt8(ascii: ",") }
        unsafe storage[start] = UInt8(ascii: "\"")
        write(name, at: start + 1)
        unsafe storage[end] = UInt8(ascii: "\"")
        unsafe storage[end + 1] = UInt8(ascii: ":")
        count = end + 2
    }

    /// Text with ASCII's capitals as small letters.
    package mutating func append(lowercasing text: Span<UInt8>) {
        append(length: text.count) { room in
            for index in text.indices { room[index] = text[index].lowercasedASCII }
        }
    }

    package mutating func append(repeating byte: UInt8, count: Int) {
        append(length: count) { room in
            for index in room.indices { room[index] = byte }
        }
    }

    /// Text that is not a literal; for use off the hot path.
    package mutating func append(text: some StringProtocol) {
        for byte in text.utf8 { append(byte) }
    }

    /// What stands already at `range`, once more; nothing if not all of it does.
    @usableFromInline
    package mutating func append(copyOf range: Range<Int>) {
        guard range.lowerBound >= 0, range.upperBound <= count else { return }
        reserve(range.count)
        // Unsafe: both ranges are within the storage, and what is written lies behind what is read.
        unsafe (storage + count).update(from: storage + range.lowerBound, count: range.count)
        count += range.count
    }

    /// `value` in decimal digits.
    package mutating func append(decimal value: Int64) {
        var rest = value.magnitude
        if value < 0 { append(UInt8(ascii: "-")) }
        // As many as the greatest number has.
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var start = digits.count
        repeat {
            start -= 1
            digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        append(digits.span.extracting(start..<digits.count))
    }

    package mutating func append(decimal value: Int) { append(decimal: Int64(value)) }

    /// Two digits, for dates and times; only the last two digits of `value` are written.
    package mutating func append(twoDigits value: Int) {
        let tens = value.magnitude / 10
        append(length: 2) { room in
            room[0] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: tens % 10)
            room[1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value.magnitude - tens * 10)
        }
    }

    /// Writes exactly `length` bytes in place: `body` gets the room for them.
    package mutating func append(length: Int, _ body: (inout MutableSpan<UInt8>) -> Void) {
        append(atMost: length) { room in
            body(&room)
            return room.count
        }
    }

    /// Writes at most `length` bytes in place: `body` gets the room for them, and returns how many they are.
    package mutating func append(atMost length: Int, _ body: (inout MutableSpan<UInt8>) -> Int) {
        guard length > 0 else { return }
        reserve(length)
        // Unsafe: there is room, and the span is lent for the call.
        var room = unsafe MutableSpan(_unsafeStart: storage + count, count: length)
        let written = body(&room)
        count += min(max(written, 0), length)
    }

    /// Writes over bytes that stand already at `offset`; nothing if not all of them do.
    package mutating func overwrite(at offset: Int, with bytes: Span<UInt8>) {
        guard offset >= 0, offset <= count, bytes.count <= count - offset else { return }
        write(bytes, at: offset)
    }

    /// Puts the bytes where there is room for them.
    private mutating func write(_ bytes: Span<UInt8>, at offset: Int) {
        // Unsafe: the standard library copies a run of bytes by pointer only; there is room.
        unsafe bytes.withUnsafeBufferPointer {
            if let first = $0.baseAddress { unsafe (storage + offset).update(from: first, count: $0.count) }
        }
    }

    private mutating func reserve(_ more: Int) {
        if capacity - count < more { grow(by: more) }
    }

    @usableFromInline
    mutating func grow(by more: Int) {
        var larger = ByteWriter(capacity: max(capacity * 2, count + more, 16))
        larger.write(bytes, at: 0)
        larger.count = count
        self = larger
    }
}

extension ByteWriter {
    /// Lends a writer for as long as `body` runs. Its room is on the stack; what needs more than 2 KiB is put on the heap.
    package static func lending<Result, Failure: Error>(
        to body: (inout ByteWriter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var room = InlineArray<2048, UInt8>(repeating: 0)
        var span = room.mutableSpan
        // Unsafe: the memory is lent while the writer is there.
        return try unsafe span.withUnsafeMutableBufferPointer { memory throws(Failure) in
            var out = unsafe ByteWriter(lent: memory)
            return try body(&out)
        }
    }
}

extension [UInt8] {
    /// What `write` puts together, in one allocation if that is no more than `length` bytes.
    package init(atMost length: Int, write: (inout ByteWriter) -> Void) {
        var longer: [UInt8]?
        // Unsafe: the array's memory is lent while it is made; what has outgrown it is copied from elsewhere.
        self = unsafe [UInt8](unsafeUninitializedCapacity: length) { memory, count in
            unsafe memory.initialize(repeating: 0)
            var out = unsafe ByteWriter(lent: memory)
            write(&out)
            if out.count > length { longer = out.array } else { count = out.count }
        }
        if let longer { self = longer }
    }
}
