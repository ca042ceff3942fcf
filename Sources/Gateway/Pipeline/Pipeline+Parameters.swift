import Access
import Bytes
import Configuration
import HTTP
import Providers

/// Reads a request's parameters into the ask.
extension Pipeline {
    /// R3: the parameters of a GET are in its query, those of a POST in its body alone.
    mutating func read(_ request: borrowing Request, for route: RouteDescription) throws(Refusal) {
        ask.reset(try drawNonce(), from: context.client.ip)
        if case .post = request.head.method {
            if context.form == nil {
                try readQueryOfPost(request, among: route.request.parameters)
            } else {
                try readQuery(of: request, among: route.request.parameters)
            }
            try readBody(of: request, textParameter: route.request.textParameter, among: route.request.parameters)
        } else {
            guard request.body.isEmpty else { throw .unwantedBody }
            try readQuery(of: request, among: route.request.parameters)
        }
        if let form = context.form {
            try readParameters(among: route.request.parameters) { ask throws(ParameterError) in
                try form.add(request.path, by: request.head.method.name, to: &ask.parameters)
            }
        }
        var objection: Objection?
        if let ticket = context.caller.ticket { objection = try fix(ticket.terms, for: route) }
        // Some clients list every type that they can read. A client that can read JSON gets JSON.
        ask.wantsText =
            route.request.textParameter != nil && accepts("text/plain", request)
            && !accepts("application/json", request)
        do throws(AskError) {
            try ask.read(by: route.request.parameters)
        } catch {
            throw Refusal(error)
        }
        // A link or an image of a web page could ask for it, and so could a client that repeats a GET.
        if let changes = route.request.changes, request.head.method == .get || request.head.method == .head,
            changes.contain(ask)
        {
            throw .methodNotAllowed("POST, OPTIONS")
        }
        do throws(AskError) { try route.request.read(&ask, context.instant) } catch { throw Refusal(error) }
        if let objection { throw Refusal(.notInGrant(objection)) }
    }

    private mutating func readQuery(of request: borrowing Request, among known: ParameterList) throws(Refusal) {
        try readParameters(among: known) { ask throws(ParameterError) in
            try ask.parameters.read(form: request.query)
        }
        if context.caller.ticket != nil { _ = ask.parameters.take("ticket") }
    }

    private func accepts(_ type: StaticString, _ request: borrowing Request) -> Bool {
        ListField.weight(of: type, in: request.field(.accept), isType: true) ?? 0 > 0
    }

    /// - Returns: the first parameter in which the request differs from the ticket; nil where none does.
    private mutating func fix(_ ticket: TicketTerms, for route: RouteDescription) throws(Refusal) -> Objection? {
        var objection: Objection?
        try readParameters(among: route.request.parameters) { ask throws(ParameterError) in
            objection = try ask.fix(ticket, by: route.request.parameters)
        }
        return objection
    }

    /// The same for an endpoint without parameters.
    mutating func readNothing(_ request: borrowing Request) throws(Refusal) {
        guard request.body.isEmpty else { throw .unwantedBody }
        ask.reset(try drawNonce(), from: context.client.ip)
        try readParameters(among: .empty) { ask throws(ParameterError) in try ask.parameters.read(form: request.query) }
        if context.caller.ticket != nil { _ = ask.parameters.take("ticket") }
        do throws(AskError) { try ask.read(by: .empty) } catch { throw Refusal(error) }
    }

    /// A POST's query may hold the ticket and names that begin with `_`, such as a cache buster, and nothing else.
    mutating func readQueryOfPost(
        _ request: borrowing Request, among known: ParameterList
    ) throws(Refusal) {
        if request.query.isEmpty { return }
        try readQuery(of: request, among: known)
        for entry in ask.parameters.entries where !ask.parameters.bytes(entry.name).begins(with: "_") {
            throw .queryOnPost
        }
        ask.parameters.reset()
    }

    mutating func readBody(
        of request: borrowing Request, textParameter: String?, among known: ParameterList
    ) throws(Refusal) {
        let depth = configuration.server.limits.jsonDepth
        switch try bodyType(of: request, textParameter: textParameter) {
        case .json:
            try readParameters(among: known) { ask throws(ParameterError) in
                try ask.parameters.read(json: request.body, maximumDepth: depth, whole: known.wholeNames)
            }
        case .form:
            guard !Pipeline.looksLikeJSON(request.body) else { throw .untoldJSON }
            try readParameters(among: known) { ask throws(ParameterError) in
                try ask.parameters.read(form: request.body)
            }
        case .text(let name):
            try readParameters(among: known) { ask throws(ParameterError) in
                try ask.parameters.add(name: name.utf8.span, value: request.body, form: .text)
            }
        case .none:
            if Pipeline.looksLikeJSON(request.body) { throw .untoldJSON }
            guard request.body.isEmpty else { throw .unreadableType(textToo: textParameter != nil) }
        }
    }

    /// Whether a body seems to be a JSON object: by default curl names every body a form.
    private static func looksLikeJSON(_ body: Span<UInt8>) -> Bool {
        for index in body.indices {
            switch body[index] {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): continue
            case let first: return first == UInt8(ascii: "{")
            }
        }
        return false
    }

    /// How a body is read.
    enum BodyType {
        case json, form
        /// The body is the value of this parameter.
        case text(parameter: String)
        /// The request has no Content-Type, so its body must be empty.
        case none
    }

    /// How the request's body is to be read, if the route takes bodies of its type.
    func bodyType(of request: borrowing Request, textParameter: String?) throws(Refusal) -> BodyType {
        if !request.head.isRepeated(.contentType) {
            switch MediaType(request.field(.contentType)) {
            case .json: return .json
            case .form: return .form
            case .text:
                if let textParameter { return .text(parameter: textParameter) }
                if Pipeline.looksLikeJSON(request.body) { throw .untoldJSON }
            case .none: return .none
            case .other: break
            }
        }
        throw .unreadableType(textToo: textParameter != nil)
    }

    private mutating func readParameters(
        among known: ParameterList, _ body: (inout Ask) throws(ParameterError) -> Void
    ) throws(Refusal) {
        do throws(ParameterError) { try body(&ask) } catch { throw Refusal(error, known: known) }
    }
}
