import Bytes

/// The fields of a form that uploads a file (OSS API reference, "PostObject"), as far as they stand before the file.
struct OSSForm {
    /// By names in lower case, in the order they came; no name comes twice.
    private(set) var fields: [NameValue] = []
    /// Of the file on the client's machine, without folders.
    private(set) var filename: [UInt8] = []
    /// As the file's part says.
    private var fileType: [UInt8]?

    /// Bytes of one field, and of all, which are held until the file comes.
    private static let longestField = 2 << 20
    private static let longestFields = 8 << 20
    private static let mostFields = 200

    /// Reads up to the file, whose bytes are next then.
    init(_ reader: MultipartForm) throws {
        var room = OSSForm.longestFields
        while let part = try reader.next() {
            let name = part.name.map(\.lowercasedASCII)
            if name.span.equals("file") {
                filename = OSSForm.lastComponent(part.filename ?? [])
                fileType = part.mediaType
                return
            }
            guard fields.count < OSSForm.mostFields, self[name] == nil else {
                throw OSSError.wrongForm("The form has too many fields, or a field twice: \(name.text)")
            }
            // It may become the name of a field of answers.
            guard ByteSet.token.contains(all: name) || !name.starts(with: "x-oss-".utf8) else {
                throw OSSError.wrongForm("A field's name has characters that no name may have: \(name.text.visible)")
            }
            let value = try reader.readAll(atMost: min(OSSForm.longestField, room))
            room -= value.count
            fields.append(NameValue(name, value))
        }
        throw OSSError.invalidArgument("POST requires exactly one file upload per request.")
    }

    /// What conditions are about. The bucket is the one that the form came to, whatever a field of that name says.
    func fields(postedTo bucket: [UInt8]) -> [NameValue] {
        fields.filter { !$0.name.span.equals("bucket") } + [NameValue("bucket", bucket)]
    }

    /// The value of a field; `name` in lower case.
    subscript(name: StaticString) -> [UInt8]? { self[name.array] }

    private subscript(name: [UInt8]) -> [UInt8]? { fields.first { $0.name == name }?.value }

    /// The object's type: by the field for it, then by the file's part, then by the other field. Conditions are about fields alone.
    var mediaType: [UInt8]? {
        [self["x-oss-content-type"], fileType, self["content-type"]].compactMap { $0 }.first { !$0.isEmpty }
    }

    /// The object's key, with the file's name in it where the form has `${filename}`.
    func key() throws(OSSError) -> [UInt8] {
        guard let key = self["key"], !key.isEmpty else {
            throw .invalidArgument("Bucket POST must contain a field named 'key'.")
        }
        var name: [UInt8] = []
        var rest = key[...]
        let variable = Array("${filename}".utf8)
        while let place = rest.firstRange(of: variable) {
            name += rest[..<place.lowerBound] + filename
            rest = rest[place.upperBound...]
        }
        name += rest
        guard OSSRequest.isKey(name) else { throw .invalidObjectName(name) }
        return name
    }

    private static func lastComponent(_ path: [UInt8]) -> [UInt8] {
        let start = path.lastIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        return start.map { Array(path[($0 + 1)...]) } ?? path
    }
}

extension OSSClaim {
    /// How long a form of version 4 can be used, in seconds from its date.
    private static let longestForm: Int64 = 604_800

    /// What the fields of a form claim, where it is signed: the signature is over the policy as it was sent.
    init?(_ form: OSSForm, at now: Int64) throws(OSSError) {
        let token = form["x-oss-security-token"]
        if let version = form["x-oss-signature-version"] {
            guard version.elementsEqual("OSS4-HMAC-SHA256".utf8) else {
                throw .invalidArgument("x-oss-signature-version must be OSS4-HMAC-SHA256.")
            }
            guard let credential = form["x-oss-credential"], let date = form["x-oss-date"],
                let signature = form["x-oss-signature"], let policy = form["policy"]
            else {
                throw .invalidArgument(
                    "A form of version 4 has x-oss-credential, x-oss-date, policy and x-oss-signature.")
            }
            let scope = try OSSScope(credential)
            let time = try scope.time(date)
            guard time <= now + OSSClaim.skew else { throw .skewed(date, at: now) }
            guard now <= time + OSSClaim.longestForm else { throw .expired(time + OSSClaim.longestForm, at: now) }
            self.init(
                scheme: .v4(scope), accessKeyID: scope.accessKeyID, securityToken: token, signature: signature,
                stringToSign: policy)
            return
        }
        guard let accessKeyID = form["ossaccesskeyid"] else { return nil }
        guard let signature = form["signature"], let policy = form["policy"] else {
            throw .invalidArgument("Bucket POST must contain a field named 'policy' and one named 'Signature'.")
        }
        self.init(
            scheme: .v1, accessKeyID: accessKeyID, securityToken: token, signature: signature, stringToSign: policy)
    }
}
