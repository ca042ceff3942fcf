import Bytes
import Crypto
import Net

/// Qiniu's Kodo at the sandbox's port: regions, uploads, management and downloads, told apart by method and path.
final class QiniuSide: VendorSide {
    /// The bucket of the demonstration, which is there from the start, and which downloads are from where the host names none.
    static let sampleBucket = Array("demo-media".utf8)

    let label: StaticString = "qiniu"
    private let service: KodoService

    init(_ service: KodoService) throws {
        self.service = service
        try service.store.makeBucket(QiniuSide.sampleBucket)
    }

    /// By the scheme of its signature, by a path of Kodo's that nobody signs, or by a form that is posted to no bucket.
    func recognises(_ request: SandboxRequest) -> Bool {
        if let authorization = request.value(of: "authorization") {
            return ["UpToken ", "Qiniu ", "QBox "].contains { authorization.starts(with: $0.utf8) }
        }
        if QiniuSide.isDownload(request) { return true }
        let segments = QiniuSide.segments(request.path)
        switch (request.method.text, segments[0].text) {
        case ("GET", "v2"), ("GET", "v4"): return QiniuSide.isQuery(segments)
        case ("POST", ""): return request.isMultipartForm
        default: return false
        }
    }

    func answer(
        _ request: SandboxRequest, _ body: BodyReader, at now: Int64
    ) throws(BodyReader.Fault) -> SandboxResponse {
        var response: SandboxResponse
        do { response = try answer(request, body, service.time(of: now)) } catch {
            guard let refusal = KodoRefusal(error) else { throw .interrupted }
            response = refusal.response
        }
        // Clients take an answer without it for another server's.
        response.add("X-Reqid", (try? SecureRandom.alphanumerics(16)) ?? Array("AAAAAAAAAAAAAAAA".utf8))
        response.add("X-Log", Array("X-Log".utf8))
        return response
    }

    private func answer(
        _ request: SandboxRequest, _ body: BodyReader, _ time: KodoTime
    ) throws -> SandboxResponse {
        let segments = QiniuSide.segments(request.path)
        let isPost = request.isMethod("POST")
        switch segments[0].text {
        case "" where isPost: return try KodoForm(service: service).answer(request, body, time)
        case "v2", "v4":
            if request.isMethod("GET"), QiniuSide.isQuery(segments) {
                return try KodoRegions(service: service).answer(request)
            }
        case "mkblk" where isPost && segments.count == 2:
            return try KodoBlockUpload(service, request, time).makeBlock(segments[1], request, body)
        case "bput" where isPost && segments.count == 3:
            return try KodoBlockUpload(service, request, time).putChunk(segments[1], segments[2], request, body)
        case "mkfile" where isPost && segments.count >= 2:
            return try KodoBlockUpload(service, request, time).makeFile(Array(segments.dropFirst()), body)
        case "buckets" where QiniuSide.isPartedUpload(segments):
            return try KodoPartUpload(service, request, segments, time).answer(request, segments, body, time)
        case let name where KodoManagement.names.contains(name) && !QiniuSide.isDownload(request):
            return try KodoManagement(service: service).answer(request, segments, body, time)
        default: break
        }
        guard request.isMethod("GET") || request.isMethod("HEAD") else { throw KodoRefusal.unknownRoute }
        return try KodoDownload(service: service, standardBucket: QiniuSide.sampleBucket).answer(request, time)
    }

    // MARK: Paths

    /// At least one.
    private static func segments(_ path: [UInt8]) -> [[UInt8]] {
        path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map(Array.init)
    }

    private static func isQuery(_ segments: [[UInt8]]) -> Bool {
        segments.count == 2 && segments[1].elementsEqual("query".utf8)
    }

    private static func isPartedUpload(_ segments: [[UInt8]]) -> Bool {
        (5...7).contains(segments.count) && segments[2].elementsEqual("objects".utf8)
            && segments[4].elementsEqual("uploads".utf8)
    }

    /// Whether it is a download URL that somebody has signed.
    private static func isDownload(_ request: SandboxRequest) -> Bool {
        guard request.isMethod("GET") || request.isMethod("HEAD"), !request.has("authorization") else { return false }
        let items = request.query.split(separator: UInt8(ascii: "&"))
        return items.contains { $0.starts(with: "e=".utf8) } && items.contains { $0.starts(with: "token=".utf8) }
    }
}
