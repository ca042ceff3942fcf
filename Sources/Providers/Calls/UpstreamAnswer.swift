import Bytes

/// What a vendor answered: its status, its clock, and its body, which may hold keys and is told to nobody.
package struct UpstreamAnswer: Sendable {
    package let status: Int
    package let body: [UInt8]
    /// The vendor's clock, in seconds since 1970; nil when it does not say, or not in HTTP's form.
    package let moment: Int64?

    /// - Parameter headers: as they came; of one that comes several times the first counts.
    package init(status: Int, headers: [NameValue] = [], body: [UInt8]) {
        self.status = status
        self.body = body
        moment = headers.first { $0.name.span.equals(ignoringCase: "date") }.flatMap { HTTPDate.parse($0.value.span) }
    }
}

extension UpstreamAnswer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "<answer \(status), \(body.count) bytes>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
