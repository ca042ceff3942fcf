import Access
import Bytes

/// Whom OSS tells of an upload: the base64 of a JSON object, which is the form field `callback`, the query parameter `callback` or
/// the header `x-oss-callback` (OSS API reference, "Callback").
///
/// Who uploads is written into the body here, where `${x:enduser}` stands, and is no variable of the vendor's any more. A form's
/// policy pins the whole field, and a request's signature the parameter or the header, so nobody can change that name; the vendor's
/// own `x:` variables are for the client to choose.
struct PostCallback: Sendable {
    struct Fields: FieldGroup {
        let callbackUrl = Field(
            "callbackUrl", .string, required: true,
            "The URL that the vendor calls. Up to five, joined by `;`, are tried in turn.")
        let callbackHost = Field("callbackHost", .string, "The Host field of the callback.")
        let callbackBody = Field(
            "callbackBody", .vendorText, required: true, "The callback's body, with variables such as `${object}`.")
        let callbackBodyType = Field(
            "callbackBodyType", .choice(["application/x-www-form-urlencoded", "application/json"]),
            "The callback's Content-Type. The vendor's default is the first.")
        let callbackSNI = Field(
            "callbackSNI", .boolean, "Whether the callback's TLS handshake sends the host name (SNI).")
        let endUser = Field("endUser", .template, "The uploader. It replaces `${x:enduser}` in `callbackBody`.")
    }

    static let fields = Fields()

    /// The caller's name in the body; nil where it is the same for everybody.
    let endUser: KeyTemplate?
    /// The JSON object, divided where the name stands.
    private let parts: [[UInt8]]
    private let isJSON: Bool

    init(_ callback: Settings<Fields>) throws(FieldProblem) {
        let urls = (callback.callbackUrl ?? [])
            .split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard urls.count <= 5, urls.allSatisfy(PostCallback.isURL) else {
            throw FieldProblem(
                "callback.callbackUrl", "must be up to five URLs joined by ;, each beginning with http:// or https://")
        }
        endUser = callback.endUser
        if endUser?.usesExtension == true {
            throw FieldProblem("callback.endUser", "must not use ${ext}, since the form may leave the key open")
        }
        let names = try PostCallback.variables(in: callback.callbackBody ?? [])
        let hasPlace = names.contains { $0.elementsEqual(PostCallback.endUserName.utf8) }
        if endUser != nil, !hasPlace {
            throw FieldProblem("callback.endUser", "needs ${\(PostCallback.endUserName)} in callbackBody")
        }
        if endUser == nil, hasPlace {
            throw FieldProblem(
                "callback.callbackBody", "has ${\(PostCallback.endUserName)}, which needs endUser beside callbackBody")
        }
        isJSON = callback.callbackBodyType.map { $0.elementsEqual("application/json".utf8) } ?? false
        var json = ByteWriter()
        json.append(object: { json in
            for field in PostCallback.fields.descriptions where field.name != PostCallback.fields.endUser.name {
                json.add(field, callback.values[field])
            }
        })
        parts = json.array.split(by: Array("${\(PostCallback.endUserName)}".utf8))
    }

    /// The field's value.
    /// - Parameter name: `endUser`, filled in; empty for none.
    func encoded(for name: Span<UInt8>) -> [UInt8] {
        var json = ByteWriter(capacity: 512)
        for (index, part) in parts.enumerated() {
            if index > 0 { write(name, into: &json) }
            json.append(part)
        }
        return Base64.standard.encode(json.array)
    }

    /// Writes the name as it stands in a body of the callback's type, within a JSON string.
    private func write(_ name: Span<UInt8>, into json: inout ByteWriter) {
        guard isJSON else { return Percent.encode(name, keeping: .unreserved, into: &json) }
        var quoted = ByteWriter()
        quoted.append(jsonString: name)
        json.append(jsonEscaped: quoted.bytes)
    }

    // MARK: Variables

    /// In lower case, as the vendor wants it of variables that are not its own.
    private static let endUserName = "x:enduser"

    /// What the vendor fills in (OSS API reference, "Callback").
    private static let known = [
        "bucket", "object", "etag", "size", "mimeType", "imageInfo.height", "imageInfo.width", "imageInfo.format",
        "crc64", "contentMd5", "vpcId", "clientIp", "reqId", "operation",
    ]

    /// The names of a body's variables. Another `${…}` would be sent as it stands.
    private static func variables(in body: [UInt8]) throws(FieldProblem) -> [[UInt8]] {
        var names: [[UInt8]] = []
        var rest = body[...]
        while let dollar = rest.firstIndex(of: UInt8(ascii: "$")) {
            rest = rest[(dollar + 1)...]
            guard rest.first == UInt8(ascii: "{") else { continue }
            guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                throw FieldProblem("callback.callbackBody", "has ${ without }")
            }
            let name = Array(rest[(rest.startIndex + 1)..<end])
            rest = rest[(end + 1)...]
            guard isVariable(name) else { throw unknown(name) }
            names.append(name)
        }
        return names
    }

    private static func isVariable(_ name: [UInt8]) -> Bool {
        if known.contains(where: { name.elementsEqual($0.utf8) }) { return true }
        return name.starts(with: "x:".utf8) && name.count > 2 && ByteSet.dottedWord.contains(all: name[2...])
    }

    private static func unknown(_ name: [UInt8]) -> FieldProblem {
        let list = known.map { "${\($0)}" }.joined(separator: ", ")
        return FieldProblem(
            "callback.callbackBody",
            "has ${\(name.text)}, which OSS does not know and would send as it stands; OSS knows \(list) and ${x:NAME}, "
                + "and for who uploads there is endUser: \"${caller.id}\" with ${\(endUserName)} in callbackBody")
    }

    private static func isURL(_ text: ArraySlice<UInt8>) -> Bool {
        (text.starts(with: "http://".utf8) && text.count > 7 || text.starts(with: "https://".utf8) && text.count > 8)
            && text.allSatisfy(\.isVisible)
    }
}

extension [UInt8] {
    /// What stands before, between and behind the places of a text.
    fileprivate func split(by text: [UInt8]) -> [[UInt8]] {
        var (parts, start, index) = ([[UInt8]](), 0, 0)
        while index + text.count <= count {
            guard self[index..<index + text.count].elementsEqual(text) else {
                index += 1
                continue
            }
            parts.append(Array(self[start..<index]))
            index += text.count
            start = index
        }
        return parts + [Array(self[start...])]
    }
}
