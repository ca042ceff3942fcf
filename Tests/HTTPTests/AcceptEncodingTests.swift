import Testing

@testable import HTTP

@Suite struct AcceptEncodingTests {
    private func prefersGzip(_ field: String) -> Bool { AcceptEncoding.prefersGzip(Array(field.utf8).span) }

    @Test(arguments: [
        "gzip", "GZIP", "x-gzip", "deflate, gzip", "gzip;q=1.0", "gzip; q=0.001", "*", "*;q=0.5", "br, *",
        "gzip;q=0.8, identity;q=0.5", "identity, gzip", "gzip;q=0.5,*;q=0", "\tgzip ,br",
    ])
    func `gzip is used where it is wanted at least as much as nothing`(field: String) { #expect(prefersGzip(field)) }

    @Test(arguments: [
        "", "identity", "gzip;q=0", "gzip;q=0.000", "*;q=0", "deflate", "br", "gzip;q=0, *", "gzip;q=0.5, identity",
        "gzip;q=2", "gzip;q=", "gzip;q=x", "gzip;q=0.12345", "gzip;level=9", "agzip", "gzipp", "gzip;q=-1", ",", ";",
        "*;",
    ])
    func `else it is not`(field: String) { #expect(!prefersGzip(field)) }
}
