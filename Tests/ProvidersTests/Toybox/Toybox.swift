import Access
import Bytes

@testable import Providers

/// Toybox Storage.
package enum Toybox {
    /// What it is to the service.
    package static let description = ProviderDescription(
        // A credential's `provider`; then the vendor's name for people, and the heading in config/README.md.
        name: "toybox", title: "Toybox",
        // Beside accessKey, secretKey, previous and sandbox.
        credentialFields: [],
        routes: [ToyboxToken.route],
        accessKeyFault: { key in
            key.contains(UInt8(ascii: ":")) ? "must not contain : since clients split tokens there" : nil
        },
        // What an operator does at the vendor so that what was issued ends before its time; `brake` says it.
        revocations: { fields in
            [
                Revocation(
                    "the access key \(fields.accessKeyText)", by: "delete it in the console, under Keys",
                    "all tokens that it has signed")
            ]
        })
}
