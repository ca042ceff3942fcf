import Foundation

@testable import CountersignClient

/// A vendor that takes uploads: as much of Kodo, NOS and OSS as a client of theirs needs. It cuts connections and ends credentials
/// when a test says so.
final class FakeVendor: Sendable {
    struct State {
        var objects: [String: Data] = [:]
        /// Uploads in parts, by their names.
        var uploads: [String: [Int: Data]] = [:]
        var requests: [String] = []
        var contentTypes: [String?] = []
        var hosts: Set<String?> = []
        /// Which requests with a body lose their connection in the middle of it, counted from 1.
        var cutBodies: Set<Int> = []
        /// Which of them are done, and lose the answer.
        var lostAnswers: Set<Int> = []
        /// Behind which of them all credentials that were used so far end.
        var ends: Set<Int> = []
        /// What is answered instead, one after the other.
        var refusals: [Reply] = []
        var bodies = 0
        var usedCredentials: Set<String> = []
        var endedCredentials: Set<String> = []
        /// How many requests came with one of them.
        var refusedCredentials = 0
        var madeUploads = 0
        var afterRequest: (@Sendable (Int) -> Void)?
    }

    let state = Locked(State())
    private let server: Locked<LoopbackServer?> = Locked(nil)
    var url: URL { server.value?.url ?? URL(filePath: "/") }
    var requests: [String] { state.value.requests }

    init() throws {
        let state = state
        let server = try LoopbackServer(
            cutting: { request in
                guard request.fields["content-length"].flatMap({ Int($0) }) ?? 0 > 0 else { return nil }
                return state.update { state in
                    guard state.cutBodies.contains(state.bodies + 1) else { return nil }
                    state.bodies += 1
                    state.requests.append("cut " + FakeVendor.line(request))
                    return 1000
                }
            }, { FakeVendor.answer($0, state) })
        self.server.update { $0 = server }
    }

    private static func line(_ request: ReceivedRequest) -> String {
        request.method + " " + request.path + (request.query["partNumber"].map { "?partNumber=" + $0 } ?? "")
    }

    private static func answer(_ request: ReceivedRequest, _ state: Locked<State>) -> Reply {
        let (reply, after) = state.update { state -> (Reply, (@Sendable () -> Void)?) in
            let hasBody = !request.body.isEmpty
            if hasBody { state.bodies += 1 }
            let number = state.bodies
            let after = state.afterRequest.map { after in { @Sendable in after(number) } }
            state.requests.append(line(request))
            state.contentTypes.append(request.fields["content-type"])
            state.hosts.insert(request.fields["host"])
            if !state.refusals.isEmpty { return (state.refusals.removeFirst(), after) }
            let credential = credential(of: request)
            if state.endedCredentials.contains(credential) {
                state.refusedCredentials += 1
                return (expired(request), after)
            }
            state.usedCredentials.insert(credential)
            let reply = route(request, &state)
            guard hasBody else { return (reply, after) }
            if state.ends.contains(number) { state.endedCredentials = state.usedCredentials }
            return (state.lostAnswers.contains(number) ? .cut : reply, after)
        }
        after?()
        return reply
    }

    private static func credential(of request: ReceivedRequest) -> String {
        request.fields["authorization"] ?? request.fields["x-nos-token"] ?? request.query["signature"]
            ?? request.query["x-oss-signature"] ?? formField("token", request) ?? ""
    }

    private static func expired(_ request: ReceivedRequest) -> Reply {
        if isSigned(request) {
            return Reply(
                status: 403,
                body: Data(
                    "<Error><Code>AccessDenied</Code><Message>Request has expired.</Message></Error>".utf8))
        }
        return request.fields["x-nos-token"] == nil
            ? .json("{\"error\":\"expired token\"}", status: 401)
            : .json("{\"errCode\":\"Forbidden\",\"errMsg\":\"token expired\"}", status: 403)
    }

    /// Whether it is a presigned request to OSS.
    private static func isSigned(_ request: ReceivedRequest) -> Bool {
        request.query["signature"] != nil || request.query["x-oss-signature"] != nil
    }

    private static func route(_ request: ReceivedRequest, _ state: inout State) -> Reply {
        if isSigned(request) { return oss(request, &state) }
        if request.fields["x-nos-token"] != nil { return nos(request, &state) }
        return kodo(request, &state)
    }

    private static func joined(_ parts: [Int: Data]) -> Data {
        parts.sorted { $0.key < $1.key }.reduce(into: Data()) { $0 += $1.value }
    }

    // MARK: Kodo

