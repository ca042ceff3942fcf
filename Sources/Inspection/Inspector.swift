import Access
import Providers

/// One kind of thing that a vendor takes from clients, and that can be told what it says and whether the vendor would take it.
package struct Inspector: Sendable {
    /// For people: `Qiniu upload token`.
    package let kind: String
    /// What has to be given, in one sentence for the documentation.
    package let summary: String
    private let read: @Sendable (InspectionInput, Keyring, _ now: Int64) -> Inspection?

    init(
        _ kind: String, _ summary: String,
        read: @escaping @Sendable (_ input: InspectionInput, _ keyring: Keyring, _ now: Int64) -> Inspection?
    ) {
        self.kind = kind
        self.summary = summary
        self.read = read
    }

    /// Nil if it is something else.
    /// - Parameter now: seconds since 1970.
    package func inspect(_ input: InspectionInput, with keyring: Keyring, at now: Int64) -> Inspection? {
        guard var inspection = read(input, keyring, now) else { return nil }
        if let answer = input.answer { inspection.compare(with: answer) }
        return inspection
    }
}
