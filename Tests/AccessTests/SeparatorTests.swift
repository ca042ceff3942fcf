import TestTraits
import Testing

@testable import Access
@testable import Bytes

/// Several values of the caller's in one path segment (R14).
@Suite struct SeparatorTests {
    /// What the template becomes, or the value that is refused because it holds a mark.
    private enum Rendering: Equatable {
        case text(String)
        case refused(String)
        case other
    }

    private func render(
        _ template: KeyTemplate, id: String = "app", subject: [UInt8], claims: [(String, [UInt8])] = [],
        asking key: [UInt8]? = nil
    ) -> Rendering {
        let caller = Caller(
            Principal(.jwt, id: Array(id.utf8), subject: subject), index: 1,
            claims: CallerClaims(claims.map { (Array($0.0.utf8), .single(.text($0.1))) }))
        var rendered = ByteWriter()
        switch template.render(
            for: caller, asking: key?.span, by: Fixture.nonce, at: Fixture.instant, into: &rendered)
        {
        case nil: return .text(rendered.bytes.text)
        case .separator(let name)?: return .refused(name.text)
        default: return .other
        }
    }

    @Test func `an avatar has the caller's name and the extension that it asks for`() throws {
        let template = try KeyTemplate(Array("avatars/${caller.id}.${ext}".utf8))
        #expect(render(template, subject: Array("42".utf8), asking: Array("png".utf8)) == .text("avatars/42.png"))
        #expect(render(template, subject: Array("a.b".utf8), asking: Array("c".utf8)) == .refused("caller.id"))
    }

    @Test(arguments: [
        ("${claims.a}.${claims.b}", "a.b", "c", "claims.a"), ("${claims.a}.${claims.b}", "a", "b.c", "claims.b"),
        ("${claims.a}-${claims.b}", "a-", "c", "claims.a"), ("x_${claims.a}_${claims.b}", "a_b", "c", "claims.a"),
    ])
    func `a value that holds the mark is refused, and named`(
        template: String, first: String, second: String, name: String
    ) throws {
        let template = try KeyTemplate(Array(template.utf8))
        let claims = [("a", Array(first.utf8)), ("b", Array(second.utf8))]
        #expect(render(template, subject: [97], claims: claims) == .refused(name))
    }

    @Test func `a mark that no name holds refuses nobody`() throws {
        let template = try KeyTemplate(Array("${claims.a}-,.${claims.b}/${claims.a}".utf8))
        let claims = [("a", Array("x.y-z".utf8)), ("b", Array("1.2-3".utf8))]
        #expect(render(template, subject: [97], claims: claims) == .text("x.y-z-,.1.2-3/x.y-z"))
    }

    @Test func `a value that stands alone in its segment may hold the mark of another`() throws {
        let template = try KeyTemplate(Array("${claims.a}/${claims.b}.${ext}".utf8))
        let claims = [("a", Array("x.y".utf8)), ("b", Array("z".utf8))]
        #expect(render(template, subject: [97], claims: claims, asking: Array("png".utf8)) == .text("x.y/z.png"))
    }

    /// Of two, three and four values, with and without others between them.
    private static let templates = [
        "${claims.a}.${claims.b}", "${claims.a}-${uuid}-${claims.b}", "a-${claims.a}-x.${claims.b}-${caller.id}/",
        "${claims.a}_${sha256:claims.b}.${ext}", "${date.dd}.${claims.a}..${claims.b}", "${claims.a}a-a${claims.b}-",
        "u/${caller.source}.${claims.a}~${claims.b}/x-${caller.id}@${ext}",
        "${claims.a}${uuid}-${claims.b}.${claims.a}",
        "${claims.a},${claims.b}", "${claims.a}.${date.yyyy}${claims.b}",
    ]

    @Test(arguments: templates) func `of random lists of values no two different ones have one rendering`(
        text: String
    ) throws {
        let template = try KeyTemplate(Array(text.utf8))
        var generator = SplitMix64(seed: 23)
        // Few letters, and all marks, so that lists collide if they can.
        let alphabet = Array("ab2.-_~@,/".utf8)
        func random(_ length: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: length, using: &generator)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
        }
        var known: [String: [[UInt8]]] = [:]
        for _ in 0..<Rounds.share(of: 20_000) {
            let values = [random(1...3), random(1...3), random(1...2)]
            let ext = [["a", "b", "aa", "2"].randomElement(using: &generator) ?? "a"].flatMap { Array($0.utf8) }
            let id = ["a", "b", "a-b", "a.b"].randomElement(using: &generator) ?? "a"
            let rendering = render(
                template, id: id, subject: values[2], claims: [("a", values[0]), ("b", values[1])],
                asking: ext)
            guard case .text(let key) = rendering else { continue }
            let used = [
                text.contains("claims.a") ? values[0] : [], text.contains("claims.b") ? values[1] : [],
                text.contains("caller.id") ? values[2] : [], text.contains("${ext}") ? ext : [],
                text.contains("caller.source") ? Array(id.utf8) : [],
            ]
            #expect(known.updateValue(used, forKey: key) ?? used == used, "\(key)")
        }
        #expect(known.count > 100)
    }
}
