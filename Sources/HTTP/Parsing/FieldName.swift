import Bytes

/// The request fields that anything in the service looks at; all others are checked for form and skipped.
@usableFromInline
package enum FieldName: Int, CaseIterable, Sendable {
    case host, connection, contentLength, contentType, transferEncoding, expect
    case accept, acceptEncoding, traceparent, authorization, apiKey, origin, fetchSite, requestID
    case accessControlRequestMethod, forwardedFor, forwardedProto, forwarded

    static func of(_ name: Span<UInt8>) -> FieldName? {
        switch name.count {
        case 4: name.equals(ignoringCase: "host") ? .host : nil
        case 6:
            name.equals(ignoringCase: "accept")
                ? .accept
                : name.equals(ignoringCase: "expect") ? .expect : name.equals(ignoringCase: "origin") ? .origin : nil
        case 9:
            name.equals(ignoringCase: "x-api-key")
                ? .apiKey : name.equals(ignoringCase: "forwarded") ? .forwarded : nil
        case 10: name.equals(ignoringCase: "connection") ? .connection : nil
        case 11: name.equals(ignoringCase: "traceparent") ? .traceparent : nil
        case 12:
            name.equals(ignoringCase: "content-type")
                ? .contentType : name.equals(ignoringCase: "x-request-id") ? .requestID : nil
        case 13: name.equals(ignoringCase: "authorization") ? .authorization : nil
        case 14:
            name.equals(ignoringCase: "content-length")
                ? .contentLength : name.equals(ignoringCase: "sec-fetch-site") ? .fetchSite : nil
        case 15:
            name.equals(ignoringCase: "accept-encoding")
                ? .acceptEncoding : name.equals(ignoringCase: "x-forwarded-for") ? .forwardedFor : nil
        case 17:
            name.equals(ignoringCase: "transfer-encoding")
                ? .transferEncoding : name.equals(ignoringCase: "x-forwarded-proto") ? .forwardedProto : nil
        case 29: name.equals(ignoringCase: "access-control-request-method") ? .accessControlRequestMethod : nil
        default: nil
        }
    }
}
