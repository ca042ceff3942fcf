import Access
import Bytes
import Configuration
import Providers

/// What the body of a request says is asked: an object of the members of `Schema.Inquiry`.
extension Inquiry {
    private static let members = Schema.Inquiry().descriptions.map(\.name)

    /// - Parameter now: when it is asked, if the body does not say; seconds since 1970.
    init(reading body: Span<UInt8>, maximumDepth depth: Int, at now: Int64) throws(Refusal) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONReader.read(body, as: .json, maximumDepth: depth, maximumValues: 10_000)
        } catch {
            throw Inquiry.fault("the body is not proper JSON at byte \(error.offset): \(error.reason)")
        }
        guard case .object(let members) = value.content else { throw Inquiry.fault("the body must be a JSON object") }
        for member in members where !Inquiry.members.contains(where: { $0.utf8.elementsEqual(member.name) }) {
            throw Inquiry.fault("there is a member that is not known; there are \(Inquiry.list)", .unknownParameter)
        }
        guard let caller = value["caller"]?.text.flatMap({ Principal(written: $0) }) else {
            throw Inquiry.fault("caller must be \"anonymous\", \"apiKey:ID\", \"certificate:ID\" or \"jwt:ID/SUBJECT\"")
        }
        guard let route = value["route"]?.text.flatMap({ Registry.route(named: $0.text) }),
            Registry.routes[route].description.grant.hasCallers
        else { throw Inquiry.fault("route must be one of those that issue something, such as \"qiniu.uptoken\"") }
        self.caller = caller
        self.route = route
        claims = try Inquiry.object(value["claims"], "claims")
        grant = try Inquiry.text(value["grant"], "grant")
        var parameters = ByteWriter()
        if let given = value["parameters"] {
            _ = try Inquiry.object(given, "parameters")
            parameters.append(json: given)
        } else {
            parameters.append("{}")
        }
        self.parameters = .json(parameters.array)
        address = try Inquiry.address(value["address"])
        guard let text = try Inquiry.text(value["at"], "at") else {
            time = now
            return
        }
        guard let time = ISO8601.parse(text.span) else {
            throw Inquiry.fault("at must be a time in UTC such as \"2027-01-01T00:00:00Z\"")
        }
        self.time = time
    }

    private static func address(_ value: JSONValue?) throws(Refusal) -> IPAddress? {
        guard let text = try text(value, "address") else { return nil }
        guard let address = IPAddress(text.span) else {
            throw fault("address must be an address such as \"192.0.2.1\" or \"2001:db8::1\"")
        }
        return address
    }

    private static let list = members.joined(separator: ", ")

    private static func object(_ value: JSONValue?, _ name: String) throws(Refusal) -> [JSONMember] {
        guard let value else { return [] }
        guard case .object(let members) = value.content else { throw fault("\(name) must be an object") }
        return members
    }

    private static func text(_ value: JSONValue?, _ name: String) throws(Refusal) -> [UInt8]? {
        guard let value else { return nil }
        guard let text = value.text else { throw fault("\(name) must be a string") }
        return text
    }

    private static func fault(_ reason: String, _ code: Refusal.Code = .invalidParameter) -> Refusal {
        Refusal(code, reason)
    }
}
