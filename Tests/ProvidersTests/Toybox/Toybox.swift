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
        // What `countersign init --provider toybox` writes.
        sample: StartingSample(
            variable: "TOYBOX_SECRET_KEY",
            credential: """
                "toybox": { provider: "toybox", accessKey: "<YOUR-ACCESS-KEY>", secretKey: { env: "TOYBOX_SECRET_KEY" } },
                """,
            grants: """
                // Uploads of single objects to Toybox.
                "toys": {
                  route: "toybox.token", credential: "toybox", callers: ["CALLERS"],
                  bucket: "<YOUR-BUCKET>", keyPrefix: "toys/${caller.id}/", lifetime: "10m",
                },
                """,
            policyTests: """
                { caller: "CALLER", route: "toybox.token", parameters: { key: "toys/NAME/a.jpg" }, expect: "allow" },
                { caller: "CALLER", route: "toybox.token", parameters: { key: "toys/other/a.jpg" }, expect: "deny" },
                """),
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
