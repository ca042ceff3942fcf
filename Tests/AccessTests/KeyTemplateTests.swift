import TestTraits
import Testing

@testable import Access
@testable import Bytes

@Suite struct KeyTemplateTests {
    private func render(_ template: String, id: String = "android", asking key: String? = nil) throws -> String? {
        let template = try KeyTemplate(Array(template.utf8))
        let principal = Principal(.apiKey, id: Array(id.utf8), subject: Array(id.utf8))
        var rendered = ByteWriter()
        let asked = Array((key ?? "").utf8)
        let fault = template.render(
            for: Caller(principal, index: 1), asking: key == nil ? nil : asked.span, by: Fixture.nonce,
            at: Fixture.instant,
            into: &rendered)
        return fault == nil ? rendered.bytes.text : nil
    }

    @Test func `R14: every placeholder is filled in`() throws {
        #expect(try render("a/${caller.id}/${caller.source}/b") == "a/android/apiKey-android/b")
        #expect(try render("${date.yyyy}/${date.mm}/${date.dd}/") == "2026/11/20/")
        #expect(try render("${uuid}") == "abababab-abab-4bab-abab-abababababab")
        #expect(try render("x.${ext}", asking: "jpeg") == "x.jpeg")
        #expect(try render("plain/") == "plain/")
    }

    @Test(arguments: [
        "$", "$(a)", "${", "${}", "${caller}", "${caller.id", "${Caller.id}", "${ caller.id}", "${claims.}",
        "${claims}", "${sha256:claims.}", "${sha256:caller.id}", "${sha1:claims.sub}", "${env.X}", "a$b",
    ])
    func `R14: a placeholder that is not known is refused`(template: String) {
        #expect(throws: KeyTemplate.Fault.self) { try KeyTemplate(Array(template.utf8)) }
    }

    @Test(arguments: [
        "${caller.id}${caller.source}", "${caller.id}${ext}", "${caller.id}x7${ext}", "a/${caller.id}${uuid}${ext}",
        "${caller.id}-${caller.source}", "${caller.source}-${ext}", "a-${caller.id}${ext}",
        "${caller.id}.${ext}${caller.id}",
    ])
    func `R14: values of a segment that nothing tells apart are refused`(template: String) {
        #expect(throws: KeyTemplate.Fault.self) { try KeyTemplate(Array(template.utf8)) }
    }

    @Test func `a template knows whether it is another for every request`() throws {
        #expect(try KeyTemplate(Array("a/${uuid}".utf8)).usesUUID)
        #expect(try !KeyTemplate(Array("a/${caller.id}/${date.dd}".utf8)).usesUUID)
    }

    @Test(arguments: ["", ".", "..", ".a", "a/b", "a b", "中", "a\u{0}", String(repeating: "a", count: 129)])
    func `R14: a name that may not stand in a key denies`(id: String) throws {
        #expect(try render("u/${caller.id}/", id: id) == nil)
    }

    @Test(arguments: ["a", "A-Z_0.9@x+y=z~", "-a", "a..b", String(repeating: "a", count: 128)])
    func `R14: a plain name is rendered as it is`(id: String) throws {
        #expect(try render("u/${caller.id}/", id: id) == "u/\(id)/")
    }

    @Test func `R14: distinct callers never render the same prefix`() throws {
        var generator = SplitMix64(seed: 7)
        let alphabet = Array("abAB019._@+=~-/ ".utf8)
        var renderings: [String: String] = [:]
        for _ in 0..<10_000 {
            let id = String(
                decoding: (0..<Int.random(in: 1...4, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator) ?? 0
                }, as: UTF8.self)
            guard let rendered = try render("u/${caller.id}/x/${caller.source}/", id: id) else { continue }
            #expect(renderings.updateValue(id, forKey: rendered) ?? id == id, "\(rendered)")
            #expect(
                rendered.utf8.count { $0 == UInt8(ascii: "/") } == 4, "a name never leaves its segment: \(rendered)")
        }
        #expect(renderings.count > 1000)
    }
}

