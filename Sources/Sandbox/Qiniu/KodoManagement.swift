import Bytes

/// What the holder of a key pair does with objects and buckets: stat, delete, list, buckets, mkbucket.
struct KodoManagement {
    private static let longestBody = 64 * 1024
    private static let mostListed: Int64 = 1000

    let service: KodoService

    /// The first segments of the paths that are answered here.
    static let names = ["stat", "delete", "list", "buckets", "mkbucket", "mkbucketv2", "mkbucketv3", "bucket"]

    /// - Parameter segments: of the path.
    func answer(
        _ received: SandboxRequest, _ segments: [[UInt8]], _ body: BodyReader, _ time: KodoTime
    ) throws -> SandboxResponse {
        var request = received
        request.body = try body.readAll(atMost: KodoManagement.longestBody)
        try service.signatures.checkManagement(request, at: time.now())
        let isPost = request.isMethod("POST")
        guard isPost || request.isMethod("GET") else { throw KodoRefusal.otherMethod }
        switch (segments[0].text, segments.count) {
        case ("stat", 2): return try stat(try KodoEntry(segments[1]))
        case ("list", 1): return try list(request)
        case ("buckets", 1): return buckets()
        case ("delete", 2) where isPost: return try delete(try KodoEntry(segments[1]))
        case ("mkbucket", 2...), ("mkbucketv2", 2...), ("mkbucketv3", 2...):
            guard isPost else { throw KodoRefusal.otherMethod }
            // Version 2 has the name in base64.
            return try make(
                segments[0].elementsEqual("mkbucketv2".utf8) ? try KodoEntry.decode(segments[1]) : segments[1])
        case ("bucket", 2): return try bucket(segments[1])
        case ("delete", 2): throw KodoRefusal.otherMethod
        default: throw KodoRefusal.unknownRoute
        }
    }

    // MARK: Objects

    private func stat(_ entry: KodoEntry) throws -> SandboxResponse {
        guard service.store.hasBucket(entry.bucket) else { throw KodoRefusal.noBucket }
        guard let key = entry.key, let object = service.store.object(key, in: entry.bucket) else {
            throw KodoRefusal.noObject
        }
        return SandboxResponse(200, json: { $0.add(object) })
    }

    private func delete(_ entry: KodoEntry) throws -> SandboxResponse {
        guard let key = entry.key, try service.store.remove(key, from: entry.bucket) else {
            throw KodoRefusal.noObject
        }
        return SandboxResponse(200, "application/json", Array("{}".utf8))
    }

    private func list(_ request: SandboxRequest) throws -> SandboxResponse {
        // A POST may have them in its form.
        let query = try KodoQuery(request.query.isEmpty && request.isForm ? request.body : request.query)
        let limit = try query.number("limit", in: 0...KodoManagement.mostListed) ?? 0
        var wanted = ListRequest(limit: Int(limit > 0 ? limit : KodoManagement.mostListed))
        wanted.prefix = query["prefix"] ?? []
        wanted.delimiter = query["delimiter"] ?? []
        if let marker = query["marker"], !marker.isEmpty { wanted.after = try KodoManagement.name(of: marker) }
        let listing = try service.store.list(wanted, in: query["bucket"] ?? [])
        return SandboxResponse(
            200,
            json: { json in
                if let next = listing.next { json.add("marker", KodoManagement.marker(next)) }
                if !listing.commonPrefixes.isEmpty {
                    json.add(
                        "commonPrefixes", array: { array in for prefix in listing.commonPrefixes { array.add(prefix) } }
                    )
                }
                json.add(
                    "items",
                    array: { array in
                        for object in listing.objects {
                            array.add(object: { json in
                                json.add("key", object.key)
                                json.add(object)
                            })
                        }
                    })
            })
    }

    /// What a listing goes on with, as Kodo writes it: `{"c":0,"k":"<key>"}` in base64.
    private static func marker(_ name: [UInt8]) -> [UInt8] {
        var out = ByteWriter()
        out.append(object: { json in
            json.add("c", 0)
            json.add("k", name)
        })
        return Base64.urlSafe.encode(out.array)
    }

    private static func name(of marker: [UInt8]) throws -> [UInt8] {
        guard let text = Base64.urlSafe.decode(marker.span), let json = try? JSONReader.read(text, as: .json),
            let name = json["k"]?.text
        else { throw KodoRefusal.wrongMarker }
        return name
    }

    // MARK: Buckets

    private func buckets() -> SandboxResponse {
        var out = ByteWriter()
        out.append(array: { array in for name in service.store.bucketNames { array.add(name) } })
        return SandboxResponse(200, "application/json", out.array)
    }

    private func bucket(_ name: [UInt8]) throws -> SandboxResponse {
        guard service.store.hasBucket(name) else { throw KodoRefusal.noBucket }
        return SandboxResponse(
            200,
            json: { json in
                json.add("region", "z0")
                json.add("private", 1)
            })
    }

    private func make(_ name: [UInt8]) throws -> SandboxResponse {
        guard ObjectStore.isBucketName(name) else { throw KodoRefusal.invalid("bucket name") }
        guard !service.store.hasBucket(name) else { throw KodoRefusal.bucketExists }
        try service.store.makeBucket(name)
        return SandboxResponse(200, "application/json", Array("{}".utf8))
    }
}

extension JSONObject {
    /// What Kodo tells of an object.
    fileprivate mutating func add(_ object: StoredObject) {
        func value(_ name: String) -> [UInt8]? { object.metadata.first { $0.name.elementsEqual(name.utf8) }?.value }
        add("hash", object.hash)
        add("fsize", object.size)
        add("mimeType", object.mediaType)
        // In units of 100 nanoseconds.
        let (ticks, isTooLarge) = object.time.multipliedReportingOverflow(by: 10_000_000)
        add("putTime", isTooLarge ? 0 : ticks)
        add("type", value("type").flatMap { Decimal.parse($0.span) } ?? 0)
        add("status", 0)
        if let endUser = value("endUser") { add("endUser", endUser) }
        if let end = value("expiration").flatMap({ Decimal.parse($0.span) }) { add("expiration", end) }
        let own = object.metadata.filter { $0.name.starts(with: "x-qn-meta-".utf8) }
        guard !own.isEmpty else { return }
        add(
            "x-qn-meta",
            object: { json in
                for field in own { json.add(named: Array(field.name.dropFirst("x-qn-meta-".utf8.count)), field.value) }
            })
    }
}
