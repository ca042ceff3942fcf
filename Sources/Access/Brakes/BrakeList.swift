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

    /// Entries that count toward `brake.entries`: all except the one for `all`, which has a place of its own.
    package var counted: Int { brakes.count - (everything == nil ? 0 : 1) }

    /// The entry for `all`, which is the first in the order of subjects.
    private var everything: Brake? { brakes.first.flatMap { $0.subject.kind == .all ? $0 : nil } }

    /// The entries of both lists, within the limits of `BrakeMerge`.
    package func merged(with other: BrakeList, keeping most: Int, at now: Int64) -> BrakeList {
        BrakeMerge(self, other, keeping: most, at: now).list
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

    /// The entries whose subjects another list does not have.
    package func missing(in other: BrakeList) -> [Brake] {
        let subjects = Set(other.brakes.map(\.subject))
        return brakes.filter { !subjects.contains($0.subject) }
    }

    /// The entries that another list does not have, or has differently.
    package func changes(since other: BrakeList) -> [Brake] {
        let known = Dictionary(other.brakes.map { ($0.subject, $0) }) { first, _ in first }
        return brakes.filter { known[$0.subject] != $0 }
    }
}
