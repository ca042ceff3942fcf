#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif
import FuzzTargets

/// libFuzzer around the target that the environment's FUZZ_TARGET names; its own options are the command line's.
@main
enum Fuzzer {
    static func main() {
        guard let name = getenv("FUZZ_TARGET"),
            let found = FuzzTarget.all.first(where: { $0.name == String(cString: name) })
        else {
            for target in FuzzTarget.all { print(target.name) }
            return
        }
        Fuzzer.target = found
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
