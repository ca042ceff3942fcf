import Bytes
import Crypto
import Machine

/// The vendors whose side the sandbox takes.
package enum Vendor: String, CaseIterable, Sendable {
    case qiniu, netease, alibaba
}

/// Where the sandbox's accounts are kept: the file `keys/VENDOR/ACCESSKEY` holds the secret key of this access key. A client of
/// the sandbox reads the same file, so that no secret is an argument of a program.
package struct AccountFolder: Sendable {
    /// Why the accounts cannot be used.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The accounts of the demonstration, which every sandbox has.
    package static let samples: [(vendor: Vendor, accessKey: String)] = [
        (.qiniu, "demo-qiniu-access-key"), (.netease, "demo-nos-access-key"), (.alibaba, "demo-oss-access-key"),
        (.alibaba, "demo-sts-access-key"),
    ]

    private let path: String

    /// Makes the folder and the keys of the samples, as far as they are not there.
    package init(_ path: String) throws(Failure) {
        self.path = path
        for vendor in Vendor.allCases {
            let folder = folder(of: vendor)
            if let fault = NewFolder.make(folder) { throw Failure(description: "the folder \(folder) \(fault)") }
        }
        for sample in AccountFolder.samples {
            guard try !accessKeys(of: sample.vendor).contains(sample.accessKey) else { continue }
            let file = "\(folder(of: sample.vendor))/\(sample.accessKey)"
            let secret: [UInt8]
            do throws(CryptoError) { secret = try SecureRandom.alphanumerics(40) } catch {
                throw Failure(description: "no key can be made: \(error)")
            }
            if let fault = NewFile.makeWhole(secret, at: file) {
                throw Failure(description: "the file \(file) \(fault)")
            }
        }
    }

    /// Those who may call a vendor.
    package func callers(of vendor: Vendor) throws(Failure) -> [SandboxCaller] {
        try accessKeys(of: vendor).map { accessKey throws(Failure) in
            SandboxCaller(accessKeyID: Array(accessKey.utf8), secret: try secret("\(folder(of: vendor))/\(accessKey)"))
        }
    }

    private func folder(of vendor: Vendor) -> String { "\(path)/keys/\(vendor.rawValue)" }

    /// In order; hidden files are no accounts.
    private func accessKeys(of vendor: Vendor) throws(Failure) -> [String] {
        let names = FolderNames.read(folder(of: vendor)).filter { !$0.hasPrefix(".") }.sorted()
        for name in names where name.utf8.count > 128 || !name.utf8.allSatisfy(\.isVisible) {
            throw Failure(
                description: "\(folder(of: vendor)) holds a file whose name is no access key: \(name.visible)")
        }
        return names
    }

    private func secret(_ file: String) throws(Failure) -> Secret {
        guard let read = ReadFile(file) else { throw Failure(description: "the file \(file) cannot be read") }
        if let weakness = read.weakness { throw Failure(description: weakness) }
        guard !read.isWorldReadable else {
            throw Failure(description: "anybody on this machine can read \(file), which holds a secret; chmod 600 it")
        }
        let bytes = read.bytes.last == UInt8(ascii: "\n") ? read.bytes.dropLast() : read.bytes[...]
        guard (1...128).contains(bytes.count), bytes.allSatisfy(\.isVisible) else {
            throw Failure(
                description: "the file \(file) must hold a secret key alone, of at most 128 visible characters")
        }
        return Secret(Array(bytes))
    }
}
