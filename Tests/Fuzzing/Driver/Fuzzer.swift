import Foundation
import FuzzTargets

/// libFuzzer around the target that the environment's FUZZ_TARGET names; its own options are the command line's. Other calls
/// are those of scripts/fuzz: no target prints their names, and for a target
///   unpack FOLDER   writes what is kept for it, and what once failed, as one file an input
///   pack FOLDER     keeps the inputs of a folder for it, the smallest, 20 kB of them at most
///   line FILE       prints an input as a line of the corpus
@main
enum Fuzzer {
    static func main() throws {
        let named = ProcessInfo.processInfo.environment["FUZZ_TARGET"]
        guard let found = FuzzTarget.all.first(where: { $0.name == named }) else {
            for target in FuzzTarget.all { print(target.name) }
            return
        }
        let words = CommandLine.arguments
        switch words.count == 3 ? words[1] : nil {
        case "unpack": try unpack(found.name, to: URL(filePath: words[2]))
        case "pack": try pack(found.name, from: URL(filePath: words[2]))
        case "line": print("\(found.name) \(Corpus.line(try read(URL(filePath: words[2]))))")
        default: fuzz(found)
        }
    }

    private static func unpack(_ target: String, to folder: URL) throws {
        let regressions = try Corpus.regressions().filter { $0.target == target }.map(\.input)
        for (number, input) in (try Corpus.inputs(of: target) + regressions).enumerated() {
            try Data(input).write(to: folder.appending(path: "\(number)"))
        }
    }

    private static func pack(_ target: String, from folder: URL) throws {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        try Corpus.keep(try files.map(read), for: target, bytes: 20_000)
        print("\(target): \(try Corpus.inputs(of: target).count) kept")
    }

    private static func read(_ file: URL) throws -> [UInt8] { Array(try Data(contentsOf: file)) }

    private static func fuzz(_ target: FuzzTarget) {
        Fuzzer.target = target
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        exit(
            runDriver(&count, &arguments) { bytes, count in
                do { try Fuzzer.target?.check(Array(UnsafeBufferPointer(start: bytes, count: count))) } catch {
                    fatalError("\(error)")
                }
                return 0
            })
    }

    /// Set before there is a second thread.
    nonisolated(unsafe) private static var target: FuzzTarget?
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32
