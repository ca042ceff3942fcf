/// Grants of one route that the same callers may use.
final class GrantList: Sendable {
    enum Content {
        /// So few grants that each is judged.
        case few
        case indexed(GrantIndex)
        /// By the values of one claim that a grant asks for; then the grants without such a condition.
        case byClaim([Claim: GrantList], others: GrantList)
    }

    struct Claim: Hashable {
        let name: [UInt8]
        let value: ClaimValue
    }

    /// Their numbers in the policy, in the order of the configuration.
    let numbers: [Int32]
    let content: Content

    /// Up to this number of grants, judging all is faster than a look-up.
    private static let few = 8

    /// - Parameter buckets: the names of buckets, to which those of these grants are added.
    convenience init(_ numbers: [Int32], of grants: [Grant], buckets: inout NameTable) {
        let (claimed, others) = GrantList.divide(numbers, of: grants)
        guard numbers.count > GrantList.few, !claimed.isEmpty else {
            self.init(unclaimed: numbers, of: grants, buckets: &buckets)
            return
        }
        var lists: [Claim: GrantList] = [:]
        for (claim, numbers) in claimed {
            lists[claim] = GrantList(unclaimed: numbers, of: grants, buckets: &buckets)
        }
        let rest = GrantList(unclaimed: others, of: grants, buckets: &buckets)
        self.init(numbers, .byClaim(lists, others: rest))
    }

    /// Does not look at claims.
    private convenience init(unclaimed numbers: [Int32], of grants: [Grant], buckets: inout NameTable) {
        let isFew = numbers.count <= GrantList.few
        self.init(numbers, isFew ? .few : .indexed(GrantIndex(numbers, of: grants, buckets: &buckets)))
    }

    private init(_ numbers: [Int32], _ content: Content) {
        self.numbers = numbers
        self.content = content
    }

    /// Whether a grant is among them.
    func contains(_ number: Int32) -> Bool {
        let index = numbers.lowerBound { $0 < number }
        return index < numbers.count && numbers[index] == number
    }

    /// The grants that have a condition that one value of a claim meets, by these values, and all others. Of several conditions,
    /// that is taken whose claim has the most values.
    private static func divide(_ numbers: [Int32], of grants: [Grant]) -> ([Claim: [Int32]], others: [Int32]) {
        var values: [[UInt8]: Set<ClaimValue>] = [:]
        for number in numbers {
            for condition in grants[Int(number)].principals.conditions where !condition.isWords {
                values[condition.name, default: []].formUnion(condition.values)
            }
        }
        var claimed: [Claim: [Int32]] = [:]
        var others: [Int32] = []
        for number in numbers {
            let conditions = grants[Int(number)].principals.conditions.filter { !$0.isWords }
            guard let condition = conditions.max(by: { values[$0.name]?.count ?? 0 < values[$1.name]?.count ?? 0 })
            else {
                others.append(number)
                continue
            }
            for value in Set(condition.values) {
                claimed[Claim(name: condition.name, value: value), default: []].append(number)
            }
        }
        return (claimed, others)
    }
}
