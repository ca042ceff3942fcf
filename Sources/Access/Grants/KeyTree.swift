import Bytes

/// Patterns of keys, which are templates of a whole key or of a prefix, as a radix tree. Whatever their number, one walk along a key
/// finds those that fit it. Patterns are numbered, and equal ones have one number.
///
/// An edge is a run of bytes, or a placeholder, which is filled in for the caller during the walk. The nodes are stored flat, and the
/// children of a node side by side: first those behind bytes, in the order of their first bytes, then those behind placeholders.
struct KeyTree: Sendable {
    struct Node {
        /// Where in `bytes` the run begins that leads here; for a placeholder its index in `placeholders`.
        var start = 0 as Int32
        /// Of the run.
        var length = 0 as Int32
        var literals = 0 as Int32
        var placeholders = 0 as Int32
        var firstChild = 0 as Int32
        /// The numbers of the patterns that end here, of a whole key and of a prefix; -1 for none.
        var key = -1 as Int32
        var prefix = -1 as Int32
    }

    let nodes: [Node]
    /// The first byte of each node's run, apart from all else, so that the children of a node are looked through in one cache line.
    let firsts: [UInt8]
    let bytes: [UInt8]
    let placeholders: [KeyTemplate.Part]

    /// What a walk needs, so that it allocates nothing.
    struct Walk: ~Copyable {
        /// The numbers of the patterns that fit.
        fileprivate(set) var matches: [Int32] = []
        /// Nodes, and how much of the key leads to them.
        fileprivate var pending: [(node: Int32, end: Int32)] = []
        fileprivate var value = ByteWriter(capacity: 0)
    }

    /// Finds the patterns that fit a key: those of this whole key, and those of prefixes that it begins with.
    func find(
        _ key: Span<UInt8>, of ask: borrowing Ask, for caller: Caller, at instant: Instant, in walk: inout Walk
    ) {
        walk.matches.removeAll(keepingCapacity: true)
        walk.pending.removeAll(keepingCapacity: true)
        walk.pending.append((0, 0))
        while let (index, end) = walk.pending.popLast() {
            let (node, end) = (nodes[Int(index)], Int(end))
            if node.prefix >= 0 { walk.matches.append(node.prefix) }
            if node.key >= 0, end == key.count { walk.matches.append(node.key) }
            if let child = child(of: node, behind: key, end) {
                walk.pending.append((Int32(child), Int32(end) + nodes[child].length))
            }
            let first = Int(node.firstChild) + Int(node.literals)
            for child in first..<first + Int(node.placeholders) {
                walk.value.reset()
                let fault = placeholders[Int(nodes[child].start)].render(
                    for: caller, asking: ask.fileExtension, by: ask.nonce, at: instant, into: &walk.value)
                guard fault == nil, key.extracting(end...).begins(with: walk.value.bytes) else { continue }
                walk.pending.append((Int32(child), Int32(end + walk.value.count)))
            }
        }
    }

    /// The child that the bytes of a key from `start` on lead to.
    private func child(of node: Node, behind key: Span<UInt8>, _ start: Int) -> Int? {
        guard start < key.count, node.literals > 0 else { return nil }
        var (low, high) = (Int(node.firstChild), Int(node.firstChild) + Int(node.literals) - 1)
        while low < high {
            let middle = (low + high) / 2
            if firsts[middle] < key[start] { low = middle + 1 } else { high = middle }
        }
        guard firsts[low] == key[start] else { return nil }
        let (run, length) = (Int(nodes[low].start), Int(nodes[low].length))
        if length == 1 { return low }
        guard length <= key.count - start else { return nil }
        return key.extracting(start..<start + length).equals(bytes.span.extracting(run..<run + length)) ? low : nil
    }
}
