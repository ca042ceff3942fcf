/// A chunk of a block and those before it. The contexts of a block share them, so that a block costs what its chunks cost, however many
/// contexts it has.
// Unsafe: `earlier` is changed only while nobody else refers to the chunk.
final class KodoChunk: @unchecked Sendable {
    let part: UploadedPart
    /// Bytes of the block up to its end.
    let end: Int
    /// How many chunks there are up to it.
    let count: Int
    private var earlier: KodoChunk?

    init(_ part: UploadedPart, after earlier: KodoChunk?) {
        self.part = part
        self.earlier = earlier
        end = (earlier?.end ?? 0) + part.size
        count = (earlier?.count ?? 0) + 1
    }

    /// Lets go of the chunks before it one by one: each within the other, thousands would need too much stack.
    deinit {
        var chunk = earlier
        earlier = nil
        while chunk != nil, isKnownUniquelyReferenced(&chunk) {
            let next = chunk?.earlier
            chunk?.earlier = nil
            chunk = next
        }
    }

    /// The parts up to it, in their order.
    var parts: [UploadedPart] {
        var parts: [UploadedPart] = []
        var chunk: KodoChunk? = self
        while let current = chunk {
            parts.append(current.part)
            chunk = current.earlier
        }
        return parts.reversed()
    }
}
