/// A configuration as a tree that single keys can be set in; paths are names, `[]` for the one element of a list.
indirect enum Tree {
    case text(String)
    case object([(name: String, value: Tree)])
    case list(Tree)

    /// What stands at a path is replaced, or put there; taken out where `value` is nil.
    mutating func set(_ path: ArraySlice<String>, to value: String?) {
        guard let name = path.first else {
            self = .text(value ?? "null")
            return
        }
        if name == "[]" {
            var element = if case .list(let element) = self { element } else { Tree.object([]) }
            element.set(path.dropFirst(), to: value)
            self = .list(element)
            return
        }
        var members = if case .object(let members) = self { members } else { [(name: String, value: Tree)]() }
        let index = members.firstIndex { $0.name == name } ?? members.count
        if index == members.count { members.append((name, .object([]))) }
        if path.count == 1, value == nil {
            members.remove(at: index)
        } else {
            members[index].value.set(path.dropFirst(), to: value)
        }
        self = .object(members)
    }

    var written: String {
        switch self {
        case .text(let text): text
        case .list(let element): "[\(element.written)]"
        case .object(let members): "{\(members.map { "\"\($0.name)\":\($0.value.written)" }.joined(separator: ","))}"
        }
    }
}
