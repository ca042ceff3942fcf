// swift-tools-version: 6.3
import PackageDescription

/// Leaves epoll out of a build on Linux, so that it is built as for other systems: for `scripts/test --dispatch`.
let isDispatchOnly = Context.environment["DISPATCH_ONLY"] != nil
/// Builds for AddressSanitizer, as a whole and not file by file: for `scripts/test --sanitize address`.
let isAddressSanitized = Context.environment["SANITIZER"] == "address"

#if os(macOS)
    let isMac = true
#else
    let isMac = false
#endif

let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableExperimentalFeature("Lifetimes"),
    ] + (isDispatchOnly ? [.define("DISPATCH_ONLY")] : [])

/// Addresses to relocate are a hundredth of their size with LLVM's linker (DT_RELR, glibc 2.36), and nobody loads symbols of the
/// program: it starts sooner, and is smaller by a tenth. What the Swift runtime needs of libstdc++ and libgcc is in the program, too
/// (`Sources/countersign/Linking`). The image has no libgcc, which glibc loads to end a thread early: nothing may call `dispatchMain`.
let compact: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker", "--no-export-dynamic",
            "-L\(Context.packageDirectory)/Sources/countersign/Linking", "-Xclang-linker", "-static-libgcc",
        ],
        .when(platforms: [.linux], configuration: .release))
]

/// Compiles a module whole, where SwiftPM would ask for batches of its files.
let wholeModule = ["-wmo", "-num-threads", "1", "-disable-batch-mode"]

/// What tests are built with. AddressSanitizer watches the rooms in them and what they allocate, but no code of their own, which
/// then takes a sixth less to compile. One compiler for the module and its interface saves another sixth.
let ofTests: [SwiftSetting] =
    strict
    + (isAddressSanitized
        ? [
            .unsafeFlags(
                ["reads", "writes", "atomics"].flatMap { ["-Xllvm", "-asan-instrument-\($0)=0"] }
                    + ["-Xllvm", "-asan-stack=0", "-Xllvm", "-asan-globals=0"]
                    + wholeModule + ["-no-emit-module-separately-wmo"])
        ] : [])

/// For the rooms that are busy in all tests: under AddressSanitizer they are optimised, and keep their assertions. Of all rooms
/// optimised, the tests took two fifths less, and the compiler a third more. Under ThreadSanitizer they are not: what is then inlined of
/// the standard library writes the count of its empty array, which is 0, from all threads.
let busy: [SwiftSetting] =
    isAddressSanitized
    ? [.unsafeFlags(["-O", "-assert-config", "Debug"] + wholeModule, .when(configuration: .debug))] : []

/// One room: a library target with the rooms it may look into. What is not memory-safe in it has to say `unsafe`.
func room(_ name: String, _ dependencies: Target.Dependency..., settings: [SwiftSetting] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict + [.strictMemorySafety()] + settings)
}

func tests(_ name: String, _ dependencies: Target.Dependency..., exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: ofTests)
}

