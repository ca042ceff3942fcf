/// Groups of grants: all or those of a place of a `KeyTree`, of all buckets or of one. In a group, those are a cohort that differ in
/// name, bucket and key at most, so that one of them tells what the others would say. Stored flat.
struct CohortTable: Sendable {
    /// Whose grants: of one bucket, or of one kind.
    enum Bucket: Hashable {
        /// Of all buckets.
        case any
        /// The caller says it, or there is none.
        case asked, absent
        /// By its number.
        case named(Int32)

        var key: Int32 {
            switch self {
            case .any: 0
            case .asked: 1
            case .absent: 2
            case .named(let number): 3 + number
            }
        }
    }

    /// A grant in a group. They are sorted by group and cohort, and the later grants of a cohort come first.
    struct Row: Comparable {
        private let group, member: UInt64

        /// - Parameter place: -1 for all grants.
        init(place: Int32, bucket: Bucket, cohort: Int32, number: Int32) {
            group = UInt64(UInt32(place + 1)) << 32 | UInt64(UInt32(bucket.key))
            member = UInt64(UInt32(cohort)) << 32 | UInt64(UInt32(Int32.max - number))
        }

        var number: Int32 { Int32.max - Int32(truncatingIfNeeded: member) }
        var bucket: Int32 { Int32(truncatingIfNeeded: group) }
        var place: Int { Int(group >> 32) }

        func isGrouped(with other: Row) -> Bool { group == other.group }
        func isAlike(_ other: Row) -> Bool { isGrouped(with: other) && member >> 32 == other.member >> 32 }

        static func < (one: Row, other: Row) -> Bool {
            one.group == other.group ? one.member < other.member : one.group < other.group
        }
    }

    private struct Group {
        let bucket: Int32
        let firstCohort: Int32
    }

    /// Where the groups of each place begin, of which the first are of all grants; then where the last ends. The same of all below.
    private var firstGroups: [Int32] = []
    private var groups: [Group] = []
    private var firstMembers: [Int32] = []
    private var members: [Int32] = []

    /// - Parameter places: how many there are.
    init(_ rows: consuming [Row], places: Int32) {
        rows.sort()
        members.reserveCapacity(rows.count)
        var rest = rows[...]
        while let first = rest.first {
            let group = rest.prefix { $0.isGrouped(with: first) }
            rest = rest.dropFirst(group.count)
            while firstGroups.count <= first.place { firstGroups.append(Int32(groups.count)) }
            groups.append(Group(bucket: first.bucket, firstCohort: Int32(firstMembers.count)))
            for cohort in CohortTable.cohorts(in: group) {
                firstMembers.append(Int32(members.count))
                for row in cohort { members.append(row.number) }
            }
        }
        while firstGroups.count <= places + 1 { firstGroups.append(Int32(groups.count)) }
        groups.append(Group(bucket: .max, firstCohort: Int32(firstMembers.count)))
        firstMembers.append(Int32(members.count))
    }

    /// Those with the latest grants first.
    private static func cohorts(in group: ArraySlice<Row>) -> [ArraySlice<Row>] {
        var cohorts: [ArraySlice<Row>] = []
        var rest = group
        while let first = rest.first {
            cohorts.append(rest.prefix { $0.isAlike(first) })
            rest = rest.dropFirst(cohorts[cohorts.count - 1].count)
        }
        return cohorts.sorted { $0[$0.startIndex].number > $1[$1.startIndex].number }
    }

    /// The cohorts of a group, those with the latest grants first.
    /// - Parameters:
    ///   - place: nil for all grants.
    ///   - bucket: nil for one of no grant.
    func cohorts(at place: Int32? = nil, of bucket: Bucket?) -> Range<Int> {
        guard let bucket else { return 0..<0 }
        let place = Int(place ?? -1) + 1
        let (end, key) = (Int(firstGroups[place + 1]), bucket.key)
        var (low, high) = (Int(firstGroups[place]), end)
        while low < high {
            let middle = (low + high) / 2
            if groups[middle].bucket < key { low = middle + 1 } else { high = middle }
        }
        guard low < end, groups[low].bucket == key else { return 0..<0 }
        return Int(groups[low].firstCohort)..<Int(groups[low + 1].firstCohort)
    }

    /// Where the grants of a cohort are, the latest first.
    func members(of cohort: Int) -> Range<Int> { Int(firstMembers[cohort])..<Int(firstMembers[cohort + 1]) }

    /// The number of a grant.
    subscript(member: Int) -> Int32 { members[member] }
}
