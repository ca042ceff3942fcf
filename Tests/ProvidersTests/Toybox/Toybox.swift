import Access
import Bytes

@testable import Providers

/// Toybox Storage.
enum Toybox {
    static let description = ProviderDescription(
        // A credential's `provider`; then the vendor's name for people, and the heading in config/README.md.
        name: "toybox", title: "Toybox",
        // True only for what is asked for sessions, as STS is.
        givesSessions: false,
        // Beside accessKey, secretKey, previous and sandbox.
        credentialFields: [],
        routes: [ToyboxToken.route],
        // What of it `countersign inspect` understands.
        inspectors: [InspectedToyboxToken.inspector],
        accessKeyFault: { key in
            key.contains(UInt8(ascii: ":")) ? "must not contain : since clients split tokens there" : nil
        })
}
