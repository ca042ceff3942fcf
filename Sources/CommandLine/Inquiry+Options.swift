import Access
import Bytes
import Configuration
import Gateway
import Machine
import Providers

/// What the command line says is asked.
extension Inquiry {
    /// The most bytes of a value that is read from a file or from standard input.
    static let maximumLength = 256 * 1024

    init(_ options: Options, _ configuration: Configuration, at now: Int64) throws(UsageError) {
        self.init(
            caller: try Inquiry.caller(options), claims: try Inquiry.claims(options),
            route: try Inquiry.route(options, configuration), grant: options[.grant].map { Array($0.utf8) },
            parameters: .list(try Inquiry.parameters(options)), time: try Inquiry.time(options) ?? now)
        address = try Inquiry.address(options)
    }

    private static func time(_ options: Options) throws(UsageError) -> Int64? {
        guard let text = options[.time] else { return nil }
        guard let time = ISO8601.parse(Array(text.utf8).span) else {
            throw UsageError(reason: "--at must be a time in UTC such as 2027-01-01T00:00:00Z")
        }
        return time
    }

    private static func address(_ options: Options) throws(UsageError) -> IPAddress? {
        guard let text = options[.address] else { return nil }
        guard let address = IPAddress(text) else {
            throw UsageError(reason: "--address must be an address such as 192.0.2.1 or 2001:db8::1")
        }
        return address
    }

    private static func caller(_ options: Options) throws(UsageError) -> Principal {
        guard let text = options[.caller], let caller = Principal(written: Array(text.utf8)) else {
            throw UsageError(
                reason: "--caller must say who asks: anonymous, apiKey:ID, certificate:ID or jwt:ID/SUBJECT")
        }
        return caller
    }

    private static func claims(_ options: Options) throws(UsageError) -> [JSONMember] {
        guard let text = options[.claims] else { return [] }
        let bytes = text.hasPrefix("@") ? try read(String(text.dropFirst()), for: .claims) : Array(text.utf8)
        guard let value = try? JSONReader.read(bytes, as: .json, maximumDepth: 16, maximumValues: 1000),
            case .object(let members) = value.content
        else { throw UsageError(reason: "--claims must be a JSON object, or @FILE with one in it") }
        return members
    }

    /// The route that is named, or that of the grant that is.
    private static func route(_ options: Options, _ configuration: Configuration) throws(UsageError) -> Int {
        let known = Registry.routes.map(\.description).filter(\.grant.hasCallers).map(\.name)
        if let name = options[.route] {
            guard known.contains(name), let route = Registry.route(named: name) else {
                let hint = NearestName.of(name, among: known).map { "did you mean \($0)?" }
                throw UsageError(
                    reason: "there is no route \(name); \(hint ?? "there are \(known.joined(separator: ", "))")")
            }
            return route
        }
        guard let name = options[.grant] else {
            throw UsageError(reason: "--route or --grant must say what is asked for")
        }
        let named = configuration.grants.first { $0.name.elementsEqual(name.utf8) }
        if let named, !Registry.routes[named.route].description.grant.hasCallers {
            throw UsageError(
                reason: "the grant \(name) is for a vendor's callbacks: it has no callers, and nothing to explain")
        }
        let own = configuration.grants.filter { !$0.callers.isEmpty }
        guard let grant = named.flatMap({ $0.callers.isEmpty ? nil : $0 }) else {
            let hint = NearestName.of(name, among: own.map(\.name.text)).map { "; did you mean \($0)?" } ?? ""
            throw UsageError(reason: "the configuration has no grant \(name)\(hint)")
        }
        return grant.route
    }

    private static func parameters(_ options: Options) throws(UsageError) -> [(name: [UInt8], value: [UInt8])] {
        var parameters: [(name: [UInt8], value: [UInt8])] = []
        for text in options.all(.parameter) {
            guard let end = text.firstIndex(where: { $0 == "=" || $0 == "@" }), end > text.startIndex else {
                throw UsageError(reason: "--parameter must be NAME=VALUE, or NAME@FILE")
            }
            let rest = String(text[text.index(after: end)...])
            let value = text[end] == "=" ? Array(rest.utf8) : try read(rest, for: .parameter)
            parameters.append((Array(text[..<end].utf8), value))
        }
        return parameters
    }

    /// What a file has, or standard input where that is `-`.
    private static func read(_ path: String, for option: Option) throws(UsageError) -> [UInt8] {
        guard let bytes = path == "-" ? Terminal.read(atMost: maximumLength + 1) : ReadFile(path)?.bytes else {
            throw UsageError(reason: "\(option.name): \(path) cannot be read")
        }
        guard bytes.count <= maximumLength else {
            throw UsageError(reason: "\(option.name): \(path) is longer than \(maximumLength / 1024) KiB")
        }
        return bytes
    }
}
