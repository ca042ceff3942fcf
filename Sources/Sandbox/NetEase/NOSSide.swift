import Bytes
import Crypto
import Net

/// NetEase NOS at the sandbox's port: the servers of buckets (`nos.localhost`, `BUCKET.nos.localhost`), those for uploads by token, and
/// LBS, which tells apps where the latter are.
final class NOSSide: VendorSide {
    /// The bucket of the demonstration.
    private static let sampleBucket = Array("demo-files".utf8)
    /// Bytes of a document that names objects to be deleted.
    private static let longestDocument = 2 << 20

    let label: StaticString = "nos"
    private let accounts: VendorAccounts
    private let store: ObjectStore
    private let uploads = PartUploads()
    private let contexts = PartUploads()
    private let callbacks: NOSCallback

    /// - Parameters:
    ///   - callers: the account's key pairs.
    ///   - callbackHosts: where callbacks may go.
    ///   - data: the sandbox's folder.
    init(_ callers: [SandboxCaller], callbackHosts: [HostPort], data: String) throws(StoreFault) {
        accounts = VendorAccounts(callers)
        store = try ObjectStore(.netease, in: data)
        callbacks = NOSCallback(client: CallbackClient(hosts: callbackHosts))
        try store.makeBucket(NOSSide.sampleBucket)
    }

    func recognises(_ request: SandboxRequest) -> Bool {
        request.value(of: "authorization")?.starts(with: "NOS ".utf8) ?? false || NOSSide.isUpload(request)
            || NOSSide.isLBS(request) || NOSSide.hasParameter("NOSAccessKeyId", request)
    }

    func answer(
        _ request: SandboxRequest, _ body: BodyReader, at now: Int64
    ) throws(BodyReader.Fault) -> SandboxResponse {
        let requestID = (try? SecureRandom.bytes(16)).map(Hex.encode) ?? []
        var response: SandboxResponse
        do {
            response = try answer(request, body, requestID, at: now)
        } catch let fault as BodyReader.Fault where fault != .tooLarge {
            throw fault
        } catch {
            let refusal = NOSSide.refusal(for: error)
            // What apps ask, by token or for the servers; the rest is XML, as S3 has it.
            let isApps = NOSSide.isUpload(request) || NOSSide.isLBS(request)
            response =
                isApps
                ? refusal.json(requestID: requestID) : refusal.xml(resource: request.path, requestID: requestID)
        }
        response.add("x-nos-request-id", requestID)
        return response
    }

    private func answer(
        _ request: SandboxRequest, _ body: BodyReader, _ requestID: [UInt8], at now: Int64
    ) throws -> SandboxResponse {
        let target = try NOSTarget(request)
        if NOSSide.isLBS(request) { return try tellServers(request, target) }
        if NOSSide.isUpload(request) {
            let uploads = NOSDirectUploads(accounts: accounts, store: store, contexts: contexts, callbacks: callbacks)
            return try uploads.answer(request, target, body, requestID, at: now)
        }
        try NOSSignature(request, target, at: now).verify(request, target, by: accounts)
        let buckets = NOSBuckets(store: store)
        guard let bucket = target.bucket else { return try buckets.answer(request) }
        if let name = NOSSide.missing.first(where: { name in target.parameters.contains { $0.name == name } }) {
            throw NOSRefusal.notImplemented(name.text)
        }
        let parts = NOSParts(store: store, uploads: uploads)
        guard let key = target.key else {
            if target.has("delete"), request.isMethod("POST") {
                return try buckets.delete(try body.readAll(atMost: NOSSide.longestDocument), from: bucket)
            }
            if target.has("uploads"), request.isMethod("GET"), store.hasBucket(bucket) {
                return try parts.list(target, in: bucket)
            }
            return try buckets.answer(request, target, of: bucket)
        }
        guard store.hasBucket(bucket) else { throw NOSRefusal.noSuchBucket }
        if target.has("uploads") || target.has("uploadId") {
            return try parts.answer(request, target, of: key, in: bucket, body, at: now)
        }
        return try NOSObjects(store: store).answer(request, target, of: key, in: bucket, body, at: now)
    }

    /// Parameters by which NOS does something that the sandbox does not.
    private static let missing: [[UInt8]] = [
        "acl", "location", "versioning", "versions", "versionId", "deduplication", "crop", "resize", "lifecycle",
        "website",
        "imageView", "imageInfo", "vframe", "vinfo",
    ].map { Array($0.utf8) }

    // MARK: LBS

    /// Tells an app where to upload to: here.
    private func tellServers(_ request: SandboxRequest, _ target: NOSTarget) throws(NOSRefusal) -> SandboxResponse {
        guard request.isMethod("GET") else { throw .methodNotAllowed }
        guard target.value("version")?.elementsEqual("1.0".utf8) ?? false, let bucket = target.value("bucketname")
        else {
            throw .malformed("version=1.0 and bucketname are needed")
        }
        guard store.hasBucket(bucket) else { throw .noSuchBucket }
        let server = Array("http://".utf8) + request.host
        guard UTF8Text.isWellFormed(server.span) else { throw .unreadable }
        var out = ByteWriter(capacity: 256)
        out.append(object: { json in
            json.add("lbs", server + Array("/lbs".utf8))
            json.add("upload", array: { $0.add(server) })
        })
        return SandboxResponse(200, "application/json; charset=utf-8", out.array)
    }

    // MARK: Telling requests

    private static func isLBS(_ request: SandboxRequest) -> Bool {
        request.path.elementsEqual("/lbs".utf8)
            && (hasParameter("bucketname", request) || hasParameter("version", request))
    }

    /// Whether it is an upload by token, also one that has forgotten the token.
    private static func isUpload(_ request: SandboxRequest) -> Bool {
        request.has("x-nos-token")
            || !request.has("authorization")
                && (hasParameter("uploadContext", request)
                    || hasParameter("offset", request) && hasParameter("complete", request))
    }

    private static func hasParameter(_ name: StaticString, _ request: SandboxRequest) -> Bool {
        request.query.split(separator: UInt8(ascii: "&")).contains { pair in
            Array(pair.prefix { $0 != UInt8(ascii: "=") }).span.equals(name)
        }
    }

    private static func refusal(for error: any Error) -> NOSRefusal {
        switch error {
        case let refusal as NOSRefusal: refusal
        case let fault as StoreFault: NOSRefusal(fault)
        case is BodyReader.Fault: .tooLarge
        default: NOSRefusal(500, "InternalError", "The sandbox cannot go on: \(error)")
        }
    }
}
