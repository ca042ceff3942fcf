import Bytes

/// The parameters of a route, laid out so that one is found for every request without counting references.
package final class ParameterList: Sendable, Sequence {
    private struct Name {
        let range: Range<Int>
        let position: Int
    }

    package let descriptions: [ParameterDescription]
    /// By position.
    private let identities: [ObjectIdentifier]
    /// The names and aliases, one behind the other.
    private let text: [UInt8]
    private let names: [Name]

    /// The names of the parameters whose values in a JSON object are kept as they stand there.
    package let wholeNames: [[UInt8]]

    package static let empty = ParameterList([])

    package init(_ descriptions: [ParameterDescription]) {
        self.descriptions = descriptions
        identities = descriptions.map { ObjectIdentifier($0) }
        var text: [UInt8] = []
        var names: [Name] = []
        for (position, description) in descriptions.enumerated() {
            for name in [description.name] + description.aliases {
                let start = text.count
                text.append(contentsOf: name.utf8)
                names.append(Name(range: start..<text.count, position: position))
            }
        }
        self.text = text
        self.names = names
        wholeNames = descriptions.filter(\.kind.isWhole).map(\.nameBytes)
    }

    package subscript(position: Int) -> ParameterDescription { descriptions[position] }

    package func makeIterator() -> IndexingIterator<[ParameterDescription]> { descriptions.makeIterator() }

    /// The position of a parameter; nil for one of another route.
    func position(of parameter: ParameterDescription) -> Int? {
        let sought = ObjectIdentifier(parameter)
        for position in identities.indices where identities[position] == sought { return position }
        return nil
    }

    /// Whether a name is that of a part of something that is ignored, such as `metadata[a]`.
    func ignores(_ name: Span<UInt8>) -> Bool {
        guard let end = name.firstIndex(of: UInt8(ascii: "[")), let position = position(named: name.extracting(0..<end))
        else { return false }
        if case .ignored = descriptions[position].kind { return true }
        return false
    }

    /// The position of the parameter that is called so, by its name or an alias.
    func position(named name: Span<UInt8>) -> Int? {
        let text = text
        let all = text.span
        for other in names where all.extracting(other.range).equals(name) { return other.position }
        return nil
    }
}
