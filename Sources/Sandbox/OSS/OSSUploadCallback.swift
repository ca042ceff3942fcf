import Bytes

/// What an upload wants to be called when it is done (OSS API reference, "Callback"): the `callback` of a request or a form, and the
/// uploader's own variables.
struct OSSUploadCallback {
    /// Asked one after the other until one can be reached.
    let urls: [[UInt8]]
    /// The Host field, where it is not the URL's.
    let host: [UInt8]?
    private let template: [UInt8]
    let isJSON: Bool
    /// Names with their `x:`.
    private let variables: [NameValue]

    private static let longest = 5 * 1024
    private static let mostURLs = 5

    /// - Returns: nil where the request wants none.
    init?(_ call: OSSSide.Call) throws(OSSError) {
        let given = call.field("x-oss-callback") ?? call.request.parameter("callback")
        guard let given else { return nil }
        var variables: [NameValue] = []
        if let text = call.field("x-oss-callback-var") ?? call.request.parameter("callback-var") {
            guard case .object(let members)? = OSSUploadCallback.json(text)?.content else {
                throw OSSUploadCallback.wrong("callback-var")
            }
            for member in members {
                guard member.name.starts(with: "x:".utf8), let value = member.value.text else {
                    throw OSSUploadCallback.wrong("callback-var")
                }
                variables.append(NameValue(member.name, value))
            }
        }
        try self.init(given, variables)
    }

    /// - Parameter given: base64 of JSON.
    init(_ given: [UInt8], _ variables: [NameValue]) throws(OSSError) {
        guard given.count <= OSSUploadCallback.longest, let json = OSSUploadCallback.json(given),
            let url = json["callbackUrl"]?.text, !url.isEmpty, let body = json["callbackBody"]?.text, !body.isEmpty
        else { throw OSSUploadCallback.wrong("callback") }
        urls = url.split(separator: UInt8(ascii: ";")).map(Array.init)
        host = json["callbackHost"]?.text
        template = body
        self.variables = variables
        let type = json["callbackBodyType"]?.text ?? []
        switch type.text {
        case "application/json": isJSON = true
        case "application/x-www-form-urlencoded", "": isJSON = false
        default: throw OSSUploadCallback.wrong("callback")
        }
        guard (1...OSSUploadCallback.mostURLs).contains(urls.count) else { throw OSSUploadCallback.wrong("callback") }
    }

    private static func json(_ base64: [UInt8]) -> JSONValue? {
        Base64.standard.decode(base64.span).flatMap { try? JSONReader.read($0, as: .json) }
    }

    private static func wrong(_ name: StaticString) -> OSSError {
        .invalidArgument("The \(name) configuration is not json format or misses a member.", name, [])
    }

    /// What is sent, with the object's own values in the place of the variables.
    func body(_ object: StoredObject, _ call: OSSSide.Call) -> [UInt8] {
        var body: [UInt8] = []
        var rest = template[...]
        while let start = rest.firstRange(of: Array("${".utf8)),
            let end = rest[start.upperBound...].firstIndex(of: UInt8(ascii: "}"))
        {
            body += rest[..<start.lowerBound]
            body += write(Array(rest[start.upperBound..<end]), object, call)
            rest = rest[(end + 1)...]
        }
        return body + rest
    }

    private func write(_ name: [UInt8], _ object: StoredObject, _ call: OSSSide.Call) -> [UInt8] {
        let value = value(of: name, object, call)
        var out = ByteWriter(capacity: value.count * 3)
        if !isJSON {
            Percent.encode(value.span, into: &out)
        } else if name.span.equals("size") {
            out.append(value)
        } else {
            out.append(jsonString: value)
        }
        return out.array
    }

    /// The value of one variable; an unknown one is empty.
    private func value(of name: [UInt8], _ object: StoredObject, _ call: OSSSide.Call) -> [UInt8] {
        switch name.text {
        case "bucket": call.bucket
        case "object": object.key
        case "etag": object.hash
        case "size": Array(text: "\(object.size)")
        case "mimeType": object.mediaType
        case "crc64": object.ossChecksum
        case "reqId": call.requestID
        // Nobody else reaches the sandbox.
        case "clientIp": Array("127.0.0.1".utf8)
        case "operation": Array(OSSUploadCallback.operation(object, call).utf8)
        default: variables.first { $0.name == name }?.value ?? []
        }
    }

    private static func operation(_ object: StoredObject, _ call: OSSSide.Call) -> String {
        if call.request.key == nil { return "PostObject" }
        return call.request.isMethod("POST") ? "CompleteMultipartUpload" : "PutObject"
    }
}
