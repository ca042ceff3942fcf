import Foundation

/// JSON as a test reads it: with Foundation's reader, not with ours, whole numbers and booleans told apart.
enum JSON: Decodable, Equatable {
    case null, boolean(Bool), integer(Int64), string(String), array([JSON]), object([String: JSON])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSON].self))
        }
    }

    static func read(_ data: Data) throws -> JSON { try JSONDecoder().decode(JSON.self, from: data) }

    subscript(name: String) -> JSON? { if case .object(let members) = self { members[name] } else { nil } }
    var string: String? { if case .string(let value) = self { value } else { nil } }
    var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
    var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
    var bytes: [UInt8] { Array((string ?? "").utf8) }
}
