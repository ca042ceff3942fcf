import Access
import Bytes
import Configuration

/// What an operator wants stopped, or set free again: by a command, at the admin listener, or in the console.
package struct BrakeOrder: Sendable {
    package enum Action: Sendable {
        /// - Parameter duration: milliseconds after which it ends by itself; nil for never.
        case stop(for: Int64?)
        case release
    }

    package let action: Action
    package let subject: Brake.Subject
    let reason: [UInt8]
    let author: [UInt8]

    /// The shortest and the longest time for which something is stopped, in milliseconds.
    package static let durations: ClosedRange<Int64> = Schema.BrakeOrder.durations

    /// - Parameters:
    ///   - subject: by its name in the configuration.
    ///   - reason: in the operator's words.
    ///   - author: who orders it.
    /// - Throws: what is wrong with it.
    package init(_ action: Action, _ subject: Brake.Subject, because reason: [UInt8], by author: [UInt8])
        throws(BrakeFault)
    {
        if let fault = Brake.fault(inNameOf: subject) ?? Brake.fault(inReason: reason) { throw BrakeFault(fault) }
        self.action = action
        self.subject = subject
        self.reason = reason
        // Whoever it is must not keep an order from being carried out.
        self.author = Brake.isAuthor(author) ? author : Array(text: "unknown")
    }

    /// - Throws: where a brake names what the configuration does not have, and what it may be meant for. Callers need not be known.
    package func check(_ configuration: Configuration.BrakeTarget) throws(BrakeFault) {
        guard case .stop = action else { return }
        let known: [String]
        switch subject.kind {
        case .all, .caller: return
        case .grant: known = configuration.grants
        case .credential: known = configuration.credentials.map(\.name)
        case .issuer: known = configuration.issuers
        }
        guard !known.contains(where: { $0.utf8.elementsEqual(subject.name) }) else { return }
        throw BrakeFault("the configuration has no \(subject.text)\(BrakeOrder.hint(subject.name.text, among: known))")
    }

    /// What is said then.
    /// - Parameters:
    ///   - list: what is known.
    ///   - now: seconds since 1970.
    func brake(after list: BrakeList, at now: Int64) throws(BrakeFault) -> Brake {
        let known = list[subject]
        // Later than the entry that it replaces, even if a clock that was ahead wrote that entry.
        let moment = min(
            max(now.clamped(to: 0...Brake.lastMoment / 1000) * 1000, (known?.at ?? -1) + 1), Brake.lastMoment)
        switch action {
        case .release:
            guard let known, known.isInForce(at: now) else {
                let stopped = list.inForce(at: now).map(\.subject.text)
                throw BrakeFault(
                    "\(subject.text) is not stopped\(BrakeOrder.hint(subject.text, among: stopped))", isMistake: true)
            }
            return Brake(subject, because: reason, by: author, at: moment, isReleased: true)
        case .stop(let duration):
            return Brake(
                subject, because: reason, by: author, at: moment,
                until: duration.map { min(moment + $0.clamped(to: BrakeOrder.durations), Brake.lastMoment) })
        }
    }

    /// What was probably meant, or all that there is, if that is little.
    private static func hint(_ name: String, among known: [String]) -> String {
        if let nearest = NearestName.of(name, among: known) { return "; did you mean \(nearest)?" }
        return (1...20).contains(known.count) ? "; there are: \(known.joined(separator: ", "))" : ""
    }
}

extension Int64 {
    fileprivate func clamped(to range: ClosedRange<Int64>) -> Int64 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}
