import Access
import Bytes

/// Whom OSS tells of an upload, as the form field `callback` has it: the base64 of a JSON object (OSS API reference, "Callback").
enum PostCallback {
    static let fields: [FieldDescription] = [
        FieldDescription(
            "callbackUrl", .string, required: true, "Whom the vendor tells; up to five joined by ;, tried in turn."),
        FieldDescription("callbackHost", .string, "The Host field of the callback."),
        FieldDescription(
            "callbackBody", .vendorText, required: true, "The callback's body, with variables such as ${object}."),
        FieldDescription(
            "callbackBodyType", .choice(["application/x-www-form-urlencoded", "application/json"]),
            "The callback's Content-Type; the vendor's standard is the first."),
        FieldDescription("callbackSNI", .boolean, "Whether the callback's TLS names its host."),
    ]

    /// - Returns: the field's value.
    static func encode(_ callback: FieldValues) throws(FieldProblem) -> [UInt8] {
        let urls = (callback.string("callbackUrl") ?? [])
            .split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        guard urls.count <= 5, urls.allSatisfy(isURL) else {
            throw FieldProblem(
                "callback.callbackUrl", "must be up to five URLs joined by ;, each beginning with http:// or https://")
        }
        var text = ByteWriter()
        for field in fields { text.append(member: field.name, callback[field.name]) }
        var json = ByteWriter()
        json.append(UInt8(ascii: "{"))
        // Each member has its comma before it.
        json.append(text.bytes.extracting(droppingFirst: 1))
        json.append(UInt8(ascii: "}"))
        return Base64.standard.encode(json.array)
    }

    private static func isURL(_ text: ArraySlice<UInt8>) -> Bool {
        (text.starts(with: "http://".utf8) && text.count > 7 || text.starts(with: "https://".utf8) && text.count > 8)
            && text.allSatisfy(\.isVisible)
    }
}
