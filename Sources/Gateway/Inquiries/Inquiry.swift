import Access
import Bytes
import Configuration
import Providers

/// A request that comes without a connection: its caller, its route and parameters, and its time.
package struct Inquiry {
    /// What is asked beside the route.
    package enum Parameters {
        /// A JSON object, as a POST has it.
        case json([UInt8])
        case list([(name: [UInt8], value: [UInt8])])
    }

    package let caller: Principal
    /// What the caller's token says beside `sub` and `iss`.
    package let claims: [JSONMember]
    /// The route's index in the registry.
    package let route: Int
    /// The grant that is named.
    package let grant: [UInt8]?
    /// What is asked beside the route.
    package let parameters: Parameters
    /// Seconds since 1970.
    package let time: Int64
    /// The address that it is asked from; nil for none.
    package var address: IPAddress?

    /// - Parameters:
    ///   - claims: what the caller's token says beside `sub` and `iss`.
    ///   - route: by its index in the registry.
    ///   - grant: the one that is named.
    ///   - time: seconds since 1970.
    package init(
        caller: Principal, claims: [JSONMember], route: Int, grant: [UInt8]?, parameters: Parameters, time: Int64
    ) {
        self.caller = caller
        self.claims = claims
        self.route = route
        self.grant = grant
        self.parameters = parameters
        self.time = time
    }

    var instant: Instant { Instant(unixSeconds: time, nanoseconds: 0) }

    /// What is asked, as the body of a POST: a JSON object.
    var body: [UInt8] {
        var out = ByteWriter()
        out.append(object: { json in
            if let grant { json.add("grant", grant) }
            if case .list(let list) = parameters { for (name, value) in list { json.add(named: name, value) } }
        })
        guard case .json(let text) = parameters else { return out.array }
        // Both are objects: the second's members go behind the first's.
        let (named, rest) = (out.array.dropLast(), text.dropFirst())
        return named + (named.count > 1 && rest.count > 1 ? Array(text: ",") : []) + rest
    }

    var description: RouteDescription { Registry.routes[route].description }

    /// What is asked, as the route reads it.
    /// - Parameters:
    ///   - depth: how deep JSON may be nested.
    ///   - nonce: what a name is made of that the server chooses.
    func read(maximumDepth depth: Int, by nonce: Nonce, at instant: Instant) throws(Refusal) -> Ask {
        var ask = Ask(nonce, from: address)
        do throws(ParameterError) {
            switch parameters {
            case .json(let text):
                try ask.parameters.read(
                    json: text.span, maximumDepth: depth, whole: description.request.parameters.wholeNames)
            case .list(let list):
                for (name, value) in list {
                    try ask.parameters.add(name: name.span, value: value.span, form: .text)
                }
            }
            if let grant {
                try ask.parameters.add(name: Array(text: "grant").span, value: grant.span, form: .text)
            }
        } catch {
            throw Refusal(error, known: description.request.parameters)
        }
        do throws(AskError) {
            try ask.read(by: description.request.parameters)
            try description.request.read(&ask, instant)
        } catch {
            throw Refusal(error)
        }
        return ask
    }
}
