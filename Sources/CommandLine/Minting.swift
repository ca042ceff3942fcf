import Access
import Bytes
import Configuration
import Gateway
import HTTP
import Lifecycle
import Machine
import Net
import Providers

/// `countersign mint` and `countersign ticket`: exactly what the service gives, for a caller that the operator names
/// (R11).
enum Minting {
    static func run(_ options: Options) -> Exit {
        run("mint", options) { .issue(route: $0.route) }
    }

    static func makeTicket(_ options: Options) -> Exit {
        run("ticket", options) { _ in .ticket }
    }

    private static func run(
        _ command: String, _ options: Options, _ method: (Inquiry) -> IssuingMethod
    ) -> Exit {
        let configuration: Configuration
        do throws(ConfigurationError) { configuration = try Configuration.checked(options.configuration) } catch {
            Terminal.complain(error.description)
            return .invalidConfiguration
        }
        let inquiry: Inquiry
        do throws(UsageError) {
            inquiry = try Inquiry(options, configuration, at: SystemClock.now().unixSeconds)
        } catch {
            Terminal.complain("countersign \(command): \(error.reason.visible)")
            return .usage
        }
        let answer: SingleRequest.Answer
        do throws(SingleRequest.Failure) {
            answer = try send(inquiry, method(inquiry), options, to: configuration)
        } catch {
            Terminal.complain("countersign \(command): \(error.reason.visible)")
            return .failed
        }
        let members = answer.members
        let code = problem(in: members)
        if options.wantsJSON {
            Terminal.say(answer.body.text.trimmingLineBreak)
        } else if let code {
            tell(code, members, command)
        } else {
            tell(answer, members, Explainer(configuration: configuration).explain(inquiry))
        }
        return code.map { $0.hasPrefix("upstream_") ? .upstream : .failed } ?? .done
    }

    private static func send(
        _ inquiry: Inquiry, _ method: IssuingMethod, _ options: Options, to configuration: Configuration
    ) throws(SingleRequest.Failure) -> SingleRequest.Answer {
        let caller: Caller
        do throws(Refusal) {
            caller = try configuration.caller(inquiry.caller, claiming: inquiry.claims, at: inquiry.time)
        } catch {
            return SingleRequest.Answer(error)
        }
        if options[.host] != nil, configuration.server.publicURL != nil {
            throw SingleRequest.Failure(
                reason: "leave --host out: server.publicURL says what clients call the service by")
        }
        let host = options[.host] ?? configuration.server.ownName
        let uses = options[.uses].map { [(name: Array(text: "uses"), value: Array(text: $0))] } ?? []
        let request = SingleRequest(inquiry.list + uses, of: host, from: caller, on: method)
        request.client = inquiry.address.map { ClientAddress($0) } ?? .none
        request.isCounted = !uses.isEmpty
        return try request.send(to: configuration)
    }

    /// The code of the refusal that the answer is; nil for one that gives something.
    private static func problem(in members: [JSONMember]) -> String? {
        let texts = ["type", "title", "detail", "requestId"].map { name in
            members.contains { $0.name.elementsEqual(name.utf8) }
        }
        guard texts.allSatisfy({ $0 }) else { return nil }
        return members.first { $0.name.elementsEqual("code".utf8) }?.value.text?.text
    }

    private static func tell(_ code: String, _ members: [JSONMember], _ command: String) {
        let detail = members.first { $0.name.elementsEqual("detail".utf8) }?.value.text ?? []
        // Of vendors an explanation knows nothing; the line of the log above says why.
        let isExplained = command == "mint" && !code.hasPrefix("upstream_")
        let hint = isExplained ? "; `countersign explain` with the same options says more" : ""
        Terminal.complain("countersign \(command): \(code): \(detail.text.visible)\(hint)")
    }

    private static func tell(_ answer: SingleRequest.Answer, _ members: [JSONMember], _ explained: Explainer.Answer) {
        var table = Table(indent: "")
        for member in members { table.row(member) }
        // The vendor's own words have no room for these two.
        if let limit = answer.field("Countersign-Limited-By") {
            table.row("grant", explained.permitted?.grant.name.text ?? "")
            table.row("limitedBy", limit)
        }
        Terminal.say(table.lines.joined(separator: "\n"))
    }
}

extension Table {
    /// A member as it is; those of an object by themselves.
    fileprivate mutating func row(_ member: JSONMember, in path: String = "") {
        let name = path + member.name.text
        switch member.value.content {
        case .object(let members): for inner in members { row(inner, in: name + ".") }
        case .string(let text): row(name, text.text)
        case .null, .boolean, .number, .array:
            var text = ByteWriter()
            text.append(json: member.value)
            row(name, text.array.text)
        }
    }
}

extension Inquiry {
    /// All that is asked, in a list.
    fileprivate var list: [(name: [UInt8], value: [UInt8])] {
        guard case .list(let list) = parameters else { return [] }
        return (grant.map { [(Array(text: "grant"), $0)] } ?? []) + list
    }
}

extension String {
    fileprivate var trimmingLineBreak: String { hasSuffix("\n") ? String(dropLast()) : self }
}

extension Configuration.Server {
    /// What the service can be called by as far as it knows itself.
    var ownName: String {
        let listed = hosts.first { $0 != Array("*".utf8) }
        guard case .network(let address)? = listen.first else { return listed?.text ?? "localhost" }
        return address.address.isLoopback ? "\(address)" : listed?.text ?? "\(address.reachable)"
    }
}
