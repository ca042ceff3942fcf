import Access
import Bytes
import Providers

/// A URL ticket of the service's own (R11), or the URL that it is in, as anybody may have made it.
package enum InspectedTicket {
    package static let kind = "URL ticket"

    /// Nil if it is something else.
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - judge: notes whether the ticket is one of the service's.
    package static func inspect(
        _ input: InspectionInput, at now: Int64, judge: (_ ticket: [UInt8], inout Inspection) -> Void
    ) -> Inspection? {
        guard let text = text(in: input), let ticket = Ticket(unverified: text.span) else { return nil }
        var inspection = Inspection(kind)
        inspection.tell("id", ticket.id)
        let principal = ticket.principal
        inspection.tell(
            "caller", Array(text: "\(principal.kind.rawValue):") + principal.id + Array("/".utf8) + principal.subject)
        inspection.tell("grant", ticket.terms.grant)
        for parameter in ticket.terms.parameters {
            inspection.tell("parameter.\(parameter.name.text)", parameter.value)
        }
        judge(text, &inspection)
        inspection.ends(at: ticket.endsAt, now: now)
        return inspection
    }

    private static func text(in input: InspectionInput) -> [UInt8]? {
        switch input.content {
        case .text(let text): text
        case .request(let request): request.parameter("ticket")
        case .object: nil
        }
    }
}
