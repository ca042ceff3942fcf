import Bytes

/// Collects everything that is wrong with a text, each thing with its position there.
struct ProblemList {
    /// Nobody mends more at once, and it bounds the work on a text that is wrong all over.
    static let most = 100

    private let text: [UInt8]
    /// Where the paths are that have been read.
    private var offsets: [String: Int] = [:]
    private var found: [(offset: Int, path: String, reason: String)] = []
    /// How many there are, also those beyond `most`.
    private(set) var count = 0

    init(in text: [UInt8]) { self.text = text }

    /// Whether no more reasons are kept.
    var isFull: Bool { found.count == ProblemList.most }

    /// In the order of the text.
    var problems: [Problem] {
        var problems = found.sorted { $0.offset < $1.offset }.map {
            Problem(path: $0.path, position: TextPosition(of: $0.offset, in: text), reason: $0.reason)
        }
        if count > found.count {
            problems.append(
                Problem(path: "", position: nil, reason: "there are \(count - found.count) more; mend these first"))
        }
        return problems
    }

    /// Remembers where a path is.
    mutating func note(_ path: String, at offset: Int) { offsets[path] = offset }

    func knows(_ path: String) -> Bool { offsets[path] != nil }

    /// Where a path is that has been read.
    func position(of path: String) -> TextPosition? { offsets[path].map { TextPosition(of: $0, in: text) } }

    /// Whether anything is wrong with the object or the list at a path, or with what stands in it.
    func hasAny(at path: String) -> Bool {
        found.contains { problem in
            problem.path == path || [".", "["].contains { problem.path.utf8.starts(with: (path + $0).utf8) }
        }
    }

    /// The names of the keys below a path that anything is wrong with.
    func names(below path: String) -> [String] {
        found.filter { $0.path.utf8.starts(with: (path + ".").utf8) }.map { problem in
            String(problem.path.split(separator: ".").last.map { $0.prefix { $0 != "[" } } ?? "")
        }
    }

    /// Adds a problem at a path that has been read, or at the nearest part of it that has.
    mutating func add(_ path: String, _ reason: () -> String) {
        var known = path[...]
        while offsets[String(known)] == nil, let end = known.lastIndex(where: { $0 == "." || $0 == "[" }) {
            known = known[..<end]
        }
        add(path, at: offsets[String(known)] ?? offsets[""] ?? 0, reason)
    }

    mutating func add(_ path: String, at offset: Int, _ reason: () -> String) {
        count += 1
        if !isFull { found.append((offset, path, reason())) }
    }
}
