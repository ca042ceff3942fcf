import Bytes
import Machine

extension FieldReader {
    /// The path of a file that the configuration names; a relative one begins at the configuration's folder.
    func filePath(of name: [UInt8]) -> String {
        name.first == UInt8(ascii: "/") ? name.text : folder + "/" + name.text
    }

    /// Reads a file that the service relies on, so that nobody but root and its own user may be able to change it.
    mutating func file(at filePath: String, _ path: String) -> ReadFile? {
        guard let file = environment.file(filePath) else {
            report(path, "the file \(filePath) cannot be read: \(ReadFile.fault(of: filePath))")
            return nil
        }
        if let weakness = file.weakness {
            report(path, weakness)
            return nil
        }
        guard !file.bytes.isEmpty else {
            report(path, "the file \(filePath) is empty")
            return nil
        }
        return file
    }

    /// The text of an environment variable that must be there.
    mutating func variable(_ name: String, _ path: String) -> [UInt8]? {
        guard let text = environment.variable(name), !text.isEmpty else {
            report(path, "the environment variable \(name) is not set, or empty")
            return nil
        }
        return Array(text.utf8)
    }
}
