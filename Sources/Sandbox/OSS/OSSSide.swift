import Bytes
import Crypto
import HTTP

/// Alibaba's OSS at the sandbox's port: by path at `127.0.0.1:PORT/BUCKET/KEY`, by host at `BUCKET.oss.localhost:PORT/KEY`.
final class OSSSide: VendorSide {
    /// A request whose signer is known, or which its form's policy vouches for.
    struct Call {
        let request: OSSRequest
        let body: BodyReader
        let caller: OSSCaller
        /// Seconds since 1970.
        let now: Int64
        let requestID: [UInt8]
    }

    let label: StaticString = "oss"
    let store: ObjectStore
    let uploads = PartUploads()
    let accounts: OSSAccounts
    let callbacks: OSSCallbacks

    /// The buckets of the demonstration.
    private static let samples = ["demo-bucket"]

    /// - Parameter data: the sandbox's folder.
    init(_ accounts: OSSAccounts, _ callbacks: OSSCallbacks, data: String) throws(StoreFault) {
        self.accounts = accounts
        self.callbacks = callbacks
        store = try ObjectStore(.alibaba, in: data)
        for bucket in OSSSide.samples { try store.makeBucket(Array(bucket.utf8)) }
    }

    func recognises(_ request: SandboxRequest) -> Bool {
        if let authorization = request.value(of: "authorization") {
            return authorization.starts(with: "OSS ".utf8) || authorization.starts(with: "OSS4-".utf8)
        }
        if isForCallbackKey(request) { return true }
        let query = request.query
        let names = query.split(separator: UInt8(ascii: "&")).map { $0.prefix { $0 != UInt8(ascii: "=") } }
        if names.contains(where: { $0.elementsEqual("OSSAccessKeyId".utf8) || $0.starts(with: "x-oss-".utf8) }) {
            return true
        }
        if request.fields.contains(where: { Array($0.name.prefix(6)).span.equals(ignoringCase: "x-oss-") }) {
            return true
        }
        let bucket = request.path.dropFirst().prefix { $0 != UInt8(ascii: "/") }
        return store.hasBucket(Array(bucket))
    }

    func answer(
        _ head: SandboxRequest, _ body: BodyReader, at now: Int64
    ) throws(BodyReader.Fault) -> SandboxResponse {
        let requestID = OSSSide.requestID()
        var response: SandboxResponse
        do {
            response =
                try isForCallbackKey(head) ? callbackKey() : answer(OSSRequest(head), body, at: now, requestID)
        } catch let fault as BodyReader.Fault {
            guard fault != .tooLarge else { return refusal(.entityTooLarge, of: head, requestID) }
            throw fault
        } catch let error as OSSError {
            response = refusal(error, of: head, requestID)
        } catch StoreFault.exists {
            response = refusal(.exists, of: head, requestID)
        } catch {
            response = refusal(.internalError, of: head, requestID)
        }
        response.add("x-oss-request-id", requestID)
        return response
    }

    private func refusal(_ error: OSSError, of head: SandboxRequest, _ requestID: [UInt8]) -> SandboxResponse {
        let document = error.document(requestID, host: head.host)
        var response = SandboxResponse(error.status, "application/xml", document)
        // An answer to HEAD has no content.
        if head.isMethod("HEAD") { response.add("x-oss-err", Base64.standard.encode(document)) }
        return response
    }

    private func answer(
        _ request: OSSRequest, _ body: BodyReader, at now: Int64, _ requestID: [UInt8]
    ) throws -> SandboxResponse {
        // A form is signed by its fields, whatever else comes with it.
        if request.isMethod("POST"), request.key == nil, request.head.isMultipartForm {
            return try postObject(request, body, at: now, requestID)
        }
        guard let claim = try OSSClaim(request, at: now) else {
            if let bucket = request.bucket, !store.hasBucket(bucket) { throw OSSError.noSuchBucket(bucket) }
            throw OSSError.anonymous
        }
        let call = Call(
            request: request, body: body, caller: try accounts.caller(of: claim, at: now), now: now,
            requestID: requestID)
        let operation = try OSSOperation(request)
        if let bucket = request.bucket, !store.hasBucket(bucket), case .putBucket = operation {
            // It is made.
        } else if let bucket = request.bucket, !store.hasBucket(bucket) {
            throw OSSError.noSuchBucket(bucket)
        }
        try authorize(operation, call)
        return try perform(operation, call)
    }

    private func authorize(_ operation: OSSOperation, _ call: Call) throws(OSSError) {
        // Each key is looked at when they are known.
        if case .deleteObjects = operation { return }
        try call.require(operation.action, on: call.request.key)
    }

    private func perform(_ operation: OSSOperation, _ call: Call) throws -> SandboxResponse {
        switch operation {
        case .listBuckets: listBuckets(call)
        case .putBucket: try putBucket(call)
        case .bucketInfo: bucketInfo(call)
        case .bucketLocation: bucketLocation(call)
        case .listObjects: try listObjects(call)
        case .deleteObjects: try deleteObjects(call)
        case .listUploads: try listUploads(call)
        case .putObject: try putObject(call)
        case .copyObject: try copyObject(call)
        case .getObject: try getObject(call)
        case .headObject: try headObject(call)
        case .objectMeta: try objectMeta(call)
        case .deleteObject: try deleteObject(call)
        case .beginUpload: try beginUpload(call)
        case .uploadPart: try uploadPart(call)
        case .copyPart: try copyPart(call)
        case .completeUpload: try completeUpload(call)
        case .abortUpload: try abortUpload(call)
        case .listParts: try listParts(call)
        }
    }

    /// 24 hexadecimal digits, as the vendor writes them.
    private static func requestID() -> [UInt8] {
        // Not worth refusing a request for, should there be no random bytes.
        Hex.encode((try? SecureRandom.bytes(12)) ?? [UInt8](repeating: 0, count: 12)).map(\.uppercasedASCII)
    }
}

extension OSSSide.Call {
    var bucket: [UInt8] { request.bucket ?? [] }
    var key: [UInt8] { request.key ?? [] }

    func field(_ name: StaticString) -> [UInt8]? { request.head.value(of: name) }

    /// Refuses what the caller's policy does not allow.
    /// - Parameters:
    ///   - key: nil for the bucket itself.
    ///   - other: the bucket, where it is not the request's.
    func require(_ action: StaticString, on key: [UInt8]?, of other: [UInt8]? = nil) throws(OSSError) {
        var path = other ?? request.bucket ?? [UInt8(ascii: "*")]
        if let key { path += [UInt8(ascii: "/")] + key }
        var context = [
            // Nobody else reaches the sandbox.
            NameValue("acs:sourceip", "127.0.0.1"), NameValue("acs:securetransport", "false"),
            NameValue("acs:currenttime", ISO8601.write(now)),
        ]
        if let agent = field("user-agent") { context.append(NameValue("acs:useragent", agent)) }
        if action.bytes.equals("oss:ListObjects") || action.bytes.equals("oss:ListMultipartUploads") {
            context.append(NameValue("oss:prefix", request.parameter("prefix") ?? []))
            context.append(NameValue("oss:delimiter", request.parameter("delimiter") ?? []))
        }
        try caller.require(action, on: path, context)
    }
}
