import Access
import Bytes

extension FieldReader {
    /// Reads an object that goes out as JSON.
    mutating func json(_ value: JSONValue, _ path: String, maximumLength: Int) -> FieldValues.Value? {
        guard case .object = value.content else {
            report(path, "must be an object { … }")
            return nil
        }
        var text = ByteWriter()
        text.append(json: value)
        guard text.count <= maximumLength else {
            report(path, "must have at most \(maximumLength) bytes, written as JSON")
            return nil
        }
        // Only numbers can have been written otherwise than in JSON by now.
        do throws(JSONError) { _ = try JSONReader.read(text.bytes, as: .json) } catch {
            report(path, "must have its numbers as JSON has them: no 0x, no +, no Infinity, no dot without digits")
            return nil
        }
        // An operator that writes ${key} where it is not filled in expects a value that is not there.
        if FieldReader.hasPlaceholder(text.array) {
            report(path, "must not contain ${, since nothing is filled in here")
        }
        return .json(text.array)
    }
}
