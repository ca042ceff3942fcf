// Uploads by FileUpload.swift of examples/apple to each vendor's side of a sandbox. scripts/check-examples compiles it together with that
// file, and sets the environment.
import CountersignClient
import Foundation

struct MissingVariable: Error { let name: String }

func variable(_ name: String) throws -> String {
    guard let value = ProcessInfo.processInfo.environment[name] else { throw MissingVariable(name: name) }
    return value
}

var allHold = true

@MainActor func check(_ claim: String, _ holds: Bool) {
    allHold = allHold && holds
    print("\(holds ? "holds" : "FAILS"): \(claim)")
}

@MainActor func wait(_ upload: FileUpload, until isReached: (FileUpload) -> Bool) async throws {
    // A minute.
    for _ in 0..<6000 where !isReached(upload) { try await Task.sleep(for: .milliseconds(10)) }
}

/// What a sandbox has below a key.
func stored(_ key: String, by destination: Destination) throws -> Data? {
    let bucket =
        switch destination {
        case .qiniu: "qiniu/demo-media"
        case .nos: "netease/demo-files"
        case .oss: "alibaba/demo-bucket"
        }
    return try? Data(contentsOf: URL(filePath: "\(variable("COUNTERSIGN_OBJECTS"))/\(bucket)/\(key)"))
}

let folder = FileManager.default.temporaryDirectory.appending(path: "uploads-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: folder) }

// The type is found by the first bytes.
let film = folder.appending(path: "film.mp4")
var content = Data([0, 0, 0, 24]) + Data("ftypmp42".utf8)
content += Data((0..<40 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
try content.write(to: film)

for destination in Destination.allCases {
    let upload = FileUpload(film, to: destination, contentType: "video/mp4")
    upload.start()
    try await wait(upload) { $0.fraction > 0 || $0.state != .running }
    upload.pause()
    try await wait(upload) { $0.state != .running }
    check(
        "\(destination.rawValue): \(upload.state) at \(upload.fraction)", upload.state == .paused && upload.fraction < 1
    )
    upload.start()
    try await wait(upload) { $0.state != .running }
    guard case .done(let key) = upload.state else {
        check("\(destination.rawValue): \(upload.state)", false)
        continue
    }
    check("\(destination.rawValue): \(key) is stored as it is", try stored(key, by: destination) == content)
}

let text = folder.appending(path: "a.txt")
try Data("a text".utf8).write(to: text)
for (destination, start) in [
    (Destination.qiniu, "The storage refuses this (status 403): "), (.oss, "The service refuses this (not_in_grant): "),
] {
    let upload = FileUpload(text, to: destination, contentType: "text/plain")
    upload.start()
    try await wait(upload) { $0.state != .running }
    if case .failed(let words) = upload.state {
        check("\(destination.rawValue): \(words)", words.hasPrefix(start))
    } else {
        check("\(destination.rawValue): \(upload.state)", false)
    }
}
exit(allHold ? 0 : 1)
