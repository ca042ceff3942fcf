import Testing

@testable import Bytes
@testable import Configuration
@testable import Gateway
@testable import TestSamples

@Suite struct HostRuleTests {
    private func admits(_ authority: String, listening address: String, hosts: [String] = []) throws -> Bool {
        let listed = hosts.map { "\"\($0)\"" }.joined(separator: ",")
        let configuration = try SampleConfiguration.configuration(
            server: "listen: \"\(address)\", plaintext: true, hosts: [\(listed)]")
        let rule = HostRule(configuration.server, listener: try #require(configuration.server.listen.first))
        return rule.admits(Array(authority.utf8).span)
    }

    @Test(arguments: ["localhost", "localhost:8080", "LOCALHOST", "127.0.0.1", "127.0.0.1:1"])
    func `R1: a loopback listener answers to its own names`(authority: String) throws {
        #expect(try admits(authority, listening: "127.0.0.1:8080"))
    }

    @Test(arguments: [
        "evil.example.com", "127.0.0.1.evil.example.com", "localhost.evil.example.com", "evil.example.com:8080",
        "127.0.0.2",
        "", ":8080", "localhost:", "[::1]", "localhos", "127.0.0.1:80:80",
    ])
    func `R1: a loopback listener answers to no other name`(authority: String) throws {
        if authority == "localhost:" {
            // An empty port is the default port (RFC 3986 section 3.2.3).
            #expect(try admits(authority, listening: "127.0.0.1:8080"))
        } else {
            #expect(try !admits(authority, listening: "127.0.0.1:8080"))
        }
    }

    @Test func `R1: server.hosts adds names, and a star switches the check off`() throws {
        #expect(try admits("tokens.example.com:443", listening: "127.0.0.1:8080", hosts: ["Tokens.Example.com"]))
        #expect(try admits("evil.example.com", listening: "127.0.0.1:8080", hosts: ["*"]))
        #expect(try admits("[::1]:8080", listening: "[::1]:8080"))
    }

    @Test func `R1: the admin listener is asked by names of its own on loopback, by any address elsewhere`() throws {
        func admits(_ authority: String, listening address: String, hosts: String) throws -> Bool {
            let configuration = try SampleConfiguration.configuration(
                server: "listen: '\(address)', plaintext: true, hosts: [\(hosts)]")
            let listener = try #require(configuration.server.listen.first)
            return HostRule(configuration.server, listener: listener, isAdmin: true).admits(Array(authority.utf8).span)
        }
        #expect(try admits("localhost:1", listening: "127.0.0.1:1", hosts: ""))
        #expect(try !admits("10.0.0.1:1", listening: "127.0.0.1:1", hosts: ""))
        for authority in ["10.0.0.1:1", "10.0.0.1", "[2001:db8::1]:1", "[::1]", "a.example.com"] {
            #expect(try admits(authority, listening: "0.0.0.0:1", hosts: "'a.example.com'"), "\(authority)")
        }
        for authority in ["b.example.com", "10.0.0.1.nip.io", "10.0.0", "2001:db8::1", "", "[::1", "[10.0.0.1]"] {
            #expect(try !admits(authority, listening: "0.0.0.0:1", hosts: "'a.example.com'"), "\(authority)")
        }
        #expect(try admits("whatever", listening: "0.0.0.0:1", hosts: ""))
    }

    @Test func `R1: any other listener answers to all names, or to those listed`() throws {
        #expect(try admits("whatever", listening: "0.0.0.0:8080"))
        #expect(try admits("a.example.com", listening: "0.0.0.0:8080", hosts: ["a.example.com"]))
        #expect(try !admits("b.example.com", listening: "0.0.0.0:8080", hosts: ["a.example.com"]))
        // No web page reaches a Unix socket; what has it is a proxy, which asks by names of its own.
        #expect(try admits("whatever", listening: "unix:/run/c.sock"))
        #expect(try admits("a.example.com", listening: "unix:/run/c.sock", hosts: ["a.example.com"]))
        #expect(try !admits("localhost", listening: "unix:/run/c.sock", hosts: ["a.example.com"]))
    }
}
