import Access
import Bytes

/// What an operator changes at the vendor so that what was issued with a credential ends before its time.
package struct Revocation: Sendable, Equatable {
    /// What is changed, such as the access key.
    package let subject: String
    /// The command that changes it, or where the vendor's page for it is. Words in capitals are the operator's to put in.
    package let means: String
    /// What ends by it.
    package let effect: String

    init(_ subject: String, by means: String, _ effect: String) {
        self.subject = subject
        self.means = means
        self.effect = effect
    }
}

extension FieldValues {
    /// The access key of a credential, for a command; words to put in where it is not in the configuration.
    var accessKeyText: String { self[CredentialFields().accessKey]?.text ?? "ACCESS-KEY" }
}
