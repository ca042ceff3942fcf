import Bytes

/// Where a bucket's services are (`/v2/query`, `/v4/query`): all at the host and port at which the client has asked. Nobody has to sign
/// this.
struct KodoRegions {
    private static let lifetime = 86_400
    private static let region = Array("z0".utf8)
    private static let services: [StaticString] = ["io", "io_src", "up", "uc", "rs", "rsf", "api", "s3"]

    let service: KodoService

    func answer(_ request: SandboxRequest) throws -> SandboxResponse {
        let query = try KodoQuery(request.query)
        guard let accessKey = query["ak"], service.signatures.knows(accessKey), let bucket = query["bucket"],
            service.store.hasBucket(bucket)
        else { throw KodoRefusal.noBucket }
        let host = request.host
        if request.path.elementsEqual("/v2/query".utf8) { return KodoRegions.version2(host) }
        return SandboxResponse(
            200,
            json: { json in
                json.add(
                    "hosts",
                    array: { array in
                        array.add(object: { json in
                            json.add("region", KodoRegions.region)
                            json.add("ttl", KodoRegions.lifetime)
                            for name in KodoRegions.services { json.add(name, domains: host) }
                        })
                    })
                json.add("ttl", KodoRegions.lifetime)
            })
    }

    private static func version2(_ host: [UInt8]) -> SandboxResponse {
        SandboxResponse(
            200,
            json: { json in
                json.add("region", region)
                json.add("ttl", lifetime)
                json.add("io", object: { $0.add("src", object: { $0.add("main", hosts: host) }) })
                json.add(
                    "up",
                    object: { json in
                        json.add("acc", object: { $0.add("main", hosts: host) })
                        json.add("src", object: { $0.add("main", hosts: host) })
                    })
                for name in ["uc", "rs", "rsf", "api"] as [StaticString] {
                    json.add(name, object: { $0.add("acc", object: { $0.add("main", hosts: host) }) })
                }
            })
    }
}

extension JSONObject {
    fileprivate mutating func add(_ name: StaticString, domains host: [UInt8]) {
        add(name, object: { $0.add("domains", hosts: host) })
    }

    fileprivate mutating func add(_ name: StaticString, hosts host: [UInt8]) {
        add(name, array: { $0.add(host) })
    }
}
