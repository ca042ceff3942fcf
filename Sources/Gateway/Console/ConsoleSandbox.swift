import Access
import Bytes
import Configuration
import Providers

/// What an operator can try in the page: grants of a sandbox by whose URLs the page stores a file and reads it back.
struct ConsoleSandbox {
    private let grants: [Grant]
    /// Where their buckets are, as a Content-Security-Policy names it, with a space before each; empty where there is nothing to try.
    let sources: [UInt8]

    /// Grants that are told.
    private static let most = 20

    init(_ configuration: Configuration) {
        var (grants, endpoints): ([Grant], [[UInt8]]) = ([], [])
        for grant in configuration.grants where grants.count < ConsoleSandbox.most {
            let credential = configuration.credentials[grant.issuance.credential]
            guard credential.isSandbox, ConsoleSandbox.uploadsByURL(grant),
                let endpoint = ConsoleSandbox.endpoint(of: credential)
            else { continue }
            grants.append(grant)
            if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
        }
        self.grants = grants
        sources = endpoints.flatMap { Array(text: " http://") + $0 + Array(text: " http://*.") + $0 }
    }

    /// Host and port of a sandbox that is asked over plain HTTP, which only a name of this machine may be; nil for another.
    private static func endpoint(of credential: Configuration.Credential) -> [UInt8]? {
        let provider = Registry.providers.first { $0.name == credential.provider }
        let scheme = Array(text: "http://")
        for field in provider?.credentialFields ?? [] where ["endpoint", "ossEndpoint"].contains(field.name) {
            guard case .string(let text)? = credential.fields[field], text.starts(with: scheme) else { continue }
            return Array(text.dropFirst(scheme.count))
        }
        return nil
    }

    /// By what callers are told of a grant, its URLs may be for PUT and for GET.
    private static func uploadsByURL(_ grant: Grant) -> Bool {
        guard Registry.routes[grant.issuance.route].description.name.hasSuffix(".presigned-url") else { return false }
        var facts = ByteWriter()
        facts.append(object: { $0.add(grant.issuance.facts) })
        guard let told = try? JSONReader.read(facts.bytes, as: .json),
            case .array(let methods)? = told["methods"]?.content
        else { return false }
        return ["PUT", "GET"].allSatisfy { method in methods.contains { $0.text == Array(text: method) } }
    }

    func write(into list: inout JSONArray) {
        for grant in grants {
            list.add(object: { json in
                json.add("grant", visible: grant.entry.name.text)
                json.add("route", Registry.routes[grant.issuance.route].description.name)
                json.add("caller", visible: grant.principals.callers.first?.written.text)
                switch grant.resources.target {
                case .key(let key), .prefix(let key): json.add("key", visible: key.written.text)
                case .anything: json.add("key", "")
                }
            })
        }
    }
}
