import Bytes
import Machine

extension FieldReader {
    /// Where a file is that the configuration names: relative paths begin at its folder.
    func place(of name: [UInt8]) -> String {
        name.first == UInt8(ascii: "/") ? name.text : folder + "/" + name.text
    }

    /// Reads a file that the service relies on, so that nobody but root and its own user may be able to change it.
    mutating func file(at place: String, _ path: String) -> ReadFile? {
        guard let file = environment.file(place) else {
            report(path, "the file \(place) cannot be read")
            return nil
        }
        if let weakness = file.weakness {
            report(path, weakness)
            return nil
        }
        guard !file.bytes.isEmpty else {
            report(path, "the file \(place) is empty")
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
