import Foundation
import TestTraits
import Testing

@testable import CountersignClient

/// Uploads to each vendor, and what may go wrong on the way.
@Suite(.waiting) struct UploadTests {
    static let piece = 1 << 20
    static let key = "photos/ä b.bin"

    private let time = TestTime()
    private let service: FakeService
    let vendor: FakeVendor
    let client: Countersign
    var options = UploadOptions(contentType: "image/png")
    private let sent = Locked<[UploadProgress]>([])

    init() throws {
        service = try FakeService()
        vendor = try FakeVendor()
        client = service.client(time)
        options.pieceSize = UploadTests.piece
        options.singleRequestSize = UploadTests.piece
        options.endpoint = vendor.url
    }

    func upload(
        _ file: TestFile, to kind: UploadVendor, key: String? = UploadTests.key, by client: Countersign? = nil,
        from checkpoint: UploadCheckpoint? = nil, with options: UploadOptions? = nil
    ) async throws -> UploadedObject {
        let sent = sent
        let options = options ?? self.options
        return try await (client ?? self.client).upload(
            file.url, to: kind, key: key, options: options, from: checkpoint
        ) { report in sent.update { $0.append(report) } }
    }

    func expectStored(_ file: TestFile, _ key: String = UploadTests.key) throws {
        // Not in the expectation: it would print megabytes.
        let isSame = try vendor.state.value.objects[key] == file.contents
        #expect(isSame, "the vendor has other bytes than the file, or none")
    }

