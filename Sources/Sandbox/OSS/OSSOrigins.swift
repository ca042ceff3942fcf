import Bytes

/// What OSS tells browsers of other origins (CORS). The sandbox's buckets have the rule that a bucket for browsers needs: every origin,
/// every method, every field.
enum OSSOrigins {
    private static let methods: StaticString = "GET, PUT, POST, DELETE, HEAD"

    static func preflight(_ head: SandboxRequest) throws(OSSError) -> SandboxResponse {
        guard head.has("origin"), head.has("access-control-request-method") else {
            throw .invalidArgument("OPTIONS needs Origin and Access-Control-Request-Method.")
        }
        var response = SandboxResponse(200)
        response.add("Access-Control-Allow-Methods", methods.array)
        if let fields = head.value(of: "access-control-request-headers") {
            response.add("Access-Control-Allow-Headers", fields)
        }
        response.add("Access-Control-Max-Age", 600)
        return response
    }

    /// Lets a page of any origin read the answer.
    static func allow(_ response: inout SandboxResponse, _ head: SandboxRequest) {
        guard head.has("origin") else { return }
        response.add("Access-Control-Allow-Origin", Array("*".utf8))
        response.add(
            "Access-Control-Expose-Headers",
            Array("ETag, x-oss-request-id, x-oss-hash-crc64ecma, x-oss-next-append-position".utf8))
    }
}
