import CountersignClient
import Foundation

/// Where everything is, for the sandbox. Your own app has other values here.
enum Settings {
    /// The service, asked on behalf of the user. One client for the whole app: it keeps credentials and renews them.
    static let client = Countersign(baseURL: service, credential: .bearer(renewedBy: userToken))

    // swift-format-ignore: NeverForceUnwrap
    private static let service = URL(string: "http://127.0.0.1:8080")!

    /// Where the sandbox takes uploads for every vendor; nil for the vendors themselves.
    static let endpoint = URL(string: "http://127.0.0.1:8090")

    /// What the app shows the service. This key stands in for the user's token (JWT): a real app gets that from its login, since
    /// everybody can read what is in an app.
    /// - Parameter wasRefused: whether the last token was refused, so that a new one is needed.
    @Sendable private static func userToken(wasRefused: Bool) async throws -> String {
        "example-app-ZYIt0W-8TIFcdzbZRJuO_3nz"
    }
}

/// Where a file is uploaded to: the grant of the configuration, and the prefix of its keys.
enum Destination: String, CaseIterable, Identifiable {
    case qiniu = "Kodo"
    case nos = "NOS"
    case oss = "OSS"

    var id: Self { self }

    var vendor: UploadVendor {
        switch self {
        case .qiniu: .qiniu
        case .nos: .nos
        case .oss: .oss
        }
    }

    var grant: String {
        switch self {
        case .qiniu: "photos"
        case .nos: "files"
        case .oss: "films"
        }
    }

    /// A new key for a file.
    func key(for file: URL) -> String { "\(grant)/app/\(UUID().uuidString.lowercased()).\(file.pathExtension)" }
}
