import Access
import Bytes

/// Environment variables, which may stand wherever a text, true or false may: `{ env: "NAME" }`.
extension FieldReader {
    /// The value itself, or the text of the variable that it names; nil where there is no such text, which is noted.
    ///
    /// What a variable says is taken as it is. A placeholder in it would look as if it were filled in, so there may be none: who may
    /// set a variable must not decide by it whose keys a grant is for.
    mutating func resolved(_ value: JSONValue, _ path: @autoclosure () -> String) -> JSONValue? {
        guard case .object(let members) = value.content, members.count == 1,
            members[0].name.elementsEqual("env".utf8)
        else { return value }
        let source = note(members[0], in: path())
        guard let name = variableName(members[0].value, source), let text = variable(name, source) else { return nil }
        guard !FieldReader.hasPlaceholder(text) else {
            report(
                source,
                "the environment variable \(name) has ${ in it, and placeholders are filled in only where the file has them"
            )
            return nil
        }
        return JSONValue(offset: value.offset, content: .string(text))
    }

    /// True or false, or the variable that says one of them.
    mutating func boolean(_ value: JSONValue, _ path: @autoclosure () -> String) -> Bool? {
        if case .boolean(let flag) = value.content { return flag }
        if case .object = value.content {
            guard let text = resolved(value, path()) else { return nil }
            if case .string(let word) = text.content {
                if word.elementsEqual("true".utf8) { return true }
                if word.elementsEqual("false".utf8) { return false }
            }
        }
        report(path(), "must be true or false")
        return nil
    }

    mutating func variableName(_ value: JSONValue, _ path: String) -> String? {
        guard let name = literal(value, path) else { return nil }
        // The operator may have put a secret itself there, so a text that is no variable's name is not shown.
        guard ByteSet.alphanumerics.union("_").contains(all: name) else {
            report(path, "must be the name of an environment variable: letters, digits and _")
            return nil
        }
        return name.text
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

extension FieldDescription.Kind {
    /// Whether it is written as one text.
    var isText: Bool {
        switch self {
        case .string, .vendorText, .choice, .duration, .size, .days, .rate, .time, .template: true
        case .boolean, .integer, .secret, .strings, .object, .objects, .json, .members: false
        }
    }
}
