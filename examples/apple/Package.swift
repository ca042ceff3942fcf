// swift-tools-version: 6.3
// This example was not compiled as a whole: it was written on Linux, where only FileUpload.swift and Settings.swift compile.
import PackageDescription

let package = Package(
    name: "Uploads",
    platforms: [.macOS(.v26), .iOS(.v17)],
    dependencies: [.package(name: "countersign", path: "../..")],
    targets: [
        .executableTarget(
            name: "Uploads", dependencies: [.product(name: "CountersignClient", package: "countersign")])
    ]
)
