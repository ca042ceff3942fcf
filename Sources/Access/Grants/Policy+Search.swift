import Bytes

/// Judges only the grants that can change the decision, so that an ask costs the same however many grants the caller has.
///
/// A caller is told of the grants that come nearest to the ask. So every grant is judged that has the key and the bucket. Of the
/// others only one matters: the last that reaches the clause of the key or, if none does, the clause of the bucket; a grant for a
/// prefix goes before grants for a fixed key. The grants of a cohort all reach the same clause, so one of them stands for the others.
extension Policy {
    /// Judges some of a caller's grants. `workspace.tally` is then the same as if all had been judged, or is full.
    func search(
        for ask: borrowing Ask, on route: Int, by caller: Caller, at instant: Instant,
        in workspace: inout PolicyWorkspace
    ) {
        workspace.tally = Tally()
        if let name = ask.grant {
            search(named: ask.parameters.bytes(name), for: ask, on: route, by: caller, at: instant, in: &workspace)
        } else if let ticket = caller.ticket {
            search(named: ticket.terms.grant.span, for: ask, on: route, by: caller, at: instant, in: &workspace)
        } else {
            let (common, own) = routes[route].lists(for: caller)
            search(common, for: ask, by: caller, at: instant, in: &workspace)
            search(own, for: ask, by: caller, at: instant, in: &workspace)
        }
    }

    /// All grants of other names are foreign.
    private func search(
        named name: Span<UInt8>, for ask: borrowing Ask, on route: Int, by caller: Caller, at instant: Instant,
        in workspace: inout PolicyWorkspace
    ) {
        guard let number = names.number(of: name), routes[route].contains(number, for: caller) else { return }
        _ = judge(number, ask, by: caller, at: instant, in: &workspace)
    }

    private func search(
        _ list: GrantList?, for ask: borrowing Ask, by caller: Caller, at instant: Instant,
        in workspace: inout PolicyWorkspace
    ) {
        guard let list else { return }
        switch list.content {
        case .few:
            for number in list.numbers where !workspace.tally.isFull {
                _ = judge(number, ask, by: caller, at: instant, in: &workspace)
            }
        case .indexed(let index): search(index, for: ask, by: caller, at: instant, in: &workspace)
        case .byClaim(let lists, let others):
            search(others, for: ask, by: caller, at: instant, in: &workspace)
            for (name, value) in caller.claims.entries {
                switch value {
                case .single(let value):
                    search(lists[.init(name: name, value: value)], for: ask, by: caller, at: instant, in: &workspace)
                case .list(let values):
                    for value in values {
                        search(
                            lists[.init(name: name, value: value)], for: ask, by: caller, at: instant, in: &workspace)
                    }
                }
            }
        }
    }

    private func search(
        _ index: GrantIndex, for ask: borrowing Ask, by caller: Caller, at instant: Instant,
        in workspace: inout PolicyWorkspace
    ) {
        let buckets = buckets(for: ask)
        if let key = ask.key, !ask.isAboutService, !ask.keyIsRelative {
            index.tree.find(key, of: ask, for: caller, at: instant, in: &workspace.walk)
            for match in workspace.walk.matches.indices {
                for bucket in buckets.indices {
                    let cohorts = index.cohorts.cohorts(fitting: workspace.walk.matches[match], of: buckets[bucket])
                    judge(all: cohorts, of: index, ask, by: caller, at: instant, in: &workspace)
                }
            }
            // A grant that needs a bucket says so whatever the key is.
            if ask.bucket == nil { judge(nearestOf: .asked, of: index, ask, by: caller, at: instant, in: &workspace) }
            if !workspace.tally.reaches(.fields) {
                for bucket in buckets.indices {
                    judge(nearestOf: buckets[bucket], of: index, ask, by: caller, at: instant, in: &workspace)
                }
            }
        } else {
            for bucket in buckets.indices {
                let cohorts = index.cohorts.cohorts(of: buckets[bucket])
                judge(all: cohorts, of: index, ask, by: caller, at: instant, in: &workspace)
            }
        }
        if !workspace.tally.reaches(.bucket) {
            judge(nearestOf: .any, of: index, ask, by: caller, at: instant, in: &workspace)
        }
    }

    /// The groups of grants that the ask's bucket fits; the group of all grants where the ask names no bucket.
    private func buckets(for ask: borrowing Ask) -> InlineArray<3, CohortTable.Bucket?> {
        guard let bucket = ask.bucket, !ask.isAboutService else { return [.any, nil, nil] }
        return [self.buckets.number(of: bucket).map { .named($0) }, .asked, .absent]
    }

    /// Judges grants of each cohort up to the first that objects to something other than its own key: all others would object, too.
    private func judge(
        all cohorts: Range<Int>, of index: GrantIndex, _ ask: borrowing Ask, by caller: Caller, at instant: Instant,
        in workspace: inout PolicyWorkspace
    ) {
        for cohort in cohorts {
            for member in index.cohorts.members(of: cohort) {
                if workspace.tally.isFull { return }
                let number = index.cohorts[member]
                switch judge(number, ask, by: caller, at: instant, in: &workspace) {
                case .fits: continue
                case .objects(_, .fields)
                where Policy.objection(toKey: workspace.candidate.key, of: ask, by: all[Int(number)]) != nil: continue
                default: break
                }
                break
            }
        }
    }

    /// Judges the last grant of each cohort of a bucket, up to one that reaches the clause of the bucket: no earlier grant without
    /// the key or the bucket gets farther.
    private func judge(
        nearestOf bucket: CohortTable.Bucket?, of index: GrantIndex, _ ask: borrowing Ask, by caller: Caller,
        at instant: Instant, in workspace: inout PolicyWorkspace
    ) {
        for cohort in index.cohorts.cohorts(of: bucket) {
            let number = index.cohorts[index.cohorts.members(of: cohort).lowerBound]
            switch judge(number, ask, by: caller, at: instant, in: &workspace) {
            case .foreign, .obscure: continue
            case .objects(_, let clause): if clause >= .bucket { return }
            case .fits, .missing, .lifetimeTooLong: return
            }
        }
    }

    /// Judges a grant, and adds the verdict to the tally.
    private func judge(
        _ number: Int32, _ ask: borrowing Ask, by caller: Caller, at instant: Instant,
        in workspace: inout PolicyWorkspace
    ) -> Verdict {
        let grant = all[Int(number)]
        let verdict = judge(ask, by: grant, for: caller, at: instant, &workspace.candidate)
        if workspace.tally.add(verdict, on: ask, of: grant, number) { swap(&workspace.winning, &workspace.candidate) }
        return verdict
    }
}
