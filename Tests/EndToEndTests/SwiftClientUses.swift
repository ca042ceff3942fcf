import CountersignClient
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The Swift client uploads to each vendor's side of a sandbox, and is refused.
struct SwiftClientUses {
    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 90)
    private static let large = png + Data(count: 2_900_000)
    private static let oversized = png + Data(count: 10_000_000)

    private let client: Countersign
    private let sandbox: URL
    /// Of the files.
    private let folder: URL

    /// - Parameters:
    ///   - service: where it listens.
    ///   - key: the caller's API key.
    ///   - sandbox: where it listens.
    ///   - folder: where files may be made.
    init(service: URL, key: String, sandbox: URL, folder: URL) {
        client = Countersign(baseURL: service, credential: .bearer(key))
        self.sandbox = sandbox
        self.folder = folder
    }

    /// How each use ends.
    func results() async throws -> [ClientUse] { try await kodo() + nos() + oss() }

    // MARK: The vendors

    private func kodo() async throws -> [ClientUse] {
        let keys = ["form", "parts", "resumed", "renewed"].map { "up/swift/\($0).png" }
        return uses(
            "Qiniu Kodo",
            [
                ("upload", try await upload(SwiftClientUses.png, to: .qiniu, keys[0])),
                ("upload in parts v2", try await upload(SwiftClientUses.large, to: .qiniu, keys[1])),
                ("upload resumed", try await resume(.qiniu, keys[2])),
                (
                    "read back",
                    try await readBack(keys.prefix(3)) { try await client.downloadURL(for: $0) }
                ),
                ("expired", try await outlive(.qiniu, keys[3])),
            ] + (try await tokenRefusals(.qiniu)))
    }

    private func nos() async throws -> [ClientUse] {
        let keys = ["whole", "pieces", "resumed", "renewed"].map { "up/swift/\($0).png" }
        return uses(
            "NetEase NOS",
            [
                ("upload", try await upload(SwiftClientUses.png, to: .nos, keys[0])),
                ("upload in parts", try await upload(SwiftClientUses.large, to: .nos, keys[1])),
                ("upload resumed", try await resume(.nos, keys[2])),
                (
                    "read back",
                    try await readBack(keys.prefix(3)) { try await client.presignedURL(for: $0, at: .nos) }
                ),
                ("expired", try await outlive(.nos, keys[3])),
            ] + (try await tokenRefusals(.nos)))
    }

    /// A PUT signs the length, which a grant with `maxSize` wants; parts are by another grant.
    private func oss() async throws -> [ClientUse] {
        let keys = ["up/swift.png", "parts/swift.png", "parts/resumed.png"]
        func put(_ content: Data, _ key: String, _ type: String = "image/png", bucket: String? = nil) async throws
            -> String
        {
            try await upload(content, to: .oss, key, type: type, bucket: bucket) { $0.signsLength = true }
        }
        return uses(
            "Alibaba Cloud OSS",
            [
                ("upload", try await put(SwiftClientUses.png, keys[0])),
                ("upload in parts", try await upload(SwiftClientUses.large, to: .oss, keys[1])),
                ("upload resumed", try await resume(.oss, keys[2])),
                ("read back", try await readBack(keys[...]) { try await client.presignedURL(for: $0) }),
                ("other bucket", try await put(SwiftClientUses.png, keys[0], bucket: "other-bucket")),
                ("other prefix", try await put(SwiftClientUses.png, "down/swift.png")),
                ("too large", try await put(SwiftClientUses.png + Data(count: 10), keys[0])),
                ("wrong type", try await put(SwiftClientUses.png, keys[0], "text/html")),
            ])
    }

    /// What uploads by token are refused for, by the service or by the vendor.
    private func tokenRefusals(_ vendor: UploadVendor) async throws -> [(String, String)] {
        let bucket = vendor == .qiniu ? "other-media" : "other-files"
        let text = Data("plain text".utf8)
        return [
            ("other bucket", try await upload(SwiftClientUses.png, to: vendor, "up/swift/a.png", bucket: bucket)),
            ("other prefix", try await upload(SwiftClientUses.png, to: vendor, "down/swift.png")),
            ("too large", try await upload(SwiftClientUses.oversized, to: vendor, "up/swift/large.png")),
            ("wrong type", try await upload(text, to: vendor, "up/swift/text.png", type: "text/html")),
        ]
    }

    private func uses(_ vendor: String, _ outcomes: [(String, String)]) -> [ClientUse] {
        outcomes.map {
            ClientUse(vendor: vendor, client: "`CountersignClient`", operation: $0.0, outcome: $0.1)
        }
    }

    // MARK: The uses

    private func options(_ type: String = "image/png", bucket: String? = nil) -> UploadOptions {
        var options = UploadOptions(contentType: type, pieceSize: 1 << 20, endpoint: sandbox)
        options.singleRequestSize = 1 << 20
        options.request.bucket = bucket
        return options
    }

    private func upload(
        _ content: Data, to vendor: UploadVendor, _ key: String, type: String = "image/png", bucket: String? = nil,
        _ change: (inout UploadOptions) -> Void = { _ in }
    ) async throws -> String {
        let file = try saved(content)
        var options = options(type, bucket: bucket)
        change(&options)
        return await outcome { try await client.upload(file, to: vendor, key: key, options: options) }
    }

    /// Cancelled behind its first piece, and gone on with from the checkpoint.
    private func resume(_ vendor: UploadVendor, _ key: String) async throws -> String {
        let file = try saved(SwiftClientUses.large)
        let options = options()
        let (checkpoints, told) = AsyncStream.makeStream(of: UploadProgress.self)
        let task = Task {
            try await client.upload(file, to: vendor, key: key, options: options) { report in
                told.yield(report)
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        if let stored = try? await task.value { return "stored at once: \(stored.key)" }
        told.finish()
        var first: UploadProgress?
        for await report in checkpoints where first == nil { first = report }
        let (reports, toldAgain) = AsyncStream.makeStream(of: UploadProgress.self)
        let checkpoint = first?.checkpoint
        let end = await outcome {
            try await client.upload(file, to: vendor, key: key, options: options, from: checkpoint) { report in
                toldAgain.yield(report)
            }
        }
        toldAgain.finish()
        var start: Int64?
        for await report in reports where start == nil { start = report.sentBytes }
        return start == first?.sentBytes ? end + ", from what was there" : end + ", from the beginning"
    }

    /// Its token ends behind the first piece.
    private func outlive(_ vendor: UploadVendor, _ key: String) async throws -> String {
        let file = try saved(SwiftClientUses.large)
        var options = options()
        options.request.lifetime = 1
        let end = await outcome {
            try await client.upload(file, to: vendor, key: key, options: options) { _ in
                Thread.sleep(forTimeInterval: 1.1)
            }
        }
        return end + ", by a renewed token"
    }

    private func readBack(
        _ keys: ArraySlice<String>, _ signed: (String) async throws -> SignedRequest
    ) async throws -> String {
        for (key, expected) in zip(keys, [SwiftClientUses.png, SwiftClientUses.large, SwiftClientUses.large]) {
            let found = try await URLSession.shared.data(from: signed(key).url).0
            guard found == expected else { return "DIFFERENT" }
        }
        return "the same"
    }

    private func outcome(_ upload: () async throws -> UploadedObject) async -> String {
        do {
            _ = try await upload()
            return "stored"
        } catch let error as UploadError {
            switch error.reason {
            case .vendor(let refusal):
                return [String(refusal.status), refusal.code, refusal.message].compactMap(\.self).joined(separator: " ")
            case .service(let error):
                guard let problem = error.problem else { return "\(error)" }
                return "\(problem.status) \(problem.code) of the service: \(problem.clause ?? problem.detail)"
            default: return "\(error.reason)"
            }
        } catch {
            return "\(error)"
        }
    }

    private func saved(_ content: Data) throws -> URL {
        let file = folder.appending(path: UUID().uuidString)
        try content.write(to: file)
        return file
    }
}
