import Access
import Bytes
import Configuration
import Providers

/// What an operator can try in the page: grants of a sandbox by whose URLs the page stores a file and reads it back.
struct ConsoleSandbox {
    private let trials: [Trial]
    /// Where their buckets are, as a Content-Security-Policy names it, with a space before each; empty where there is nothing to try.
    let sources: [UInt8]

    /// A grant, and what callers are told of it.
    fileprivate struct Trial {
        let grant: Grant
        let facts: JSONValue
    }

    /// Grants that are told.
    private static let most = 20

    init(_ configuration: Configuration) {
        var (trials, endpoints): ([Trial], [[UInt8]]) = ([], [])
        for grant in configuration.grants where trials.count < ConsoleSandbox.most {
            let credential = configuration.credentials[grant.issuance.credential]
            guard credential.isSandbox, let trial = Trial(uploadingByURL: grant),
                let endpoint = ConsoleSandbox.endpoint(of: credential)
            else { continue }
            trials.append(trial)
            if !endpoints.contains(endpoint) { endpoints.append(endpoint) }
        }
        self.trials = trials
        sources = endpoints.flatMap { Array(text: " http://") + $0 + Array(text: " http://*.") + $0 }
    }

    /// Host and port of a sandbox that is asked over plain HTTP, which only a name of this machine may be; nil for another.
    private static func endpoint(of credential: Configuration.Credential) -> [UInt8]? {
        let scheme = Array(text: "http://")
        guard let field = Registry.provider(named: credential.provider)?.endpoint,
            let text = credential.fields[field], text.starts(with: scheme)
        else { return nil }
        return Array(text.dropFirst(scheme.count))
    }

    func write(into list: inout JSONArray) {
        for trial in trials { list.add(object: { trial.write(into: &$0) }) }
    }
}

extension ConsoleSandbox.Trial {
    /// Nil unless the grant's URLs may be for PUT and for GET.
    init?(uploadingByURL grant: Grant) {
        guard Registry.routes[grant.issuance.route].description.name.hasSuffix(".presigned-url") else { return nil }
        var text = ByteWriter()
        text.append(object: { $0.add(grant.issuance.facts) })
        guard let facts = try? JSONReader.read(text.bytes, as: .json) else { return nil }
        self.init(grant: grant, facts: facts)
        guard lists("PUT", in: "methods"), lists("GET", in: "methods") else { return nil }
    }

    private func lists(_ text: String, in name: String) -> Bool {
        guard case .array(let values)? = facts[name]?.content else { return false }
        return values.contains { $0.text?.elementsEqual(text.utf8) == true }
    }

    /// Whether a URL to upload by has to hold its body to a length. Version v1 of OSS signs none.
    private var signsLength: Bool {
        facts["maxSize"] != nil && (facts["versions"] == nil || lists("v4", in: "versions"))
    }

    /// Whether a URL to upload by may hold its body to a type.
    private var signsType: Bool { facts["contentTypes"] != nil || lists("content-type", in: "headers") }

    func write(into json: inout JSONObject) {
        json.add("grant", visible: grant.entry.name.text)
        json.add("route", Registry.routes[grant.issuance.route].description.name)
        json.add("caller", visible: grant.principals.callers.first?.example?.text)
        switch grant.resources.target {
        case .key(let key), .prefix(let key): json.add("key", visible: key.written.text)
        case .anything: json.add("key", "")
        }
        json.add("signsLength", signsLength)
        json.add("signsType", signsType)
    }
}

extension CallerSelector {
    /// A caller that it stands for, as it is written in the configuration; nil where any would do.
    fileprivate var example: [UInt8]? {
        switch self {
        case .authenticated: nil
        case .identity(.jwt, _): written + Array(text: "/42")
        case .anonymous, .identity: written
        }
    }
}
