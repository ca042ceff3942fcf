import Access
import Bytes
import Providers

/// What the operator says that the grants must give and refuse.
extension Compiler {
    func compilePolicyTests(_ entries: [Settings<Schema.PolicyTests>], _ identities: Identities) -> [PolicyTest] {
        entries.enumerated().compactMap { index, entry in
            let path = "policyTests[\(index)]"
            let caller = compileCaller(of: entry.inquiry, path, identities)
            let route = compileRoute(of: entry.inquiry, path)
            let permit = compilePermit(entry.gives)
            guard let caller, let route, let expect = entry.expect else { return nil }
            let expectation: PolicyTest.Expectation =
                switch expect.text {
                case "allow": .allow
                case "deny": .deny
                default: .refusal(code: expect)
                }
            if expectation != .allow, !permit.isAnything {
                reader.report("\(path).gives", "can only be said where expect is \"allow\"")
            }
            return PolicyTest(
                path: path, position: reader.problems.position(of: path), name: entry.name, caller: caller,
                claims: members(of: entry.inquiry.claims), route: route,
                grant: entry.inquiry.grant,
                parameters: entry.inquiry.parameters ?? Array(text: "{}"), time: entry.inquiry.at,
                address: compileAddress(of: entry.inquiry, path), expectation: expectation, permit: permit)
        }
    }

    private func compileCaller(of inquiry: Settings<Schema.Inquiry>, _ path: String, _ identities: Identities)
        -> Principal?
    {
        guard let text = inquiry.caller else { return nil }
        guard let caller = Principal(written: text) else {
            reader.report(
                "\(path).caller", "must be \"anonymous\", \"apiKey:ID\", \"certificate:ID\" or \"jwt:ID/SUBJECT\"")
            return nil
        }
        check(caller.kind, caller.id, "\(path).caller", identities)
        return caller
    }

    private func compileAddress(of inquiry: Settings<Schema.Inquiry>, _ path: String) -> IPAddress? {
        guard let text = inquiry.address else { return nil }
        let address = IPAddress(text.span)
        if address == nil {
            reader.report("\(path).address", "must be an address such as \"192.0.2.1\" or \"2001:db8::1\"")
        }
        return address
    }

    private func compileRoute(of inquiry: Settings<Schema.Inquiry>, _ path: String) -> Int? {
        guard let name = inquiry.route?.text else { return nil }
        let known = Registry.routes.map(\.description).filter(\.grant.hasCallers).map(\.name)
        guard known.contains(name), let route = Registry.route(named: name) else {
            reader.report("\(path).route", FieldReader.unknown(name, among: known))
            return nil
        }
        return route
    }

    private func compilePermit(_ fields: Settings<Schema.ExpectedPermit>) -> PolicyTest.ExpectedPermit {
        PolicyTest.ExpectedPermit(
            grant: fields.grant, bucket: fields.bucket, key: fields.key, limitedBy: fields.limitedBy,
            lifetime: fields.lifetime.map { $0 / 1000 })
    }

    private func members(of text: [UInt8]?) -> [JSONMember] {
        guard let text, let value = try? JSONReader.read(text, as: .json), case .object(let members) = value.content
        else { return [] }
        return members
    }
}
