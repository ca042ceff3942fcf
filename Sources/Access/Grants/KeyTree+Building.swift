extension KeyTree {
    /// Puts together a tree.
    struct Builder {
        private struct Pattern {
            let symbols: Range<Int>
            let isPrefix: Bool
        }

        /// Of all patterns, one after the other: bytes, and from 256 on the indices of placeholders.
        private var symbols: [UInt32] = []
        private var patterns: [Pattern] = []
        private var placeholders: [KeyTemplate.Part] = []
        private var indices: [KeyTemplate.Part: Int] = [:]
        private var nodes: [Node] = [Node()]
        private var firsts: [UInt8] = [0]
        private var bytes: [UInt8] = []
        /// How many patterns have a number.
        private(set) var count = 0 as Int32

        /// - Parameter template: nil for the prefix of all keys.
        mutating func add(_ template: KeyTemplate?, isPrefix: Bool) {
            let start = symbols.count
            for part in template?.parts ?? [] {
                if case .literal(let literal) = part {
                    for byte in literal { symbols.append(UInt32(byte)) }
                } else {
                    symbols.append(256 + UInt32(index(of: part)))
                }
            }
            patterns.append(Pattern(symbols: start..<symbols.count, isPrefix: isPrefix))
        }

        private mutating func index(of placeholder: KeyTemplate.Part) -> Int {
            if let index = indices[placeholder] { return index }
            indices[placeholder] = placeholders.count
            placeholders.append(placeholder)
            return placeholders.count - 1
        }

        /// The tree, and the number of each pattern in the order in which they were added.
        mutating func build() -> (tree: KeyTree, numbers: [Int32]) {
            let order = patterns.indices.sorted { precedes(patterns[$0].symbols, patterns[$1].symbols) }
            var numbers = [Int32](repeating: -1, count: patterns.count)
            // Nodes with their patterns, whose first `depth` symbols are the same and lead to the node.
            var pending = [(node: 0, members: order[...], depth: 0)]
            while let (node, common, depth) = pending.popLast() {
                var members = common
                while let member = members.first, patterns[member].symbols.count == depth {
                    numbers[member] = number(at: node, isPrefix: patterns[member].isPrefix)
                    members = members.dropFirst()
                }
                nodes[node].firstChild = Int32(nodes.count)
                while let member = members.first {
                    let symbol = symbol(of: member, at: depth)
                    let group = members.prefix { self.symbol(of: $0, at: depth) == symbol }
                    members = members.dropFirst(group.count)
                    pending.append((nodes.count, group, depth + addChild(of: node, for: group, at: depth)))
                }
            }
            return (KeyTree(nodes: nodes, firsts: firsts, bytes: bytes, placeholders: placeholders), numbers)
        }

        private mutating func number(at node: Int, isPrefix: Bool) -> Int32 {
            let known = isPrefix ? nodes[node].prefix : nodes[node].key
            if known >= 0 { return known }
            if isPrefix { nodes[node].prefix = count } else { nodes[node].key = count }
            count += 1
            return count - 1
        }

        /// - Parameter group: in order, with the same symbol at `depth`.
        /// - Returns: how many symbols lead to the child.
        private mutating func addChild(of node: Int, for group: ArraySlice<Int>, at depth: Int) -> Int {
            let first = patterns[group[group.startIndex]].symbols.dropFirst(depth)
            let last = patterns[group[group.endIndex - 1]].symbols.dropFirst(depth)
            var child = Node()
            guard let byte = UInt8(exactly: symbols[first.lowerBound]) else {
                child.start = Int32(symbols[first.lowerBound]) - 256
                nodes[node].placeholders += 1
                nodes.append(child)
                firsts.append(0)
                return 1
            }
            // The patterns are sorted, so what the first and the last have in common, all have in common.
            var run: [UInt8] = []
            for (one, other) in zip(first, last) {
                guard symbols[one] == symbols[other], let byte = UInt8(exactly: symbols[one]) else { break }
                run.append(byte)
            }
            (child.start, child.length) = (Int32(bytes.count), Int32(run.count))
            bytes += run
            nodes[node].literals += 1
            nodes.append(child)
            firsts.append(byte)
            return run.count
        }

        private func symbol(of pattern: Int, at depth: Int) -> UInt32 {
            symbols[patterns[pattern].symbols.lowerBound + depth]
        }

        private func precedes(_ one: Range<Int>, _ other: Range<Int>) -> Bool {
            for offset in 0..<min(one.count, other.count) {
                let (left, right) = (symbols[one.lowerBound + offset], symbols[other.lowerBound + offset])
                if left != right { return left < right }
            }
            return one.count < other.count
        }
    }
}