let package = Package(
    name: "countersign",
    // The service is for servers. The client library alone is for iOS, too.
    platforms: [.macOS(.v26), .iOS(.v16)],
    products: [
        .library(name: "CountersignClient", targets: ["CountersignClient"]),
        .executable(name: "countersign", targets: ["countersign"]),
        .executable(name: "countersign-sandbox", targets: ["countersign-sandbox"]),
    ],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        // Debian's hiredis.pc has a flag that SwiftPM warns of, and its header and library are where the compiler looks anyway.
        .systemLibrary(
            name: "CHiredis", pkgConfig: isMac ? "hiredis" : nil,
            providers: [.apt(["libhiredis-dev"]), .brew(["hiredis"])]),
        .target(name: "CSystem", cSettings: isDispatchOnly ? [.define("DISPATCH_ONLY")] : []),
        // The files of the page for operators.
        .target(name: "CConsole", exclude: ["Page"]),
        // Stands in front of the allocator of whatever links it: the benchmark, and nothing else.
        .target(name: "CAllocations"),
        room("Bytes", settings: busy),
        room("Crypto", "Bytes", "COpenSSL", settings: busy),
        room("Access", "Crypto", "Bytes", settings: busy),
        room("Providers", "Access", "Crypto", "Bytes"),
        room("Inspection", "Providers", "Access", "Crypto", "Bytes"),
        room("HTTP", "Bytes", settings: busy),
        room("Net", "HTTP", "Crypto", "Bytes", "CSystem", "COpenSSL"),
        room("Cluster", "Net", "Access", "Crypto", "Bytes", "CHiredis"),
        room("Upstream", "Net", "HTTP", "Providers", "Access", "Crypto", "Bytes"),
        // Nobody waits for the vendors' stand-in: optimised, it would take four times as long to build.
        room(
            "Sandbox", "Net", "HTTP", "Machine", "Crypto", "Bytes", "CZlib",
            settings: [.unsafeFlags(["-Onone"], .when(configuration: .release))]),
        room("Machine", "CSystem"),
        room("Telemetry", "Bytes"),
        room("Audit", "Machine", "Crypto", "Bytes"),
        room(
            "Configuration", "Access", "Providers", "Upstream", "Cluster", "HTTP", "Audit", "Telemetry", "Machine",
            "Crypto", "Bytes"),
        room(
            "Gateway", "Configuration", "Cluster", "Inspection", "Machine", "Upstream", "Net", "HTTP", "Audit",
            "Telemetry",
            "Providers", "Access", "Crypto", "Bytes", "CConsole", "CZlib"),
        room(
            "Lifecycle", "Gateway", "Configuration", "Cluster", "Machine", "Net", "HTTP", "Audit", "Telemetry",
            "Access", "Crypto",
            "Bytes", "CSystem"),
        room(
            "CommandLine", "Lifecycle", "Gateway", "Configuration", "Cluster", "Inspection", "Machine", "Net", "HTTP",
            "Audit",
            "Telemetry", "Providers", "Access", "Crypto", "Bytes"),
        // For apps that use the service: Foundation alone, and nothing of the service.
        .target(name: "CountersignClient", swiftSettings: strict),
        .executableTarget(
            name: "countersign", dependencies: ["CommandLine"], exclude: ["Linking"], swiftSettings: strict,
            linkerSettings: compact),
        .executableTarget(name: "countersign-sandbox", dependencies: ["Sandbox"], swiftSettings: strict),
        .executableTarget(
            name: "countersign-bench",
            dependencies: [
                "Gateway", "Configuration", "Machine", "Upstream", "Net", "HTTP", "Telemetry", "Providers", "Access",
                "Crypto", "Bytes", "ReplicaModel", "CAllocations", "COpenSSL",
            ],
            swiftSettings: strict),
        // What tests need of the machine, of what runs beside them, and of the binary that they start.
        .testTarget(name: "TestTraits", path: "Tests/TestTraits", swiftSettings: ofTests),
        tests("BytesTests", "Bytes", "TestTraits"),
        // Issuers of tokens, for the tests of whoever has to believe them.
        .testTarget(
            name: "TestKeys", dependencies: ["Crypto", "Bytes", "COpenSSL"], path: "Tests/TestKeys",
            swiftSettings: ofTests),
        tests("CryptoTests", "Crypto", "Bytes", "TestKeys"),
        tests("HTTPTests", "HTTP", "Bytes", "TestTraits"),
        // Servers that misbehave on purpose and other programs, for the tests of whoever has to do with them.
        .testTarget(
            name: "TestPeers", dependencies: ["Net", "CSystem", "COpenSSL"], path: "Tests/TestPeers",
            swiftSettings: ofTests),
        tests("NetTests", "Net", "HTTP", "Crypto", "Bytes", "CSystem", "COpenSSL", "TestPeers", "TestTraits"),
        // Replicas and the buckets that they share, by a clock of the test's.
        .target(
            name: "ReplicaModel", dependencies: ["Access"], path: "Tests/ReplicaModel", swiftSettings: strict),
        tests("AccessTests", "Access", "Crypto", "Bytes", "ReplicaModel", "TestKeys", "TestTraits"),
        tests(
            "ProvidersTests", "Providers", "Inspection", "Access", "Crypto", "Bytes", "TestPeers", "TestTraits",
            exclude: ["Fixtures"]),
        tests("MachineTests", "Machine", "CSystem", "TestTraits"),
        tests("TelemetryTests", "Telemetry", "Bytes"),
        tests("AuditTests", "Audit", "Crypto", "Bytes", "TestTraits"),
        tests("ClusterTests", "Cluster", "Access", "Net", "Crypto", "Bytes", "TestPeers", "TestTraits"),
        tests("UpstreamTests", "Upstream", "Net", "HTTP", "Crypto", "Bytes", "TestTraits"),
        tests("SandboxTests", "Sandbox", "Net", "HTTP", "Machine", "Crypto", "Bytes", "TestPeers", "TestTraits"),
        tests(
            "ConfigurationTests", "Configuration", "Machine", "Upstream", "Net", "HTTP", "Providers", "Access",
            "Crypto", "Bytes",
            "TestKeys",
            "TestPeers", "TestTraits"),
        // Configurations, and a disk, that tests of several rooms begin with.
        .testTarget(
            name: "TestSamples",
            dependencies: ["Gateway", "Configuration", "Machine", "Audit", "Access", "Bytes"],
            path: "Tests/TestSamples", swiftSettings: ofTests),
        tests(
            "GatewayTests", "Gateway", "Configuration", "Cluster", "Machine", "Upstream", "Providers", "Access",
            "Audit",
            "Telemetry", "Net", "HTTP", "Crypto", "Bytes", "TestPeers", "TestSamples", "TestKeys", "TestTraits"),
        tests(
            "LifecycleTests", "Lifecycle", "Gateway", "Configuration", "Audit", "Telemetry", "Net", "HTTP", "Crypto",
            "Bytes", "TestSamples", "TestTraits"),
        tests(
            "CommandLineTests", "CommandLine", "Lifecycle", "Gateway", "Configuration", "Inspection", "Providers",
            "Access", "Crypto", "Bytes", "TestSamples", "TestTraits"),
        tests("CountersignClientTests", "CountersignClient", "countersign", "TestService", "TestTraits"),
        tests("ArchitectureTests"),
        // A service to ask, in the process of the tests or one of its own, and what is asked of it.
        .testTarget(
            name: "TestService",
            dependencies: [
                "Lifecycle", "Gateway", "Configuration", "Cluster", "Upstream", "Sandbox", "Machine", "Audit",
                "Telemetry", "Net",
                "HTTP", "Crypto", "Bytes", "TestPeers", "TestKeys", "TestTraits", "COpenSSL",
            ],
            path: "Tests/TestService", swiftSettings: ofTests),
        tests(
            "PipelineTests", "TestService", "Lifecycle", "Configuration", "Providers", "Machine", "TestPeers",
            "TestKeys", "TestSamples", "TestTraits", "Bytes",
            "Crypto",
            exclude: ["Fixtures"]),
        tests(
            "EndToEndTests", "CountersignClient", "countersign", "countersign-sandbox", "TestService", "TestPeers",
            "TestKeys", "TestTraits",
            "Providers", "Bytes",
            "Crypto", "COpenSSL", exclude: ["Fixtures"]),
        // What must hold of whoever reads bytes from outside.
        .target(
            name: "FuzzTargets",
            dependencies: ["Cluster", "Configuration", "Machine", "Providers", "Access", "HTTP", "Crypto", "Bytes"],
            path: "Tests/Fuzzing/Targets", swiftSettings: strict),
        tests("FuzzingTests", "FuzzTargets"),
    ],
    cLanguageStandard: .c2x
)

/// The target that `scripts/test --only` wants, and what that needs: no other test target is built then.
if let wanted = Context.environment["COUNTERSIGN_TEST_TARGET"] {
    var needed: Set = [wanted]
    // Each target stands behind those that it needs.
    for target in package.targets.reversed() where needed.contains(target.name) {
        for case .byNameItem(let name, _) in target.dependencies { needed.insert(name) }
    }
    package.targets.removeAll { $0.type == .test && !needed.contains($0.name) }
}

// libFuzzer needs flags of its own, so its program is there for scripts/fuzz alone.
if Context.environment["FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "countersign-fuzz", dependencies: ["FuzzTargets"], path: "Tests/Fuzzing/Driver",
            swiftSettings: strict))
}
