import Bytes

/// The callback of an upload by token: a form, posted to the URL of the token's policy. NOS documents no signature of it.
struct NOSCallback: Sendable {
    let client: CallbackClient

    /// - Returns: what the server answered; nil where the policy asks for no callback.
    /// - Throws: the refusal that the uploader gets, although the object is there.
    func send(_ policy: NOSPutPolicy, _ object: StoredObject) throws(NOSRefusal) -> [UInt8]? {
        guard let url = policy.callbackURL else { return nil }
        do throws(CallbackClient.Failure) {
            let destination = try client.destination(url)
            let request = SandboxRequest(
                Array("POST".utf8), target: destination.target,
                fields: [
                    NameValue("Host", destination.authority),
                    NameValue("Content-Type", "application/x-www-form-urlencoded"),
                ], body: NOSCallback.body(policy, object))
            return try client.send(request, to: destination)
        } catch {
            throw .callback(error.reason)
        }
    }

    /// The policy's body with its variables replaced, each percent-encoded; those that the sandbox does not know are empty.
    static func body(_ policy: NOSPutPolicy, _ object: StoredObject) -> [UInt8] {
        var out = ByteWriter(capacity: 512)
        var rest = policy.callbackBody[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "$"), rest.first == UInt8(ascii: "("),
                let end = rest.firstIndex(of: UInt8(ascii: ")"))
            else {
                out.append(byte)
                continue
            }
            let name = Array(rest[rest.startIndex + 1..<end]).text
            rest = rest[(end + 1)...]
            switch name {
            case "Bucket": Percent.encode(policy.bucket.span, into: &out)
            case "Object": Percent.encode(policy.object.span, into: &out)
            case "ObjectSize": out.append(decimal: object.size)
            default: break
            }
        }
        return out.array
    }
}