/// Claims of tokens in templates.
@Suite struct ClaimTemplateTests {
    private func render(
        _ template: KeyTemplate, id: String, subject: [UInt8], _ claims: [(name: [UInt8], value: CallerClaims.Value)]
    ) -> String? {
        let principal = Principal(.jwt, id: Array(id.utf8), subject: subject)
        var rendered = ByteWriter()
        let caller = Caller(principal, index: 1, claims: CallerClaims(claims))
        return template.render(for: caller, asking: nil, by: Fixture.nonce, at: Fixture.instant, into: &rendered) == nil
            ? rendered.bytes.text : nil
    }

    @Test func `R14: no rendering is longer than the longest`() throws {
        let text =
            "a/${caller.id}/${caller.source}/${claims.c}/${sha256:claims.c}/${uuid}/${date.yyyy}${date.mm}${date.dd}/"
        let template = try KeyTemplate(Array(text.utf8))
        let name = [UInt8](repeating: UInt8(ascii: "n"), count: 128)
        let id = String(repeating: "i", count: 128)
        let rendered = try #require(render(template, id: id, subject: name, [(Array("c".utf8), .single(.text(name)))]))
        // `jwt` is shorter than the longest kind's name.
        #expect(template.longest.count - rendered.utf8.count == Principal.Kind.longestName - "jwt".utf8.count)
        let longer = render(template, id: id, subject: name + [97], [(Array("c".utf8), .single(.text(name)))])
        #expect(longer == nil)
    }

    @Test func `R14: of 10,000 random tuples of claims no two different ones render the same prefix`() throws {
        var generator = SplitMix64(seed: 11)
        let alphabet = Array("ab01._@-/$ \u{e9}".utf8)
        func random() -> [UInt8] {
            (0..<Int.random(in: 0...3, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
        }
        let template = try KeyTemplate(Array("${caller.source}/${claims.t}/x-${claims.u}/${sha256:claims.sub}/".utf8))
        #expect(template.claimNames.map(\.text) == ["t", "u", "sub"])
        var renderings: [String: [[UInt8]]] = [:]
        for _ in 0..<10_000 {
            let values = [random(), random(), random()]
            let id = ["one", "two"].randomElement(using: &generator) ?? ""
            let claims = zip(["t", "u", "sub"], values).map { (Array($0.utf8), CallerClaims.Value.single(.text($1))) }
            guard let rendered = render(template, id: id, subject: values[2], claims) else { continue }
            let tuple = [Array(id.utf8)] + values
            #expect(renderings.updateValue(tuple, forKey: rendered) ?? tuple == tuple, "\(rendered)")
            #expect(rendered.utf8.count { $0 == UInt8(ascii: "/") } == 4, "a claim leaves its segment: \(rendered)")
        }
        #expect(renderings.count > 400)
    }

    @Test func `R9: the same name from two issuers and as an API key stays apart`() throws {
        let template = try KeyTemplate(Array("${caller.source}/${caller.id}/".utf8))
        let name = Array("app".utf8)
        var prefixes: Set<String> = []
        for principal in [
            Principal(.jwt, id: Array("one".utf8), subject: name),
            Principal(.jwt, id: Array("two".utf8), subject: name),
            Principal(.apiKey, id: name, subject: name),
        ] {
            var rendered = ByteWriter()
            let fault = template.render(
                for: Caller(principal, index: 1), asking: nil, by: Fixture.nonce, at: Fixture.instant, into: &rendered)
            #expect(fault == nil)
            prefixes.insert(rendered.bytes.text)
        }
        #expect(prefixes == ["jwt-one/app/", "jwt-two/app/", "apiKey-app/app/"])
    }

    @Test(arguments: [
        "${claims.a}${claims.b}", "${claims.a}${sha256:claims.b}", "${caller.id}a${claims.a}",
        "${claims.a}${date.dd}${ext}",
    ])
    func `R14: claims of a segment that nothing tells apart are refused`(template: String) {
        #expect(throws: KeyTemplate.Fault.self) { try KeyTemplate(Array(template.utf8)) }
    }
}
