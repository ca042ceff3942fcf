import Testing

@testable import HTTP

@Suite struct FieldNameTests {
    private static let names: [(FieldName, String)] = [
        (.host, "Host"), (.connection, "Connection"), (.contentLength, "Content-Length"),
        (.contentType, "Content-Type"), (.expect, "Expect"), (.accept, "Accept"),
        (.acceptEncoding, "Accept-Encoding"), (.traceparent, "traceparent"), (.authorization, "Authorization"),
        (.apiKey, "X-API-Key"), (.origin, "Origin"), (.fetchSite, "Sec-Fetch-Site"), (.requestID, "X-Request-Id"),
        (.accessControlRequestMethod, "Access-Control-Request-Method"), (.forwardedFor, "X-Forwarded-For"),
        (.forwardedProto, "X-Forwarded-Proto"), (.forwarded, "Forwarded"),
    ]

    @Test func `every field that is looked at has its range in a head`() throws {
        // Transfer-Encoding does not stand beside Content-Length.
        #expect(Set(FieldNameTests.names.map(\.0)).union([.transferEncoding]) == Set(FieldName.allCases))
        for (field, name) in FieldNameTests.names {
            let value = field == .contentLength ? "0" : field == .expect ? "100-continue" : "close"
            let host = field == .host ? "" : "Host: h\r\n"
            let bytes = Array("GET / HTTP/1.1\r\n\(host)\(name): \(value)\r\n\r\n".utf8)
            let head = try #require(try RequestParser(limits: Limits()).parse(bytes.span))
            let range = try #require(head.value(of: field), "\(name)")
            #expect(bytes[range].elementsEqual(value.utf8), "\(name)")
        }
    }
}
