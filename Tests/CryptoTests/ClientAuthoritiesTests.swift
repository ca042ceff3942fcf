import Bytes
import TestKeys
import Testing

@testable import Crypto

@Suite("Client certificates that were accepted before")
struct ClientAuthoritiesTests {
    private static let now: Int64 = 1_800_000_000

    private static func authorities(_ certificates: String..., lists: String...) throws -> ClientAuthorities {
        let text = lists.joined(separator: "\n")
        return try ClientAuthorities(
            Array(certificates.joined(separator: "\n").utf8), revocations: lists.isEmpty ? nil : Array(text.utf8))
    }

    private static func proof(of text: String, by authorities: ClientAuthorities) throws -> [UInt8] {
        let certificate = try #require(PEM.certificates(Array(text.utf8).span)?.first)
        return unsafe authorities.proof(of: certificate.handle)
    }

    @Test func `the same authorities and lists accept it until the lists end`() throws {
        let authorities = try Self.authorities(Authorities.root, lists: Authorities.revokesOther)
        let proof = try Self.proof(of: Authorities.direct, by: authorities)
        #expect(authorities.accept(proof, at: Self.now))
        let end = try #require(authorities.revocationsEnd)
        #expect(authorities.accept(proof, at: end - 1) && !authorities.accept(proof, at: end))
    }

    @Test func `other lists are asked for it anew`() throws {
        let before = try Self.authorities(Authorities.root, lists: Authorities.revokesOther)
        let proof = try Self.proof(of: Authorities.direct, by: before)
        let newer = try Self.authorities(Authorities.root, lists: Authorities.revokesMid)
        #expect(newer.accept(proof, at: Self.now))
        #expect(!newer.accept(proof, at: try #require(newer.revocationsEnd)), "they have ended")
        let revoking = try Self.authorities(Authorities.root, lists: Authorities.revokesDirect)
        #expect(!revoking.accept(proof, at: Self.now))
        let without = try Self.authorities(Authorities.root)
        #expect(without.accept(proof, at: Self.now))
        #expect(!revoking.accept(try Self.proof(of: Authorities.direct, by: without), at: Self.now))
    }

    @Test func `what else their files hold changes nothing`() throws {
        let before = try Self.authorities(Authorities.root, lists: Authorities.revokesOther)
        let proof = try Self.proof(of: Authorities.direct, by: before)
        let same = try Self.authorities(
            "# An authority.\n" + Authorities.root, lists: "# Its list.\n" + Authorities.revokesOther)
        let other = try Self.authorities(Authorities.root, lists: Authorities.revokesMid)
        #expect(same.accept(proof, at: Self.now) && same.accepts(theSameAs: before))
        #expect(same.accept(before.proof, at: Self.now) && !other.accept(before.proof, at: Self.now))
        #expect(!other.accepts(theSameAs: before))
    }

    @Test func `an authority above it that is revoked ends it, too`() throws {
        let lists = [Authorities.revokesOther, Authorities.listOfMid]
        let before = try Self.authorities(Authorities.root, Authorities.mid, lists: lists[0], lists[1])
        let proof = try Self.proof(of: Authorities.below, by: before)
        #expect(before.accept(proof, at: Self.now))
        let other = try Self.authorities(Authorities.root, Authorities.mid, lists: Authorities.revokesDirect, lists[1])
        #expect(other.accept(proof, at: Self.now))
        let revoking = try Self.authorities(Authorities.root, Authorities.mid, lists: Authorities.revokesMid, lists[1])
        #expect(!revoking.accept(proof, at: Self.now))
    }

    @Test func `one below an authority that the client itself has shown ends with the lists`() throws {
        let before = try Self.authorities(Authorities.root, lists: Authorities.revokesOther, Authorities.listOfMid)
        let proof = try Self.proof(of: Authorities.below, by: before)
        #expect(before.accept(proof, at: Self.now))
        let other = try Self.authorities(Authorities.root, lists: Authorities.revokesDirect, Authorities.listOfMid)
        #expect(!other.accept(proof, at: Self.now), "whether the one between is revoked cannot be asked any more")
    }

    @Test func `other authorities accept nothing of it, whatever is changed or cut off`() throws {
        let authorities = try Self.authorities(Authorities.root)
        let proof = try Self.proof(of: Authorities.direct, by: authorities)
        let others = [
            try Self.authorities(Authorities.stranger), try Self.authorities(Authorities.root, Authorities.stranger),
        ]
        for other in others { #expect(!other.accept(proof, at: Self.now)) }
        #expect(others.allSatisfy { !$0.accept(authorities.proof, at: Self.now) })
        #expect(authorities.accept(authorities.proof, at: Self.now))
        for count in 0..<72 { #expect(!authorities.accept(Array(proof[..<count]), at: Self.now)) }
        let revoking = try Self.authorities(Authorities.root, lists: Authorities.revokesDirect)
        for index in 0..<32 {
            var changed = proof
            changed[index] ^= 1
            #expect(!authorities.accept(changed, at: Self.now) && !revoking.accept(changed, at: Self.now))
        }
        for count in 0..<proof.count { #expect(!revoking.accept(Array(proof[..<count]), at: Self.now)) }
    }

    @Test func `an authority that has ended ends what is below it, also over a reload`() throws {
        let end = Authorities.endingsEnd
        let before = try Self.authorities(Authorities.ending, Authorities.root)
        #expect(before.authoritiesEnd == end)
        let leaf = try #require(PEM.certificates(Array(Authorities.ofEnding.utf8).span)?.first)
        #expect(unsafe before.authoritiesEnd(above: leaf.handle) == end)
        let proof = unsafe before.proof(of: leaf.handle)
        #expect(before.accept(proof, at: end - 1) && !before.accept(proof, at: end))
        let direct = try Self.proof(of: Authorities.direct, by: before)
        #expect(before.accept(direct, at: end) && before.accept(before.proof, at: end), "the other has not ended")
        // Other lists ask for the authorities anew.
        let lists = [Authorities.listOfRolled, Authorities.listOfRolledAnew]
        let rolled = try Self.authorities(
            Authorities.rolled, Authorities.rolledAnew, lists: lists[0], lists[1], Authorities.revokesOther)
        let other = try Self.authorities(Authorities.rolled, Authorities.rolledAnew, lists: lists[0], lists[1])
        let newest = try Self.proof(of: Authorities.ofRolled, by: rolled)
        #expect(other.accept(newest, at: end - 1) && !other.accept(newest, at: end))
    }

    @Test func `of two authorities of one name the list of the one that has issued a certificate counts`() throws {
        let authorities = try Self.authorities(
            Authorities.rolledAnew, Authorities.rolled, lists: Authorities.listOfRolled, Authorities.listOfRolledAnew)
        let end = Authorities.endingsEnd
        let leaf = try #require(PEM.certificates(Array(Authorities.ofRolled.utf8).span)?.first)
        #expect(unsafe authorities.revocationsEnd(for: leaf.handle) == end)
        let proof = unsafe authorities.proof(of: leaf.handle)
        #expect(authorities.accept(proof, at: end - 1) && !authorities.accept(proof, at: end))
    }
}
