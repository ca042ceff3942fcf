import Bytes
import Crypto

/// Uploads in parts, version 2: `/buckets/<bucket>/objects/<key>/uploads/<identifier>/<number>`.
struct KodoPartUpload {
    private static let lifetime: Int64 = 7 * 86_400
    private static let mostParts: Int64 = 10_000
    private static let largestPart = 1 << 30
    /// All parts but the last have so many bytes.
    private static let smallestPart = 1 << 20
    private static let longestBody = 4 << 20

    let service: KodoService
    let token: KodoUploadToken
    /// As the path says it; `~` where the object is named at the end.
    private let name: [UInt8]
    private let key: [UInt8]?

    /// - Parameter segments: of the path, from `buckets` on.
    init(_ service: KodoService, _ request: SandboxRequest, _ segments: [[UInt8]], _ time: KodoTime) throws {
        self.service = service
        token = try service.signatures.policy(of: request)
        try token.policy.checkDeadline(at: time.now())
        guard segments[1] == token.policy.bucket else { throw KodoRefusal.otherBucket }
        guard service.store.hasBucket(segments[1]) else { throw KodoRefusal.noBucket }
        name = segments[3]
        key = name.elementsEqual("~".utf8) ? nil : try KodoEntry.decode(name)
        if let key, !token.policy.forcesSaveKey { try token.policy.check(key: key) }
    }

    func answer(
        _ request: SandboxRequest, _ segments: [[UInt8]], _ body: BodyReader, _ time: KodoTime
    ) throws -> SandboxResponse {
        if segments.count == 5 {
            guard request.isMethod("POST") else { throw KodoRefusal.otherMethod }
            return try begin(time)
        }
        let id = segments[5]
        guard let upload = service.uploads.upload(id, of: name, in: token.policy.bucket),
            upload.time + KodoPartUpload.lifetime > time.now()
        else { throw KodoRefusal.noUpload }
        if segments.count == 7 {
            guard request.isMethod("PUT") else { throw KodoRefusal.otherMethod }
            return try take(segments[6], of: id, request, body, time)
        }
        switch request.method.text {
        case "GET": return try list(id, upload, request)
        case "POST": return try complete(id, upload, body, time)
        case "DELETE":
            service.uploads.end(id)
            return SandboxResponse(200, "application/json", Array("{}".utf8))
        default: throw KodoRefusal.otherMethod
        }
    }

    private func begin(_ time: KodoTime) throws -> SandboxResponse {
        let now = time.now()
        let id = try service.uploads.begin(
            PartUpload(
                bucket: token.policy.bucket, key: name,
                description: ObjectDescription(hash: [], mediaType: KodoMediaType.unknown), time: now))
        return SandboxResponse(
            200,
            json: { json in
                json.add("uploadId", id)
                json.add("expireAt", now + KodoPartUpload.lifetime)
            })
    }

    private func take(
        _ number: [UInt8], of id: [UInt8], _ request: SandboxRequest, _ body: BodyReader, _ time: KodoTime
    ) throws -> SandboxResponse {
        guard let number = Decimal.parse(number.span, maximum: KodoPartUpload.mostParts), number > 0 else {
            throw KodoRefusal.invalid("partNumber")
        }
        let content = try KodoContent(in: service.store, hasMD5: true)
        try content.append(body, atMost: KodoPartUpload.largestPart)
        guard content.size > 0 else { throw KodoRefusal.invalid("part: it is empty") }
        let md5 = try content.md5Text()
        if let wanted = request.value(of: "content-md5"), !wanted.isEmpty {
            guard wanted.map(\.lowercasedASCII) == md5 else { throw KodoRefusal(400, "content md5 does not match") }
        }
        let part = try content.part(at: time.now())
        guard service.uploads.add(part, number: Int(number), to: id) else { throw KodoRefusal.noUpload }
        return SandboxResponse(
            200,
            json: { json in
                json.add("etag", part.hash)
                json.add("md5", md5)
            })
    }

    private func list(_ id: [UInt8], _ upload: PartUpload, _ request: SandboxRequest) throws -> SandboxResponse {
        let items = try KodoQuery(request.query)
        let most = try items.number("max-parts", in: 1...1000) ?? 1000
        let after = try items.number("part-number_marker", in: 0...KodoPartUpload.mostParts) ?? 0
        let numbers = upload.parts.keys.sorted().filter { $0 > Int(after) }
        let told = numbers.prefix(Int(most))
        return SandboxResponse(
            200,
            json: { json in
                json.add("uploadId", id)
                json.add("expireAt", upload.time + KodoPartUpload.lifetime)
                json.add("partNumberMarker", numbers.count > told.count ? told.last ?? 0 : 0)
                json.add(
                    "parts",
                    array: { array in
                        for number in told {
                            guard let part = upload.parts[number] else { continue }
                            array.add(object: { json in
                                json.add("size", part.size)
                                json.add("etag", part.hash)
                                json.add("partNumber", number)
                                json.add("putTime", part.time)
                            })
                        }
                    })
            })
    }

    private func complete(
        _ id: [UInt8], _ upload: PartUpload, _ body: BodyReader, _ time: KodoTime
    ) throws -> SandboxResponse {
        let text = try body.readAll(atMost: KodoPartUpload.longestBody)
        guard let json = try? JSONReader.read(text, as: .json) else { throw KodoRefusal.invalid("argument: no JSON") }
        let parts = try KodoPartUpload.parts(json, of: upload)
        var size = 0
        for part in parts { size += part.size }
        try token.policy.check(size: size, isWhole: true)
        let claim = try claim(json)
        let content = try KodoContent(in: service.store)
        try content.append(parts)
        let answer = try service.finish(content, claim, token, time).answer(isForm: false)
        service.uploads.end(id)
        return answer
    }

    /// The parts that the client names, in ascending order, each by the etag that it got.
    private static func parts(_ json: JSONValue, of upload: PartUpload) throws -> [UploadedPart] {
        guard case .array(let named)? = json["parts"]?.content, !named.isEmpty else {
            throw KodoRefusal.invalid("parts")
        }
        var last = 0
        var parts: [UploadedPart] = []
        for value in named {
            guard let number = value["partNumber"]?.integer.flatMap(Int.init(exactly:)), number > last,
                let part = upload.parts[number], value["etag"]?.text == part.hash
            else { throw KodoRefusal.invalid("parts") }
            last = number
            parts.append(part)
        }
        guard parts.dropLast().allSatisfy({ $0.size >= smallestPart }) else {
            throw KodoRefusal(400, "data size too small: parts but the last have at least 1 MiB")
        }
        return parts
    }

    private func claim(_ json: JSONValue) throws -> KodoUploadClaim {
        var claim = KodoUploadClaim(key: key)
        claim.fileName = json["fname"]?.text ?? []
        claim.mediaType = json["mimeType"]?.text
        for name in ["customVars", "metadata"] {
            guard case .object(let members)? = json[name]?.content else { continue }
            for member in members {
                guard let value = member.value.text, try claim.add(member.name, value) else {
                    throw KodoRefusal.invalid(name)
                }
            }
        }
        return claim
    }
}
