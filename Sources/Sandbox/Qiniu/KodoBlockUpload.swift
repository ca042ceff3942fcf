import Bytes
import Crypto
import HTTP
import Net

/// A block of up to 4 MiB that is coming in, and what has come of it; a context names one.
struct KodoBlock: Sendable {
    /// Of all contexts of the block; empty before the first.
    var id: [UInt8] = []
    let bucket: [UInt8]
    /// Bytes that the whole block has.
    let size: Int
    /// After it the block is forgotten; seconds since 1970.
    let end: Int64
    /// The last that has come.
    var chunk: KodoChunk?

    /// The most chunks of a block, each of which is a file until the block is forgotten.
    static let mostChunks = 16_384

    /// Bytes that have come.
    var offset: Int { chunk?.end ?? 0 }
}

/// The blocks of uploads of version 1, by contexts that nobody can guess. A context stays good when more of its block has come, so that
/// a client may send a chunk once more.
final class KodoBlocks: Sendable {
    /// Beyond it the oldest is forgotten: 40 GiB of whole blocks.
    static let most = 10_240

    private struct State {
        var blocks: [[UInt8]: KodoBlock] = [:]
        var order: [[UInt8]] = []
    }

    private let state = Guarded(State())

    func keep(_ block: KodoBlock) throws(CryptoError) -> [UInt8] {
        let context = try SecureRandom.alphanumerics(48)
        var block = block
        if block.id.isEmpty { block.id = context }
        state.withLock { state in
            state.blocks[context] = block
            state.order.append(context)
            if state.order.count > KodoBlocks.most { state.blocks[state.order.removeFirst()] = nil }
        }
        return context
    }

    func block(_ context: [UInt8], in bucket: [UInt8], at now: Int64) -> KodoBlock? {
        state.withLock { $0.blocks[context].flatMap { $0.bucket == bucket && $0.end > now ? $0 : nil } }
    }

    /// Forgets blocks with all their contexts.
    func forget(_ gone: [KodoBlock]) {
        let ids = Set(gone.map(\.id))
        state.withLock { state in
            state.blocks = state.blocks.filter { !ids.contains($0.value.id) }
            state.order.removeAll { state.blocks[$0] == nil }
        }
    }
}

/// Uploads in blocks, version 1: `/mkblk/<size>`, `/bput/<context>/<offset>`, and `/mkfile/<size>/…` with all contexts.
struct KodoBlockUpload {
    private static let lifetime: Int64 = 7 * 86_400
    private static let longestBody = 4 << 20

    let service: KodoService
    let token: KodoUploadToken
    private let time: KodoTime
    private var bucket: [UInt8] { token.policy.bucket }

    init(_ service: KodoService, _ request: SandboxRequest, _ time: KodoTime) throws {
        self.service = service
        self.time = time
        token = try service.signatures.policy(of: request)
        try token.policy.checkDeadline(at: time.now())
        guard service.store.hasBucket(token.policy.bucket) else { throw KodoRefusal.noBucket }
    }

    /// Begins a block with its first chunk.
    func makeBlock(_ size: [UInt8], _ request: SandboxRequest, _ body: BodyReader) throws -> SandboxResponse {
        guard let size = Decimal.parse(size.span, maximum: Int64(KodoHash.blockLength)), size > 0 else {
            throw KodoRefusal.invalid("block size")
        }
        let block = KodoBlock(bucket: bucket, size: Int(size), end: time.now() + KodoBlockUpload.lifetime)
        return try add(body, to: block, request)
    }

    /// Takes the next chunk of a block.
    func putChunk(
        _ context: [UInt8], _ offset: [UInt8], _ request: SandboxRequest, _ body: BodyReader
    ) throws -> SandboxResponse {
        guard let block = service.blocks.block(context, in: bucket, at: time.now()),
            let offset = Decimal.parse(offset.span), offset == Int64(block.offset)
        else { throw KodoRefusal.wrongContext }
        return try add(body, to: block, request)
    }

    private func add(_ body: BodyReader, to block: KodoBlock, _ request: SandboxRequest) throws -> SandboxResponse {
        guard block.chunk?.count ?? 0 < KodoBlock.mostChunks else {
            throw KodoRefusal.invalid(
                "data: the block has \(KodoBlock.mostChunks) chunks, and the sandbox keeps no more")
        }
        let content = try KodoContent(in: service.store)
        do { try content.append(body, atMost: block.size - block.offset) } catch BodyReader.Fault.tooLarge {
            throw KodoRefusal.invalid("data: more than the block has room for")
        }
        guard content.size > 0 else { throw KodoRefusal.invalid("data: it is empty") }
        let code = content.crc32
        let part = try content.part(at: time.now())
        var next = block
        next.chunk = KodoChunk(part, after: block.chunk)
        let context = try service.blocks.keep(next)
        return SandboxResponse(
            200,
            json: { json in
                json.add("ctx", context)
                json.add("checksum", part.hash)
                json.add("crc32", Int64(code))
                json.add("offset", next.offset)
                json.add("host", Array("http://".utf8) + request.host)
                json.add("expired_at", next.end)
            })
    }

    /// Makes an object of blocks.
    /// - Parameter segments: of the path behind `mkfile`: the size, then names and values.
    func makeFile(_ segments: [[UInt8]], _ body: BodyReader) throws -> SandboxResponse {
        guard let first = segments.first, let size = Decimal.parse(first.span), segments.count % 2 == 1 else {
            throw KodoRefusal.invalid("argument")
        }
        let claim = try KodoBlockUpload.claim(segments.dropFirst())
        let text = try body.readAll(atMost: KodoBlockUpload.longestBody)
        // An empty file has none.
        let contexts = text.split(separator: UInt8(ascii: ",")).map { Array($0).span.trimmed.array }
        var blocks: [KodoBlock] = []
        for context in contexts {
            guard let block = service.blocks.block(context, in: bucket, at: time.now()) else {
                throw KodoRefusal.wrongContext
            }
            blocks.append(block)
        }
        try check(blocks, size)
        let content = try KodoContent(in: service.store)
        for block in blocks { try content.append(block.chunk?.parts ?? []) }
        let answer = try service.finish(content, claim, token, time).answer(isForm: false)
        service.blocks.forget(blocks)
        return answer
    }

    /// All blocks are whole, all but the last of 4 MiB, and together as long as the client says.
    private func check(_ blocks: [KodoBlock], _ size: Int64) throws {
        var sum = 0
        for (index, block) in blocks.enumerated() {
            let isLast = index == blocks.count - 1
            guard block.offset == block.size, isLast || block.size == KodoHash.blockLength else {
                throw KodoRefusal.wrongContext
            }
            sum += block.size
        }
        guard Int64(sum) == size else { throw KodoRefusal.invalid("file size") }
        try token.policy.check(size: sum, isWhole: true)
    }

    /// `key/<base64>/mimeType/<base64>/fname/<base64>/x:color/<base64>`
    private static func claim(_ pairs: ArraySlice<[UInt8]>) throws -> KodoUploadClaim {
        var claim = KodoUploadClaim()
        var rest = pairs
        while let name = rest.popFirst(), let encoded = rest.popFirst() {
            let value = try KodoEntry.decode(encoded)
            switch name.text {
            case "key": claim.key = value
            case "mimeType": claim.mediaType = value
            case "fname": claim.fileName = value
            default: _ = try claim.add(try KodoQuery.decode(name, plusIsSpace: false), value)
            }
        }
        return claim
    }
}
