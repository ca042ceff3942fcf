import Bytes

extension Grant {
    /// What callers are told of a field (`GET /grants`), for people; nil where they are told nothing.
    func told(_ name: String) -> [UInt8]? {
        var text = ByteWriter()
        text.append(object: { $0.add(issuance.facts) })
        guard let all = try? JSONReader.read(text.array, as: .json) else { return nil }
        return all[name].flatMap(Grant.text)
    }

    private static func text(_ value: JSONValue) -> [UInt8]? {
        switch value.content {
        case .string(let text): text
        case .number(let number): number.text
        case .boolean(let flag): Array(text: "\(flag)")
        case .array(let list): Array(list.compactMap(text).joined(separator: Array(text: ", ")))
        case .null, .object: nil
        }
    }
}
