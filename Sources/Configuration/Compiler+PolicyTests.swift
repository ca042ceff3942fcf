import Access
import Bytes
import Providers

/// What whoever wrote the grants says must come of them.
extension Compiler {
    func compilePolicyTests(_ entries: [FieldValues], _ identities: Identities) -> [PolicyTest] {
        entries.enumerated().compactMap { index, entry in
            let path = "policyTests[\(index)]"
            let caller = compileCaller(of: entry, path, identities)
            let route = compileRoute(of: entry, path)
            let gift = compileGift(entry.object("gives") ?? FieldValues())
            guard let caller, let route, let expect = entry.string("expect") else { return nil }
            let expectation: PolicyTest.Expectation =
                switch expect.text {
                case "allow": .allow
                case "deny": .deny
                default: .refusal(code: expect)
                }
            if expectation != .allow, !gift.isAnything {
                reader.report("\(path).gives", "can only be said where expect is \"allow\"")
            }
            return PolicyTest(
                path: path, position: reader.problems.position(of: path), name: entry.string("name"), caller: caller,
                claims: members(of: entry.json("claims")), route: route, grant: entry.string("grant"),
                parameters: entry.json("parameters") ?? Array(text: "{}"), time: entry.integer("at"),
                expectation: expectation, gift: gift)
        }
    }

    private func compileCaller(of entry: FieldValues, _ path: String, _ identities: Identities) -> Principal? {
        guard let text = entry.string("caller") else { return nil }
        guard let caller = Principal(written: text) else {
            reader.report(
                "\(path).caller", "must be \"anonymous\", \"apiKey:ID\", \"certificate:ID\" or \"jwt:ID/SUBJECT\"")
            return nil
        }
        check(caller.kind, caller.id, "\(path).caller", identities)
        return caller
    }

    private func compileRoute(of entry: FieldValues, _ path: String) -> Int? {
        guard let name = entry.string("route")?.text else { return nil }
        let known = Registry.routes.map(\.description).filter(\.hasCallers).map(\.name)
        guard known.contains(name), let route = Registry.route(named: name) else {
            reader.report("\(path).route", FieldReader.unknown(name, among: known))
            return nil
        }
        return route
    }

    private func compileGift(_ fields: FieldValues) -> PolicyTest.Gift {
        PolicyTest.Gift(
            grant: fields.string("grant"), bucket: fields.string("bucket"), key: fields.string("key"),
            limitedBy: fields.string("limitedBy"), lifetime: fields.integer("lifetime").map { $0 / 1000 })
    }

    private func members(of text: [UInt8]?) -> [JSONMember] {
        guard let text, let value = try? JSONReader.read(text, as: .json), case .object(let members) = value.content
        else { return [] }
        return members
    }
}
