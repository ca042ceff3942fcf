import CSystem
import Foundation
import TestTraits
import Testing

@testable import Machine

@Suite(.waiting) struct ProcessEnvironmentTests {
    private func entries() -> [String] {
        var entries: [String] = []
        while let text = cs_variable(Int32(entries.count)) { entries.append(String(cString: text)) }
        return entries
    }

    @Test func `what is concealed is in no variable and nowhere that the system shows, and can still be asked for`()
        async
    {
        await #expect(processExitsWith: .success) {
            setenv("A_SECRET", "the-secret-of-this-test", 1)
            #expect(ProcessEnvironment.own["A_SECRET"] == "the-secret-of-this-test")
            let index = (0..<1000).first { cs_variable($0).map { String(cString: $0).hasPrefix("A_SECRET=") } ?? true }
            let text = cs_variable(index ?? 0)
            ProcessEnvironment.conceal()
            guard text?.pointee == 0, getenv("A_SECRET") == nil, getenv("PATH") != nil,
                ProcessEnvironment.own["A_SECRET"] == "the-secret-of-this-test",
                ProcessEnvironment.own.visible["A_SECRET"] == nil, ProcessEnvironment.own.visible["PATH"] != nil
            else { exit(1) }
        }
    }

    @Test func `a text without = is concealed, whatever it begins with`() async {
        await #expect(processExitsWith: .success) {
            setenv("LC_A", "secret", 1)
            let index = (0..<1000).first { cs_variable($0).map { String(cString: $0) == "LC_A=secret" } ?? true }
            guard let text = cs_variable(index ?? 0) else { exit(1) }
            UnsafeMutablePointer(mutating: text)[4] = CChar(UInt8(ascii: "_"))
            ProcessEnvironment.conceal()
            guard text.pointee == 0, ProcessEnvironment.own["LC_A"] == nil else { exit(1) }
        }
    }

    @Test func `a sealed file has what is concealed and nothing else, and nobody can change it or open it again`()
        throws
    {
        let file = ProcessEnvironment.own.makeSealedFile()
        try #require(file >= 0)
        defer { close(file) }
        #expect(cs_is_sealed(file) == 1)
        var info = stat()
        #expect(fstat(file, &info) == 0 && info.st_mode & 0o777 == 0)
        var byte: UInt8 = 0
        #expect(pwrite(file, &byte, 1, 0) == -1 && errno == EPERM)
        #expect(ftruncate(file, 0) == -1 && fcntl(file, F_GETFD) & FD_CLOEXEC != 0)
        var bytes = [UInt8](repeating: 0, count: Int(info.st_size))
        #expect(pread(file, &bytes, bytes.count, 0) == bytes.count)
        let names = bytes.split(separator: 0).map {
            String(decoding: $0.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
        }
        #expect(!names.contains("PATH") && names.allSatisfy { !ProcessEnvironment.isWellKnown($0) })
        let all = entries().map { String($0.prefix { $0 != "=" }) }
        #expect(Set(names).isSuperset(of: Set(all).filter { !ProcessEnvironment.isWellKnown($0) }))
    }

    @Test func `what another process has concealed is taken out of its sealed file, however much it is`() async {
        await #expect(processExitsWith: .success) {
            let long = String(repeating: "s", count: 100_000)
            let text = Array("A_SECRET=\(long)\0AN_EMPTY=\0PATH=/none\0".utf8)
            let file = text.withUnsafeBytes { cs_sealed_file($0.baseAddress, $0.count) }
            setenv(ProcessEnvironment.descriptorName, "\(file)", 1)
            let own = ProcessEnvironment.own
            // Its number may be another file's by now.
            guard file > 2, own["A_SECRET"] == long, own["AN_EMPTY"] == "", own["PATH"] != "/none",
                cs_is_sealed(file) == 0
            else { exit(1) }
        }
    }

    @Test func `a descriptor that is not sealed is not read`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/countersign-\(UUID().uuidString)"
        try Data("A=1\0".utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        #expect(cs_is_sealed(file) == 0 && cs_is_sealed(-1) == 0)
    }

    @Test func `it shows nothing when it is printed or dumped`() {
        var text = "\(ProcessEnvironment.own)"
        dump(ProcessEnvironment.own, to: &text)
        #expect(!text.contains("PATH") && !text.contains("/bin"))
    }
}
