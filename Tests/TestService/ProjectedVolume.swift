import Foundation

/// A folder as the kubelet mounts a Secret, a ConfigMap or a token: each name leads through the link `..data` to a folder of that
/// moment, and a change is a folder beside it, to which the link is moved in one step.
final class ProjectedVolume {
    let path: String
    private var current = ""

    init(_ files: [String: String]) throws {
        path = try Keeper.makeFolder()
        try swap(to: files)
        for name in files.keys {
            try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: "..data/\(name)")
        }
    }

    func swap(to files: [String: String]) throws {
        let (manager, next) = (FileManager.default, "..\(UUID().uuidString)")
        try manager.createDirectory(atPath: "\(path)/\(next)", withIntermediateDirectories: false)
        for (name, text) in files { try Keeper.write(text, to: "\(path)/\(next)/\(name)", mode: 0o440) }
        try manager.createSymbolicLink(atPath: "\(path)/..data_tmp", withDestinationPath: next)
        guard rename("\(path)/..data_tmp", "\(path)/..data") == 0 else {
            throw Program.Failure(description: "cannot rename: error \(errno)")
        }
        if !current.isEmpty { try manager.removeItem(atPath: "\(path)/\(current)") }
        current = next
    }
}
