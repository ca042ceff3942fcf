import Audit
import Bytes
import Configuration
import Crypto
import Machine

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `countersign audit verify`: tells whether the lines of an audit are all there, in their order, as they were written.
enum AuditVerifying {
    static func run(_ options: Options) -> Exit {
        // After the word `verify`.
        let files = options.operands.dropFirst()
        guard !files.isEmpty else {
            Terminal.complain("countersign audit verify: no file is named, and an audit of nothing is not whole")
            return .failed
        }
        let keys: [Secret]
        do throws(ConfigurationError) { keys = try self.keys(options) } catch {
            Terminal.complain(error.description)
            return .invalidConfiguration
        }
        do {
            var verifier = try AuditVerifier(keys, expecting: options[.expectedHead].map { Array($0.utf8) })
            for file in files { try read(file, by: &verifier) }
            verifier.finish()
            Terminal.say(options.wantsJSON ? verifier.json : verifier.text)
            return verifier.problems.isEmpty ? .done : .failed
        } catch {
            Terminal.complain("countersign audit verify: \("\(error)".visible)")
            return .failed
        }
    }

    /// The keys in files of their own, else that of the configuration.
    private static func keys(_ options: Options) throws(ConfigurationError) -> [Secret] {
        let files = options.all(.keyFile)
        if !files.isEmpty {
            return try files.map { file throws(ConfigurationError) in try Configuration.secret(inFile: file) }
        }
        if let key = try Configuration.load(options.configuration).audit?.key { return [key] }
        throw ConfigurationError(
            file: options.configuration, path: "audit", reason: "is not there; name the key's file with --key-file")
    }

    private static func read(_ path: String, by verifier: inout AuditVerifier) throws {
        // Unsafe: paths, the buffer and a local are lent for the calls. Without waiting: to open a pipe would, for who writes into it.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { throw AuditFault(unsafe "cannot read \(path): \(String(cString: strerror(errno)))") }
        defer { close(file) }
        var info = stat()
        guard unsafe fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
            throw AuditFault("cannot read \(path): it is no ordinary file")
        }
        verifier.begin(path)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var rest: [UInt8] = []
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe fill($0, from: file) }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else {
                throw AuditFault(unsafe "cannot read \(path): \(String(cString: strerror(errno)))")
            }
            if count == 0 { break }
            var start = 0
            while let end = buffer[start..<count].firstIndex(of: UInt8(ascii: "\n")) {
                rest += buffer[start..<end]
                try verifier.read(rest.span, isWhole: true)
                rest.removeAll(keepingCapacity: true)
                start = end + 1
            }
            rest += buffer[start..<count]
            guard rest.count <= longestLine else { throw AuditFault("\(path) is no audit: it has a line without end") }
        }
        if !rest.isEmpty { try verifier.read(rest.span, isWhole: false) }
    }

    private static let longestLine = 1 << 20
}

/// `read`, whose name the reader has taken.
private func fill(_ buffer: UnsafeMutableRawBufferPointer, from file: Int32) -> Int {
    // Unsafe: the buffer is lent for the call.
    unsafe read(file, buffer.baseAddress, buffer.count)
}

extension AuditVerifier {
    /// For people: what is wrong, and how far the lines go.
    var text: String {
        var told = problems.map { "\($0.file.visible):\($0.line): \($0.reason)" }
        if others > 0 { told.append("and \(others.counted("problem")) more") }
        if unsynced > 0 {
            told.append(
                "\(unsynced.counted("line")) had not come to the disk at a fault; nothing of that was given to anybody")
        }
        let range = first.map { "lines \($0) to \(last)" } ?? "no lines"
        told.append("\(problems.isEmpty ? "whole" : "NOT WHOLE"): \(range), head \(headText)")
        return told.joined(separator: "\n")
    }

    /// For programs, one object.
    var json: String {
        String(json: { json in
            json.add("whole", problems.isEmpty)
            json.add("lines", lines)
            if let first { json.add("first", first) } else { json.addNull("first") }
            json.add("last", last)
            json.add("head", headText)
            json.add("unsynced", unsynced)
            json.add(
                "problems",
                array: { list in
                    for problem in problems { list.add(object: { $0.add(problem) }) }
                })
            json.add("moreProblems", others)
        })
    }

    private var headText: String { Hex.encode(head.bytes.array).text }
}

extension JSONObject {
    fileprivate mutating func add(_ problem: AuditVerifier.Problem) {
        add("kind", problem.kind.rawValue)
        add("file", problem.file)
        add("line", problem.line)
        if !problem.numbers.isEmpty {
            add("from", problem.numbers.lowerBound)
            add("to", problem.numbers.upperBound - 1)
        }
        add("reason", problem.reason)
    }
}

extension AuditVerifier.Problem {
    /// What is wrong, for people.
    fileprivate var reason: String {
        let which =
            numbers.count == 1
            ? "line \(numbers.lowerBound)" : "lines \(numbers.lowerBound) to \(numbers.upperBound - 1)"
        let (are, have) = numbers.count == 1 ? ("is", "has") : ("are", "have")
        switch kind {
        case .edited: return "\(which) \(have) been edited, or chained anew without the key"
        case .foreign: return "this is no line of an audit"
        case .removed: return "\(which) \(are) missing before this one"
        case .reordered: return "\(which) \(are) not where \(numbers.count == 1 ? "it was" : "they were") written"
        case .broken: return "\(which) \(are) not what goes on from the line before; a chain begins anew here"
        case .empty: return "there is no line, and an audit of nothing is not whole"
        case .cutOff: return "the end is cut off here: the last line is not whole, or the expected head does not come"
        }
    }
}