    private static func kodo(_ request: ReceivedRequest, _ state: inout State) -> Reply {
        let words = request.path.split(separator: "/").map(String.init)
        guard words.count >= 5, words[0] == "buckets", words[4] == "uploads" else {
            guard let key = formField("key", request), let file = formField("file", request) else {
                return .json("{\"error\":\"bad form\"}", status: 400)
            }
            state.objects[key] = Data(file.utf8)
            return .json("{\"hash\":\"h\",\"key\":\"\(key)\"}")
        }
        let encoded = words[3].replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        let key = String(decoding: Data(base64Encoded: encoded) ?? Data(), as: UTF8.self)
        if words.count == 5 {
            state.madeUploads += 1
            state.uploads["u\(state.madeUploads)"] = [:]
            return .json("{\"uploadId\":\"u\(state.madeUploads)\",\"expireAt\":1}")
        }
        guard let parts = state.uploads[words[5]] else { return .json("{\"error\":\"no such uploadId\"}", status: 612) }
        switch (request.method, words.count) {
        case ("PUT", 7):
            let number = Int(words[6]) ?? 0
            state.uploads[words[5]]?[number] = request.body
            return .json("{\"etag\":\"e\(number)\",\"md5\":\"m\"}")
        case ("GET", _):
            let list = parts.sorted { $0.key < $1.key }.map {
                "{\"partNumber\":\($0.key),\"etag\":\"e\($0.key)\",\"size\":\($0.value.count)}"
            }
            return .json("{\"uploadId\":\"x\",\"partNumberMarker\":0,\"parts\":[\(list.joined(separator: ","))]}")
        case ("POST", _):
            let named = String(decoding: request.body, as: UTF8.self).matches(of: #/"partNumber":(\d+)/#).count
            guard named == parts.count else { return .json("{\"error\":\"invalid parts\"}", status: 400) }
            state.objects[key] = joined(parts)
            state.uploads[words[5]] = nil
            return .json("{\"hash\":\"h\",\"key\":\"\(key)\"}")
        default:
            state.uploads[words[5]] = nil
            return .json("{}")
        }
    }

    /// The value of a form's field.
    private static func formField(_ name: String, _ request: ReceivedRequest) -> String? {
        guard let type = request.fields["content-type"], type.hasPrefix("multipart/form-data; boundary=") else {
            return nil
        }
        let boundary = type.dropFirst("multipart/form-data; boundary=".count)
        let text = String(decoding: request.body, as: UTF8.self)
        guard let start = text.range(of: "name=\"\(name)\""),
            let head = text.range(of: "\r\n\r\n", range: start.upperBound..<text.endIndex),
            let end = text.range(of: "\r\n--\(boundary)", range: head.upperBound..<text.endIndex)
        else { return nil }
        return String(text[head.upperBound..<end.lowerBound])
    }

    // MARK: NOS

    private static func nos(_ request: ReceivedRequest, _ state: inout State) -> Reply {
        let query = request.query
        let key = String(request.path.split(separator: "/").last ?? "").removingPercentEncoding ?? ""
        let context = query["context"].map { String($0.prefix { $0 != "." }) }
        if let context, state.uploads[context] == nil {
            return .json("{\"errCode\":\"NoSuchContext\",\"errMsg\":\"context not exist\"}", status: 404)
        }
        let held = context.flatMap { state.uploads[$0]?[1] } ?? Data()
        if request.method == "GET" { return .json("{\"requestID\":\"n\",\"offset\":\(held.count)}") }
        guard query["offset"] == String(held.count), request.body.count <= 4 << 20 else {
            return .json("{\"errCode\":\"BadOffset\",\"errMsg\":\"offset\"}", status: 400)
        }
        let all = held + request.body
        if query["complete"] == "true" {
            if let context { state.uploads[context] = nil }
            state.objects[key] = all
            return .json("{\"requestID\":\"n\",\"offset\":\(all.count),\"context\":\"\"}")
        }
        state.madeUploads += context == nil ? 1 : 0
        let name = context ?? "c\(state.madeUploads)"
        state.uploads[name] = [1: all]
        // Each piece has another context, as NOS gives them.
        return .json("{\"requestID\":\"n\",\"offset\":\(all.count),\"context\":\"\(name).\(all.count)==\"}")
    }

    // MARK: OSS

    private static func oss(_ request: ReceivedRequest, _ state: inout State) -> Reply {
        let query = request.query
        let key = String(request.path.dropFirst()).removingPercentEncoding ?? ""
        let names = request.target.drop { $0 != "?" }.dropFirst().split(separator: "&")
        if request.method == "POST", names.contains("uploads") || names.contains("uploads=") {
            state.madeUploads += 1
            state.uploads["o&\(state.madeUploads)"] = [:]
            return xml(
                "<InitiateMultipartUploadResult><UploadId>o&amp;\(state.madeUploads)</UploadId></InitiateMultipartUploadResult>"
            )
        }
        guard let name = query["uploadId"] else {
            state.objects[key] = request.body
            return Reply(fields: ["ETag": "\"e\""])
        }
        guard let parts = state.uploads[name] else {
            return xml(
                "<Error><Code>NoSuchUpload</Code><Message>m</Message><RequestId>q</RequestId></Error>", status: 404)
        }
        switch request.method {
        case "PUT":
            let number = Int(query["partNumber"] ?? "") ?? 0
            state.uploads[name]?[number] = request.body
            return Reply(fields: ["ETag": "\"e\(number)\""])
        case "GET":
            let list = parts.sorted { $0.key < $1.key }.map {
                "<Part><PartNumber>\($0.key)</PartNumber><ETag>&quot;e\($0.key)&quot;</ETag><Size>\($0.value.count)</Size></Part>"
            }
            return xml("<ListPartsResult>\(list.joined())<IsTruncated>false</IsTruncated></ListPartsResult>")
        case "POST":
            let text = String(decoding: request.body, as: UTF8.self)
            let wanted = parts.keys.sorted().allSatisfy {
                text.contains("<PartNumber>\($0)</PartNumber><ETag>&quot;e\($0)&quot;</ETag>")
            }
            guard wanted else { return xml("<Error><Code>InvalidPart</Code></Error>", status: 400) }
            state.objects[key] = joined(parts)
            state.uploads[name] = nil
            return xml("<CompleteMultipartUploadResult/>")
        default:
            state.uploads[name] = nil
            return Reply(status: 204)
        }
    }

    private static func xml(_ text: String, status: Int = 200) -> Reply {
        Reply(status: status, body: Data(("<?xml version=\"1.0\"?>" + text).utf8))
    }
}
