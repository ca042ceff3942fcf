#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// Before anything uses OpenSSL.
Allocations.separateOpenSSL()
exit(BenchmarkTool.run(Array(CommandLine.arguments.dropFirst())))
