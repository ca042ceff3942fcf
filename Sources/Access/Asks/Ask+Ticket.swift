import Bytes

/// What a ticket fixes of what is asked (R11).
extension Ask {
    /// Adds the parameters that the ticket has; a request that says one of them must say the same.
    /// - Returns: what it says otherwise.
    package mutating func fix(
        _ terms: TicketTerms, by known: ParameterList
    ) throws(ParameterError) -> Objection? {
        var asked: [Int] = []
        var objection: Objection?
        for entry in parameters.entries {
            guard let position = known.position(named: parameters.bytes(entry.name)) else { continue }
            if terms.parameters.contains(where: { $0.name.elementsEqual(known[position].name.utf8) }) {
                if !isFixed(entry, at: position, by: terms, known) {
                    objection = Objection("ticket", "the ticket fixes a parameter otherwise; leave it out")
                }
                asked.append(position)
            }
        }
        for parameter in terms.parameters
        where !asked.contains(where: { parameter.name.elementsEqual(known[$0].name.utf8) }) {
            try parameters.add(name: parameter.name.span, value: parameter.value.span, form: .text)
        }
        return objection
    }

    /// A list is left out, or else it would have to be compared as a set, and so is JSON, whose white space says nothing.
    private func isFixed(
        _ entry: Parameters.Entry, at position: Int, by terms: TicketTerms, _ known: ParameterList
    ) -> Bool {
        switch known[position].kind {
        case .pairs, .json: return false
        default: break
        }
        return terms.parameters.contains {
            $0.name.elementsEqual(known[position].name.utf8) && parameters.bytes(entry.value).equals($0.value)
        }
    }

    /// The parameters that were asked, as a ticket fixes them: by their proper names, those of lists as `name:value`.
    package func fixed(by known: ParameterList) -> [NameValue] {
        parameters.entries.compactMap { entry in
            guard let position = known.position(named: parameters.bytes(entry.name)) else { return nil }
            // A ticket names its grant anyhow.
            if case .grant = known[position].kind { return nil }
            var value = parameters.bytes(entry.value).array
            if case .pairs(let separator, _, _) = known[position].kind, case .member(let name) = entry.nesting {
                value = parameters.bytes(name).array + [separator] + value
            }
            return NameValue(known[position].nameBytes, value)
        }
    }
}
