import Bytes
import Crypto
import Foundation
import Testing

@testable import Audit

@Suite("The verifier reads files")
struct AuditVerifierFilesTests {
    /// What is found in a file of some whole lines, and of what comes behind them.
    private static func kinds(
        _ rest: String, _ extent: AuditVerifier.Extent, reaching number: Int64 = 0
    ) throws -> [AuditVerifier.Problem.Kind] {
        let folder = try Folder()
        var chain = AuditChain(try HMACKey(.sha256, auditKey))
        var out = ByteWriter()
        try chain.beginSegment(.start, unsynced: 0, at: moment, to: &out)
        for number in 2...9 { try chain.append(content(number).span, to: &out) }
        try folder.write(out.array + Array(rest.utf8))
        var verifier = try AuditVerifier([auditKey])
        try verifier.read(file: folder.file, extent)
        verifier.finish(reaching: number)
        #expect(verifier.last == 9)
        return verifier.problems.map(\.kind)
    }

    @Test func `a file that is being written is whole without the line that is not whole yet`() throws {
        #expect(try Self.kinds("{\"seq\":10,", .written(most: 1 << 20), reaching: 9) == [])
        #expect(try Self.kinds("{\"seq\":10,", .all) == [.cutOff])
    }

    @Test func `a file that does not go as far as was written is cut off`() throws {
        #expect(try Self.kinds("", .written(most: 1 << 20), reaching: 10) == [.cutOff])
    }

    @Test func `what is too large, no file or without lines is refused`() throws {
        let fault = #expect(throws: AuditFault.self) { try Self.kinds("", .written(most: 100)) }
        #expect(fault?.description.contains("more than 100 bytes") == true)
        var verifier = try AuditVerifier([auditKey])
        for path in ["/nowhere/at/all", "/dev/null", "/tmp"] {
            let fault = #expect(throws: AuditFault.self) { try verifier.read(file: path) }
            #expect(fault?.description.contains(path) == true)
        }
        let folder = try Folder()
        try folder.write([UInt8](repeating: UInt8(ascii: "x"), count: 3 << 20))
        #expect(throws: AuditFault.self) { try verifier.read(file: folder.file) }
    }
}
