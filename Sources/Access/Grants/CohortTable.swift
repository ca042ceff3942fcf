/// Groups of grants: all grants or those of one pattern of a `KeyTree`, for all buckets or for one. In a group, grants that differ at
/// most in name, bucket and key are a cohort: what one of them objects to, the others object to. Stored flat.
struct CohortTable: Sendable {
    /// The bucket of a group's grants.
    enum Bucket: Hashable {
        /// Any bucket.
        case any
        /// The caller says it, or there is none.
        case asked, absent
        /// The bucket of this number.
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

        /// - Parameters:
        ///   - pattern: its number; -1 for the group of all grants.
        ///   - isFixed: whether the grants of the cohort are each for one key.
        init(pattern: Int32, bucket: Bucket, cohort: Int32, isFixed: Bool, number: Int32) {
            group = UInt64(UInt32(pattern + 1)) << 32 | UInt64(UInt32(bucket.key))
            member = (isFixed ? 1 : 0) << 63 | UInt64(UInt32(cohort)) << 32 | UInt64(UInt32(Int32.max - number))
        }

        var isFixed: Bool { member >> 63 == 1 }

        var number: Int32 { Int32.max - Int32(truncatingIfNeeded: member) }
        var bucket: Int32 { Int32(truncatingIfNeeded: group) }
        /// The pattern's number plus one; 0 for all grants.
        var pattern: Int { Int(group >> 32) }

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

    /// The index of the first group of all grants, then of each pattern, then the count of groups. The arrays below are alike.
    private var firstGroups: [Int32] = []
    private var groups: [Group] = []
    private var firstMembers: [Int32] = []
    private var members: [Int32] = []

    /// - Parameter patterns: how many there are.
    init(_ rows: consuming [Row], patterns: Int32) {
        rows.sort()
        members.reserveCapacity(rows.count)
        var rest = rows[...]
        while let first = rest.first {
            let group = rest.prefix { $0.isGrouped(with: first) }
            rest = rest.dropFirst(group.count)
            while firstGroups.count <= first.pattern { firstGroups.append(Int32(groups.count)) }
            groups.append(Group(bucket: first.bucket, firstCohort: Int32(firstMembers.count)))
            for cohort in CohortTable.cohorts(in: group) {
                firstMembers.append(Int32(members.count))
                for row in cohort { members.append(row.number) }
            }
        }
        while firstGroups.count <= patterns + 1 { firstGroups.append(Int32(groups.count)) }
        groups.append(Group(bucket: .max, firstCohort: Int32(firstMembers.count)))
        firstMembers.append(Int32(members.count))
    }

    /// Those of grants for prefixes first, then those with the latest grants.
    private static func cohorts(in group: ArraySlice<Row>) -> [ArraySlice<Row>] {
        var cohorts: [ArraySlice<Row>] = []
        var rest = group
        while let first = rest.first {
            cohorts.append(rest.prefix { $0.isAlike(first) })
            rest = rest.dropFirst(cohorts[cohorts.count - 1].count)
        }
        return cohorts.sorted { one, other in
            let (one, other) = (one[one.startIndex], other[other.startIndex])
            return one.isFixed == other.isFixed ? one.number > other.number : other.isFixed
        }
    }

    /// The cohorts of a group: those of grants for prefixes first, then those with the latest grants.
    /// - Parameters:
    ///   - pattern: its number; nil for all grants.
    ///   - bucket: nil for a bucket that no grant names.
    func cohorts(fitting pattern: Int32? = nil, of bucket: Bucket?) -> Range<Int> {
        guard let bucket else { return 0..<0 }
        let pattern = Int(pattern ?? -1) + 1
        let (end, key) = (Int(firstGroups[pattern + 1]), bucket.key)
        var (low, high) = (Int(firstGroups[pattern]), end)
        while low < high {
            let middle = (low + high) / 2
            if groups[middle].bucket < key { low = middle + 1 } else { high = middle }
        }
        guard low < end, groups[low].bucket == key else { return 0..<0 }
        return Int(groups[low].firstCohort)..<Int(groups[low + 1].firstCohort)
    }

    /// The indices of the members of a cohort, the latest grants first.
    func members(of cohort: Int) -> Range<Int> { Int(firstMembers[cohort])..<Int(firstMembers[cohort + 1]) }

    /// The number of a grant.
    subscript(member: Int) -> Int32 { members[member] }
}
