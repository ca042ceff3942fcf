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
}
