import Audit
import Bytes
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
            var verifier = try AuditVerifier(keys, expecting: options[.expectedHead].map { Array($0.utf8) })
            for file in files { try verifier.read(file: file) }
            verifier.finish()
            Terminal.say(options.wantsJSON ? verifier.json : verifier.text)
            if verifier.problems.isEmpty, !options.wantsJSON, options[.expectedHead] == nil {
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
