/// Why a request's parameters are no ask that anybody could decide about; answered 400, or 422 for a string to sign.
package struct AskError: Error, Sendable {
    package enum Fault: Sendable {
        case unknown
        case invalid
        case missing
        case unreadableStringToSign
    }
    package let fault: Fault
    /// The parameter's name as it may be shown; empty when no parameter can be named.
    package let parameter: String
    /// Why, and what would be right; nothing of the value.
    package let reason: String

    package init(_ fault: Fault, _ parameter: String, _ reason: String) {
        self.fault = fault
        self.parameter = parameter
        self.reason = reason
    }

    /// What is asked for cannot be signed, whichever parameter makes it so.
    package init(unsignable error: IssueError) {
        if case .unsignable(let reason) = error {
            self.init(.invalid, "", reason.description)
        } else {
            self.init(.invalid, "", "cannot be signed")
        }
    }
}
