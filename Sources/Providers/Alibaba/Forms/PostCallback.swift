import Access
import Bytes

/// Whom OSS tells of an upload, as the form field `callback` has it: the base64 of a JSON object (OSS API reference, "Callback").
enum PostCallback {
    struct Fields: FieldGroup {
        let callbackUrl = Field(
            "callbackUrl", .string, required: true, "Whom the vendor tells; up to five joined by ;, tried in turn.")
        let callbackHost = Field("callbackHost", .string, "The Host field of the callback.")
        let callbackBody = Field(
            "callbackBody", .vendorText, required: true, "The callback's body, with variables such as ${object}.")
        let callbackBodyType = Field(
            "callbackBodyType", .choice(["application/x-www-form-urlencoded", "application/json"]),
            "The callback's Content-Type; the vendor's standard is the first.")
        let callbackSNI = Field("callbackSNI", .boolean, "Whether the callback's TLS names its host.")
    }

    static let fields = Fields()

    /// - Returns: the field's value.
    static func encode(_ callback: Settings<Fields>) throws(FieldProblem) -> [UInt8] {
        let urls = (callback.callbackUrl ?? [])
            .split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard urls.count <= 5, urls.allSatisfy(isURL) else {
            throw FieldProblem(
                "callback.callbackUrl", "must be up to five URLs joined by ;, each beginning with http:// or https://")
        }
        var json = ByteWriter()
        json.append(object: { json in
            for field in fields.descriptions { json.add(field, callback.values[field]) }
        })
        return Base64.standard.encode(json.array)
    }

    private static func isURL(_ text: ArraySlice<UInt8>) -> Bool {
        (text.starts(with: "http://".utf8) && text.count > 7 || text.starts(with: "https://".utf8) && text.count > 8)
            && text.allSatisfy(\.isVisible)
    }
}
