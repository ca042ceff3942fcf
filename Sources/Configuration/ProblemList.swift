import Bytes

/// Collects everything that is wrong with a text, each thing with its position there.
struct ProblemList {
    /// Nobody mends more at once, and it bounds the work on a text that is wrong all over.
    static let most = 100

    private let text: [UInt8]
    /// What has been read, in the order of reading. Most texts are right, and then nobody asks where a path is.
    private var notes: [Note] = []
    /// The same by the path, as far as somebody has looked.
    private var offsets: [String: Int] = [:]
    private var indexed = 0
    private var found: [(offset: Int, path: String, reason: String)] = []
    /// How many there are, also those beyond `most` and those that are told already.
    private(set) var count = 0
    /// How many of them are about a default that has been told of, at a grant that has it.
    private var repeated = 0
    /// Where `defaults` is in the text; nil where there are none.
    var defaults: Range<Int>?

    /// What has been read at a path.
    private enum Note {
        case value(String, offset: Int)
        case members([JSONMember], of: String)
        case elements([JSONValue], of: String)
    }

    init(in text: [UInt8]) { self.text = text }

    /// Whether no more reasons are kept.
    var isFull: Bool { found.count == ProblemList.most }

    /// In the order of the text.
    var problems: [Problem] {
        var problems = found.sorted { $0.offset < $1.offset }.map {
            Problem(path: $0.path, position: TextPosition(of: $0.offset, in: text), reason: $0.reason)
        }
        let others = count - found.count - repeated
        if others > 0 {
            problems.append(
                Problem(path: "", position: nil, reason: "there are \(others) more; mend these first"))
        }
        return problems
    }

    /// Remembers where a path is.
    mutating func note(_ path: String, at offset: Int) { notes.append(.value(path, offset: offset)) }

    /// Remembers where the members of an object are.
    mutating func note(_ members: [JSONMember], of path: String) { notes.append(.members(members, of: path)) }

    /// Remembers where the elements of a list are.
    mutating func note(_ elements: [JSONValue], of path: String) { notes.append(.elements(elements, of: path)) }

    mutating func knows(_ path: String) -> Bool { offset(of: path) != nil }

    /// Where a path is that has been read.
    mutating func position(of path: String) -> TextPosition? { offset(of: path).map { TextPosition(of: $0, in: text) } }

    func position(at offset: Int) -> TextPosition { TextPosition(of: offset, in: text) }

    private mutating func offset(of path: String) -> Int? {
        for note in notes[indexed...] {
            switch note {
            case .value(let path, let offset): offsets[path] = offset
            case .members(let members, let path):
                for member in members { offsets[path.member(member.name)] = member.nameOffset }
            case .elements(let elements, let path):
                for (index, element) in elements.enumerated() { offsets[path.element(index)] = element.offset }
            }
        }
        indexed = notes.count
        return offsets[path]
    }

    /// Whether anything is wrong with the object or the list at a path, or with what stands in it.
    func hasAny(at path: String) -> Bool {
        found.contains { problem in
            problem.path == path || [".", "["].contains { problem.path.utf8.starts(with: (path + $0).utf8) }
        }
    }

    /// The names of the keys below a path that anything is wrong with, or with the variable that such a key names.
    func names(below path: String) -> [String] {
        found.filter { $0.path.utf8.starts(with: (path + ".").utf8) }.map { problem in
            let own = problem.path.hasSuffix(".env") ? problem.path.dropLast(4) : problem.path[...]
            return String(own.split(separator: ".").last.map { $0.prefix { $0 != "[" } } ?? "")
        }
    }

    /// Adds a problem at a path that has been read, or at the nearest part of it that has.
    mutating func add(_ path: String, _ reason: () -> String) {
        var known = path[...]
        while offset(of: String(known)) == nil, let end = known.lastIndex(where: { $0 == "." || $0 == "[" }) {
            known = known[..<end]
        }
        add(path, at: offset(of: String(known)) ?? offset(of: "") ?? 0, reason)
    }

    mutating func add(_ path: String, at offset: Int, _ reason: () -> String) {
        count += 1
        guard let defaults, defaults.contains(offset) else {
            if !isFull { found.append((offset, path, reason())) }
            return
        }
        let reason = "\(reason()) (this is a default)"
        // What is wrong with a default by itself was told before any grant was read; the rest is told at the first grant that has it.
        let isTold = found.contains {
            $0.offset == offset && ($0.path.utf8.starts(with: "defaults.".utf8) || $0.reason == reason)
        }
        if isTold {
            repeated += 1
        } else if !isFull {
            found.append((offset, path, reason))
        }
    }
}
