import Bytes
import Crypto
import Machine

extension FieldReader {
    /// Reads a secret from where it is said to be. Nothing of it goes into a problem or a warning.
    mutating func secret(_ value: JSONValue, _ path: String) -> Secret? {
        switch value.content {
        case .string:
            guard let bytes = literal(value, path) else { return nil }
            inlineSecret = inlineSecret ?? path
            return Secret(bytes)
        case .object(let members) where members.count == 1:
            let source = note(members[0], in: path)
            if members[0].name.elementsEqual("env".utf8) { return secret(fromVariable: members[0].value, source) }
            if members[0].name.elementsEqual("file".utf8) { return secret(fromFile: members[0].value, source) }
            report(source, FieldReader.unknown(members[0].name.text, among: ["env", "file"]))
        case .object, .null, .boolean, .number, .array:
            report(path, "must be a string, { env: \"NAME\" } or { file: \"PATH\" }")
        }
        return nil
    }

    private mutating func secret(fromVariable value: JSONValue, _ path: String) -> Secret? {
        guard let name = variableName(value, path) else { return nil }
        guard !ProcessEnvironment.isWellKnown(name) else {
            report(
                path,
                "\(name) stays in the environment, where other processes can see it; give the secret another name")
            return nil
        }
        return secret(ofVariable: name, path)
    }

    mutating func secret(ofVariable name: String, _ path: String) -> Secret? {
        variable(name, path).flatMap { checked($0, "the environment variable \(name)", path) }
    }

    private mutating func secret(fromFile value: JSONValue, _ path: String) -> Secret? {
        string(value, path).flatMap { secret(inFile: filePath(of: $0), path) }
    }

    /// A secret that stands alone in a file; the end of its line is not part of it.
    mutating func secret(inFile filePath: String, _ path: String) -> Secret? {
        guard let file = file(at: filePath, path) else { return nil }
        if file.isWorldReadable, !admits(worldReadable: filePath, path) { return nil }
        var bytes = file.bytes
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        guard !bytes.isEmpty else {
            report(path, "the file \(filePath) is empty")
            return nil
        }
        return checked(bytes, "the file \(filePath)", path)
    }

    /// A second line or a stray carriage return would only show as signatures that the vendor refuses.
    private mutating func checked(_ bytes: [UInt8], _ source: String, _ path: String) -> Secret? {
        if CharacterRule.isText(bytes) { return Secret(bytes) }
        report(path, "\(source) must hold the secret alone, on one line and without control characters")
        return nil
    }

    /// Whether a file with a secret may be readable by everybody, which is a warning then and else a problem. The
    /// orchestrators mount secrets in these two folders, readable by all of the container.
    mutating func admits(worldReadable file: String, _ path: String) -> Bool {
        let isMounted = ["/run/secrets/", "/var/run/secrets/"].contains { file.utf8.starts(with: $0.utf8) }
        if isMounted, !file.utf8.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual("..".utf8) }) {
            warnings.append("\(path): anybody in this container can read \(file)")
            return true
        }
        report(path, "anybody on this machine can read \(file), which holds a secret; chmod 600 it")
        return false
    }
}
