import Bytes

/// All that the operator has stopped and set free: one entry for each subject, of which the latest holds. Lists of several processes
/// are merged in any order, any number of times, with the same result.
package struct BrakeList: Sendable, Equatable {
    /// In the order of their subjects.
    package private(set) var brakes: [Brake] = []

    package static let empty = BrakeList()

    private init() {}

    /// - Parameter brakes: of one subject only the one that holds is kept.
    package init(_ brakes: some Sequence<Brake>) {
        var latest: [Brake.Subject: Brake] = [:]
        for brake in brakes where latest[brake.subject].map({ brake.outranks($0) }) ?? true {
            latest[brake.subject] = brake
        }
        self.brakes = latest.values.sorted { $0.precedes($1) }
    }

    /// What both know.
    /// - Parameter most: how many entries stay: the latest, and no more than a text has room for.
    package func merged(with other: BrakeList, keeping most: Int) -> BrakeList {
        let union = self == other ? self : BrakeList(brakes + other.brakes)
        guard union.brakes.count > most || union.length > BrakeList.maximumLength else { return union }
        return BrakeList(BrakeList.fitting(union.brakes.sorted { $0.staysRather(than: $1) }.prefix(most)))
    }

    /// Without the releases and ended brakes that are older than `Brake.memory`.
    /// - Parameter now: seconds since 1970.
    package func pruned(at now: Int64) -> BrakeList {
        guard brakes.contains(where: { $0.isForgotten(at: now) }) else { return self }
        return BrakeList(brakes.filter { !$0.isForgotten(at: now) })
    }

    /// What was last said of a subject.
    package subscript(subject: Brake.Subject) -> Brake? { brakes.first { $0.subject == subject } }

    /// Those that stop something.
    /// - Parameter now: seconds since 1970.
    package func inForce(at now: Int64) -> [Brake] { brakes.filter { $0.isInForce(at: now) } }

    /// The entries that another list does not have, or has differently.
    package func changes(since other: BrakeList) -> [Brake] {
        let known = Dictionary(other.brakes.map { ($0.subject, $0) }) { first, _ in first }
        return brakes.filter { known[$0.subject] != $0 }
    }
}
