import Audit
import Bytes
import Cluster
import Configuration
import Crypto
import Machine

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
            var expected = options[.expectedHead].map { Array($0.utf8) }
            if options.has(.fromCluster) { expected = try headFromCluster(options) }
            var verifier = try AuditVerifier(keys, expecting: expected)
            for file in files { try verifier.read(file: file) }
            verifier.finish()
            Terminal.say(options.wantsJSON ? verifier.json : verifier.text)
            if verifier.problems.isEmpty, !options.wantsJSON, expected == nil {
                Terminal.say(
                    "Lines that were cut off at the end leave no trace here: note a head elsewhere, and name it with "
                        + "--expect-head")
            }
            return verifier.problems.isEmpty ? .done : .failed
        } catch {
            Terminal.complain("countersign audit verify: \("\(error)".visible)")
            return .failed
        }
    }

    private struct Failure: Error, CustomStringConvertible { let description: String }

    /// How far Redis knows that the audit of a replica went, and says so of all others.
    private static func headFromCluster(_ options: Options) throws -> [UInt8] {
        guard let settings = try Configuration.load(options.configuration).cluster else {
            throw Failure(description: "--cluster needs cluster in \(options.configuration)")
        }
        let name = options[.instance].map { Array($0.utf8) } ?? settings.instance
        let heads = try AuditHeads.read(from: settings)
        for head in heads where head.instance != name {
            Terminal.complain(
                "replica \(head.instance.text.visible): \(head.count.counted("line")) in \(head.file.text.visible), head "
                    + "\(head.code.text.visible); not looked at here")
        }
        guard let own = heads.first(where: { $0.instance == name }) else {
            throw Failure(description: "Redis knows of no audit of the replica \(name.text)")
        }
        guard AuditVerifier.isHead(own.code) else {
            throw Failure(description: "what Redis has of the replica \(name.text) is no head")
        }
        return own.code
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
    var json: String { String(json: { write(into: &$0) }) }
}
