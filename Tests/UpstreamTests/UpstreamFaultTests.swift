import Testing

@testable import Upstream

@Suite struct UpstreamFaultTests {
    /// Status, code, what it means.
    static let answers: [(Int, String, UpstreamFault)] = [
        (400, "Throttling", .throttled), (400, "Throttling.User", .throttled), (429, "", .throttled),
        (503, "Throttling.Api", .throttled), (400, "ThrottlingException", .throttled),
        (503, "ServiceUnavailable", .unavailable), (400, "ServiceUnavailable", .unavailable),
        (500, "InternalError", .unavailable), (200, "InternalError.Something", .unavailable), (500, "", .unavailable),
        (502, "SomethingNew", .unavailable), (599, "", .unavailable), (403, "NoPermission", .refused),
        (500, "NoPermission", .refused), (429, "NoPermission", .refused), (404, "EntityNotExist.Role", .refused),
        (400, "InvalidParameter.PolicyGrammar", .refused), (400, "MissingSecurityToken", .refused),
        (404, "InvalidAccessKeyId.NotFound", .refused), (403, "InvalidAccessKeyId.Inactive", .refused),
        (400, "SignatureDoesNotMatch", .refused), (500, "SignatureDoesNotMatch", .refused),
        (400, "SignatureNonceUsed", .refused), (403, "InvalidSecurityToken.Expired", .refused),
        (400, "InvalidTimeStamp.Expired", .clockOff), (400, "", .refused), (404, "SomethingNew", .refused),
        (403, "throttling", .refused), (301, "", .malformed), (302, "", .malformed), (200, "", .malformed),
        (0, "", .malformed), (-1, ".", .refused), (600, "", .refused),
        (408, "", .unavailable), (408, "SomethingNew", .unavailable), (408, "NoPermission", .refused),
        (429, "SomethingNew", .throttled), (400, "SomethingNew", .refused), (400, "InternalError", .unavailable),
        (400, "MissingParameter.RoleArn", .refused),
    ]

    @Test(arguments: answers)
    func `an error is judged by its code before its status`(status: Int, code: String, fault: UpstreamFault) {
        let bytes = Array(code.utf8)
        let judged = UpstreamFault(status: status, code: bytes.span)
        #expect(judged == fault)
    }

    @Test(
        arguments: [
            "NoPermission", "Forbidden", "Forbidden.RAM", "AuthenticationFail", "AuthenticationFail.NoPermission",
            "EntityNotExist.Role", "InvalidParameter", "MissingParameter", "InvalidAccessKeyId.NotFound",
            "InvalidSecurityToken.Malformed", "MissingSecurityToken", "SignatureDoesNotMatch", "SignatureNonceUsed",
        ], [200, 302, 400, 403, 408, 429, 500, 503, 599])
    func `what the vendor will not do is refused under whatever status, and not tried again`(code: String, status: Int)
    {
        let bytes = Array(code.utf8)
        let judged = UpstreamFault(status: status, code: bytes.span)
        #expect(judged == .refused && !judged.isRetried)
    }
}