    // MARK: Without trouble

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss], [0, 1, piece]) func `a small file goes by one request`(
        to kind: UploadVendor, size: Int
    ) async throws {
        let file = try TestFile(size, text: true)
        let object = try await upload(file, to: kind)
        #expect(object.key == UploadTests.key && object.bucket == "media")
        try expectStored(file)
        #expect(vendor.requests.count == 1)
        #expect(sent.value.last?.fraction == 1)
    }

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss], [0, 1, piece - 1]) func `a large file goes piece by piece`(
        to kind: UploadVendor, rest: Int
    ) async throws {
        let file = try TestFile(4 * UploadTests.piece + rest)
        let object = try await upload(file, to: kind)
        try expectStored(file)
        #expect(object.answer != nil)
        let pieces = rest == 0 ? 4 : 5
        #expect(
            sent.value.map(\.sentBytes)
                == (1...pieces).map { Int64(min($0 * UploadTests.piece, 4 * UploadTests.piece + rest)) })
        // All pieces of one upload are by one token.
        let tokens = service.requests.filter { $0.path.hasSuffix("token") }
        #expect(tokens.count == (kind == .oss ? 0 : 1))
        #expect(vendor.state.value.uploads.isEmpty)
    }

    @Test func `the media type goes to OSS with every request that has a body, signed`() async throws {
        _ = try await upload(try TestFile(2 * UploadTests.piece), to: .oss)
        #expect(vendor.state.value.contentTypes == ["image/png", "image/png", "image/png", "image/png"])
        #expect(service.requests.allSatisfy { $0.form["header"] == "content-type:image/png" })
    }

    @Test func `a file of one request goes to OSS without a type, where none is to be signed`() async throws {
        var options = options
        options.contentType = nil
        _ = try await upload(try TestFile(10), to: .oss, with: options)
        #expect(vendor.state.value.contentTypes == [nil])
        #expect(service.requests.first?.form["header"] == nil)
        _ = try await upload(try TestFile(2 * UploadTests.piece), to: .oss, with: options)
        #expect(Set(vendor.state.value.contentTypes.dropFirst()) == ["application/octet-stream"])
    }

    @Test func `requests go to OSS where the service's URL says, or to the endpoint with the host of that URL`()
        async throws
    {
        let file = try TestFile(2 * UploadTests.piece)
        _ = try await upload(file, to: .oss)
        #expect(vendor.state.value.hosts == ["media.oss-cn-hangzhou.aliyuncs.com"])
        service.state.update { $0.vendor = vendor.url.absoluteString }
        var options = options
        options.endpoint = nil
        _ = try await upload(file, to: .oss, key: "b", with: options)
        try expectStored(file, "b")
    }

    @Test func `the length is signed where it is wanted, and sent once`() async throws {
        var options = options
        options.signsLength = true
        options.headers = ["x-oss-forbid-overwrite": "true"]
        let file = try TestFile(10)
        _ = try await upload(file, to: .oss, with: options)
        let body = String(decoding: try #require(service.requests.first).body, as: UTF8.self)
        #expect(body.contains("header=content-length%3A10&header=content-type%3Aimage%2Fpng&header=x-oss-forbid"))
        try expectStored(file)
    }

    // MARK: Cuts

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss]) func `three cuts in the middle of pieces lose nothing`(
        to kind: UploadVendor
    ) async throws {
        vendor.state.update { $0.cutBodies = [2, 3, 6] }
        let file = try TestFile(5 * UploadTests.piece + 7)
        _ = try await upload(file, to: kind)
        try expectStored(file)
        #expect(vendor.requests.filter { $0.hasPrefix("cut") }.count == 3 && time.waits.count == 3)
        #expect(sent.value.map(\.sentBytes) == sent.value.map(\.sentBytes).sorted())
        #expect(sent.value.count == 6)
    }

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss]) func `three lost answers lose nothing`(
        to kind: UploadVendor
    ) async throws {
        vendor.state.update { $0.lostAnswers = [1, 3, 5] }
        let file = try TestFile(5 * UploadTests.piece + 7)
        _ = try await upload(file, to: kind)
        try expectStored(file)
        #expect(time.waits.count == 3)
    }

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss]) func `an upload whose last answer is lost is done`(
        to kind: UploadVendor
    ) async throws {
        let last = kind == .nos ? 3 : 4
        vendor.state.update { $0.lostAnswers = [last] }
        let file = try TestFile(3 * UploadTests.piece)
        let object = try await upload(file, to: kind)
        #expect(object.answer == nil)
        try expectStored(file)
    }

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss]) func `a small file survives cuts, too`(to kind: UploadVendor)
        async throws
    {
        vendor.state.update { $0.cutBodies = [1, 2] }
        let file = try TestFile(5000, text: true)
        _ = try await upload(file, to: kind)
        try expectStored(file)
    }

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss])
    func `attempts are bounded, and the upload goes on later elsewhere`(
        to kind: UploadVendor
    ) async throws {
        vendor.state.update { $0.cutBodies = Set(3...20) }
        let file = try TestFile(4 * UploadTests.piece + 9)
        let error = await #expect(throws: UploadError.self) { try await upload(file, to: kind) }
        guard case .connection? = error?.reason else {
            Issue.record("\(String(describing: error)) is of no connection")
            return
        }
        #expect(error?.file == file.url && time.waits.count == 4)
        #expect(vendor.state.value.objects.isEmpty)
        let stored = try JSONEncoder().encode(try #require(error?.checkpoint))
        let checkpoint = try JSONDecoder().decode(UploadCheckpoint.self, from: stored)
        vendor.state.update {
            $0.requests = []
            $0.cutBodies = []
        }
        // Another process: nothing is kept.
        _ = try await upload(file, to: kind, by: service.client(), from: checkpoint)
        try expectStored(file)
        let bodies = vendor.requests.filter { $0.hasPrefix("PUT") || kind == .nos && $0.hasPrefix("POST") }
        #expect(bodies.count == 3, "what the vendor has is not sent again: \(bodies)")
    }

    // MARK: Credentials

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss]) func `a credential may end twice on the way`(
        to kind: UploadVendor
    ) async throws {
        vendor.state.update { $0.ends = [2, 4] }
        let file = try TestFile(5 * UploadTests.piece + 7)
        _ = try await upload(file, to: kind)
        try expectStored(file)
        #expect(time.waits.isEmpty)
        if kind != .oss { #expect(service.requests.count == 3) }
    }

    @Test(arguments: [UploadVendor.qiniu, .nos]) func `a token is renewed before it ends`(to kind: UploadVendor)
        async throws
    {
        let time = time
        vendor.state.update { $0.afterRequest = { _ in time.pass(.seconds(200)) } }
        let file = try TestFile(5 * UploadTests.piece)
        _ = try await upload(file, to: kind)
        try expectStored(file)
        #expect(service.requests.count == 2 || service.requests.count == 3)
        #expect(vendor.state.value.usedCredentials.count >= 2)
    }

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss]) func `a credential that is refused twice in a row is refused`(
        to kind: UploadVendor
    ) async throws {
        let refusal = Reply(
            status: 403, fields: ["X-Reqid": "v-1", "x-oss-request-id": "v-1", "x-nos-request-id": "v-1"],
            body: Data("<Error><Code>AccessDenied</Code><Message>no</Message></Error>".utf8))
        vendor.state.update { $0.refusals = [refusal, refusal] }
        let error = await #expect(throws: UploadError.self) { try await upload(try TestFile(10), to: kind) }
        guard case .vendor(let said)? = error?.reason else {
            Issue.record("\(String(describing: error)) is not the vendor's")
            return
        }
        #expect(
            said == VendorRefusal(status: 403, code: "AccessDenied", message: "no", requestId: "v-1", retryAfter: nil))
        #expect(vendor.requests.count == 2)
    }

    @Test func `what the service refuses is told with its clause, and the file is kept`() async throws {
        service.state.update { $0.refusals = [FakeService.refusal("not_in_grant", status: 403, clause: "keyPrefix")] }
        let file = try TestFile(10)
        let error = await #expect(throws: UploadError.self) { try await upload(file, to: .qiniu) }
        guard case .service(.notInGrant(let problem))? = error?.reason else {
            Issue.record("\(String(describing: error)) is not the service's")
            return
        }
        #expect(problem.clause == "keyPrefix" && vendor.requests.isEmpty)
        #expect(try file.contents.count == 10)
    }

    @Test(arguments: [UploadVendor.qiniu, .nos]) func `a key that the service chose stays that of the upload`(
        to kind: UploadVendor
    ) async throws {
        service.state.update { $0.ownKey = "avatars/#.jpg" }
        let file = try TestFile(3 * UploadTests.piece)
        let object = try await upload(file, to: kind, key: nil)
        #expect(object.key == "avatars/1.jpg")
        try expectStored(file, object.key)
    }

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss]) func `a key that the service chose is asked for by its name`(
        to kind: UploadVendor
    ) async throws {
        service.state.update { $0.ownKey = "avatars/#.jpg" }
        vendor.state.update { $0.ends = [2] }
        let file = try TestFile(3 * UploadTests.piece)
        #expect(try await upload(file, to: kind, key: nil).key == "avatars/1.jpg")
        try expectStored(file, "avatars/1.jpg")
        let asked = service.requests.map { $0.form["key"] ?? $0.form["object"] }
        #expect(asked.count > 1 && asked.first == .some(nil))
        #expect(asked.dropFirst().allSatisfy { $0 == "avatars/1.jpg" })
    }

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss])
    func `where that key may not be asked for, the upload ends with its credential and says why`(
        to kind: UploadVendor
    ) async throws {
        service.state.update {
            $0.ownKey = "avatars/#.jpg"
            $0.admitsKeys = false
        }
        vendor.state.update { $0.ends = [2] }
        let file = try TestFile(3 * UploadTests.piece)
        let error = await #expect(throws: UploadError.self) { try await upload(file, to: kind, key: nil) }
        guard case .unrenewableKey? = error?.reason else {
            Issue.record("\(String(describing: error)) is not of the key")
            return
        }
        guard kind != .oss else { return }
        // From its checkpoint it begins anew, under another key.
        let number = service.requests.count + 2
        let object = try await upload(file, to: kind, key: nil, from: try #require(error?.checkpoint))
        #expect(object.key == "avatars/\(number).jpg")
        try expectStored(file, object.key)
    }

    @Test func `a token for such a key is used to its end`() async throws {
        service.state.update {
            $0.ownKey = "avatars/#.jpg"
            $0.admitsKeys = false
        }
        let time = time
        // Of 600 seconds, 115 with each request: it would be renewed before the last one.
        vendor.state.update { $0.afterRequest = { _ in time.pass(.seconds(115)) } }
        let file = try TestFile(3 * UploadTests.piece)
        _ = try await upload(file, to: .qiniu, key: nil)
        try expectStored(file, "avatars/1.jpg")
        #expect(service.requests.count == 2)
    }

    @Test func `a token for a prefix needs a key`() async throws {
        let error = await #expect(throws: UploadError.self) { try await upload(try TestFile(10), to: .qiniu, key: nil) }
        guard case .missingKey? = error?.reason else {
            Issue.record("\(String(describing: error)) is not of the key")
            return
        }
    }

    // MARK: The vendor's answers

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss])
    func `what the vendor refuses for the moment is sent again after Retry-After`(
        to kind: UploadVendor
    ) async throws {
        vendor.state.update {
            $0.refusals = [Reply(status: 503, fields: ["Retry-After": "9"]), Reply(status: 500)]
        }
        let file = try TestFile(2 * UploadTests.piece)
        _ = try await upload(file, to: kind)
        try expectStored(file)
        #expect(time.waits.count == 2 && time.waits.first == .seconds(9))
    }

    @Test func `a refusal of Kodo has its status and its words`() async throws {
        vendor.state.update {
            $0.refusals = [.json("{\"error\":\"file exists\"}", status: 614, fields: ["X-Reqid": "q"])]
        }
        let error = await #expect(throws: UploadError.self) { try await upload(try TestFile(10), to: .qiniu) }
        guard case .vendor(let said)? = error?.reason else {
            Issue.record("\(String(describing: error)) is not the vendor's")
            return
        }
        #expect(said == VendorRefusal(status: 614, code: nil, message: "file exists", requestId: "q", retryAfter: nil))
        #expect(time.waits.isEmpty)
    }

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss]) func `an upload that the vendor has forgotten begins anew, once`(
        to kind: UploadVendor
    ) async throws {
        let state = vendor.state
        let forgotten = Locked(0)
        vendor.state.update {
            $0.afterRequest = { number in
                // Behind the second piece, once.
                guard number == 2,
                    forgotten.update({
                        $0 += 1; return $0
                    }) == 1
                else { return }
                state.update { $0.uploads = [:] }
            }
        }
        let file = try TestFile(4 * UploadTests.piece)
        _ = try await upload(file, to: kind)
        try expectStored(file)
        #expect(vendor.state.value.madeUploads == 2)
    }

    @Test func `an upload that is given up leaves no parts`() async throws {
        for kind in [UploadVendor.qiniu, .oss] {
            vendor.state.update { $0.cutBodies = Set(($0.bodies + 2)...($0.bodies + 20)) }
            let error = await #expect(throws: UploadError.self) {
                try await upload(try TestFile(3 * UploadTests.piece), to: kind)
            }
            #expect(vendor.state.value.uploads.count == 1)
            vendor.state.update { $0.cutBodies = [] }
            try await client.abandonUpload(try #require(error?.checkpoint), options: options)
            #expect(vendor.state.value.uploads.isEmpty)
        }
    }

    // MARK: The file

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss]) func `a file that changes meanwhile is not completed`(
        to kind: UploadVendor
    ) async throws {
        let file = try TestFile(3 * UploadTests.piece)
        let url = file.url
        vendor.state.update {
            $0.afterRequest = { number in
                guard number == 2, let handle = try? FileHandle(forWritingTo: url) else { return }
                _ = try? handle.seekToEnd()
                try? handle.write(contentsOf: [1])
                try? handle.close()
            }
        }
        let error = await #expect(throws: UploadError.self) { try await upload(file, to: kind) }
        guard case .changedFile? = error?.reason else {
            Issue.record("\(String(describing: error)) is not of the file")
            return
        }
        #expect(vendor.state.value.objects.isEmpty)
    }

    @Test func `a checkpoint of another file is not used`() async throws {
        vendor.state.update { $0.cutBodies = Set(2...20) }
        let error = await #expect(throws: UploadError.self) {
            try await upload(try TestFile(3 * UploadTests.piece), to: .qiniu)
        }
        vendor.state.update { $0.cutBodies = [] }
        let other = try TestFile(4 * UploadTests.piece)
        _ = try await upload(other, to: .qiniu, from: error?.checkpoint)
        try expectStored(other)
    }

    @Test func `a file that is not there, or is a folder, is told as such`() async throws {
        for path in ["/nowhere/a.jpg", NSTemporaryDirectory()] {
            let error = await #expect(throws: UploadError.self) {
                try await client.upload(URL(filePath: path), to: .qiniu, key: "a", options: options)
            }
            guard case .unreadableFile? = error?.reason else {
                Issue.record("\(String(describing: error)) is not of the file")
                return
            }
        }
        #expect(service.requests.isEmpty)
    }

    @Test(arguments: [UploadVendor.qiniu, .nos, .oss])
    func `a cancelled upload stops, and goes on from its last checkpoint`(
        to kind: UploadVendor
    ) async throws {
        let file = try TestFile(4 * UploadTests.piece)
        let started = DispatchSemaphore(value: 0)
        let gate = DispatchSemaphore(value: 0)
        vendor.state.update {
            $0.afterRequest = { number in
                guard number == 3 else { return }
                started.signal()
                gate.wait()
            }
        }
        let task = Task { try await upload(file, to: kind) }
        await withCheckedContinuation { continuation in
            Thread {
                started.wait()
                continuation.resume()
            }.start()
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        gate.signal()
        vendor.state.update { $0.afterRequest = nil }
        _ = try await upload(file, to: kind, from: try #require(sent.value.last?.checkpoint))
        try expectStored(file)
        #expect(vendor.state.value.madeUploads == 1)
    }
}
