/// The grants of a route, by who may use them.
final class RouteGrants: Sendable {
    /// Those of every caller with an identity; nil for none.
    private let common: GrantList?
    /// Those that name callers. Callers whom the same grants name share a list.
    private let lists: [GrantList]
    /// For each caller's index, the index of its list; -1 for none. Empty where no grant names anybody.
    private let listOfCaller: [Int32]

    /// - Parameters:
    ///   - numbers: the numbers among `grants` of those of the route.
    ///   - buckets: the names of buckets, to which those of these grants are added.
    init(_ numbers: [Int32], of grants: [Grant], for authenticator: Authenticator, buckets: inout NameTable) {
        let shared = numbers.filter { grants[Int($0)].callers.contains(.authenticated) }
        common = shared.isEmpty ? nil : GrantList(shared, of: grants, buckets: &buckets)
        let named = RouteGrants.namedGrants(numbers, of: grants, for: authenticator)
        var lists: [GrantList] = []
        var indices: [[Int32]: Int32] = [:]
        var listOfCaller = [Int32](repeating: -1, count: named.isEmpty ? 0 : authenticator.callers.count)
        for (caller, numbers) in named {
            if let index = indices[numbers] {
                listOfCaller[caller] = index
                continue
            }
            listOfCaller[caller] = Int32(lists.count)
            indices[numbers] = Int32(lists.count)
            lists.append(GrantList(numbers, of: grants, buckets: &buckets))
        }
        self.lists = lists
        self.listOfCaller = listOfCaller
    }

    /// For each caller's index, the grants that name the caller and are not those of all callers anyway.
    private static func namedGrants(
        _ numbers: [Int32], of grants: [Grant], for authenticator: Authenticator
    ) -> [Int: [Int32]] {
        var named: [Int: [Int32]] = [:]
        for number in numbers {
            let selectors = grants[Int(number)].callers
            let isCommon = selectors.contains(.authenticated)
            for selector in selectors where !isCommon || selector == .anonymous {
                for index in authenticator.indices(admittedBy: selector) where named[index]?.last != number {
                    named[index, default: []].append(number)
                }
            }
        }
        return named
    }

    /// The lists of a caller: that of all callers, and its own.
    func lists(for caller: Caller) -> (common: GrantList?, own: GrantList?) {
        let index = ownList(of: caller)
        return (caller.principal.isAnonymous ? nil : common, index < 0 ? nil : lists[index])
    }

    /// The index of the list of grants that name a caller; -1 for none.
    private func ownList(of caller: Caller) -> Int {
        listOfCaller.indices.contains(caller.index) ? Int(listOfCaller[caller.index]) : -1
    }

    /// The numbers of a caller's grants, in the order of the configuration.
    func numbers(for caller: Caller) -> [Int32] {
        let (common, own) = lists(for: caller)
        guard let common, let own else { return (common ?? own)?.numbers ?? [] }
        return (common.numbers + own.numbers).sorted()
    }

    /// Whether a caller may use a grant of this route.
    func contains(_ number: Int32, for caller: Caller) -> Bool {
        let (common, own) = lists(for: caller)
        return common?.contains(number) == true || own?.contains(number) == true
    }

    /// Whether a caller may use none.
    func isEmpty(for caller: Caller) -> Bool {
        (caller.principal.isAnonymous || common == nil) && ownList(of: caller) < 0
    }
}
