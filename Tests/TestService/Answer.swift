import Foundation
import Testing

/// What a server has answered.
struct Answer: Sendable {
    let status: Int
    let fields: [(name: String, value: String)]
    var body: [UInt8] = []
    /// Seconds that the clock of the service was ahead of the machine's.
    var ahead: Int64 = 0

    init(head: ArraySlice<UInt8>) throws {
        let lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
        guard let first = lines.first, first.hasPrefix("HTTP/1.1 "), let status = Int(first.dropFirst(9).prefix(3))
        else {
            throw Program.Failure(description: "no status line: \(lines.first ?? "")")
        }
        self.status = status
        fields = try lines.dropFirst().filter { !$0.isEmpty }.map { line in
            guard let colon = line.firstRange(of: ": ") else {
                throw Program.Failure(description: "no field: \(line)")
            }
            return (String(line[..<colon.lowerBound]), String(line[colon.upperBound...]))
        }
    }

    /// The value of a field that is there once.
    subscript(name: String) -> String? {
        let values = fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }

    func has(_ name: String) -> Bool { fields.contains { $0.name.lowercased() == name.lowercased() } }

    var text: String { String(decoding: body, as: UTF8.self) }
    /// What it says without the URL of its error's section, for tests that look for other URLs.
    var textWithoutType: String { text.replacing(Answer.reference, with: "") }
    /// What the type of every problem begins with.
    static let reference = "/docs/api.md#"
    var closes: Bool { self["Connection"] == "close" }
    var json: JSON { (try? JSON(text)) ?? .null }
}

extension Answer {
    /// Section 3 of api.md: the answer is a problem of this status and code, which says `detail`.
    func expectProblem(
        _ status: Int, _ code: String, _ detail: String = "", forSDK: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectAlwaysFields(sourceLocation: sourceLocation)
        guard self.status == status else {
            Issue.record("\(self.status) instead of \(status): \(text.prefix(200))", sourceLocation: sourceLocation)
            return
        }
        #expect(self["Content-Type"] == "application/problem+json", sourceLocation: sourceLocation)
        let problem = json
        #expect(
            problem["type"] == .string(Answer.reference + code),
            sourceLocation: sourceLocation)
        #expect(problem["title"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
        #expect(problem["status"] == .integer(Int64(status)), sourceLocation: sourceLocation)
        #expect(problem["code"] == .string(code), "\(text)", sourceLocation: sourceLocation)
        #expect(problem["requestId"]?.string == self["X-Request-Id"], sourceLocation: sourceLocation)
        let told = problem["detail"]?.string ?? ""
        #expect(!told.isEmpty, sourceLocation: sourceLocation)
        #expect(detail.isEmpty || told.contains(detail), "\(told)", sourceLocation: sourceLocation)
        // A problem has only the members that are documented.
        var known = ["type", "title", "status", "code", "detail", "requestId", "parameter", "clause"]
        if forSDK {
            known += ["StatusCode", "ErrorCode", "ErrorMessage"]
            #expect(problem["StatusCode"] == .integer(Int64(status)), sourceLocation: sourceLocation)
            #expect(problem["ErrorCode"] == .string(code), sourceLocation: sourceLocation)
            #expect(problem["ErrorMessage"] == problem["detail"], sourceLocation: sourceLocation)
        }
        if let error = problem["error"] {
            // Of Iceberg's REST catalog.
            known.append("error")
            #expect(
                error["code"] == .integer(Int64(status)) && error["message"] == problem["detail"],
                sourceLocation: sourceLocation)
        }
        #expect(problem.names.allSatisfy(known.contains), "\(problem.names)", sourceLocation: sourceLocation)
    }

    /// Section 2 of api.md: the fields that every answer has.
    func expectAlwaysFields(sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(self["Cache-Control"] == "no-store", sourceLocation: sourceLocation)
        #expect(self["X-Content-Type-Options"] == "nosniff", sourceLocation: sourceLocation)
        #expect(self["X-Request-Id"]?.isEmpty == false, sourceLocation: sourceLocation)
        let ages = Answer.age.lowerBound + ahead...Answer.age.upperBound + ahead
        let date = moment(ages, writtenAs: self["Date"], by: httpDate)
        #expect(date != nil, "\(fields)", sourceLocation: sourceLocation)
    }

    /// When an answer that is looked at now can have come, in seconds from now: what came while others were read is older, and on a
    /// busy machine that takes its time.
    static let age: ClosedRange<Int64> = -30...0

    /// A success in JSON, with the fields that every answer has.
    func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
        expectAlwaysFields(sourceLocation: sourceLocation)
        #expect(status == 200, "\(text)", sourceLocation: sourceLocation)
        #expect(self["Content-Type"] == "application/json; charset=utf-8", sourceLocation: sourceLocation)
    }
}

/// JSON by type: `1`, `true` and `"1"` are three different things.
enum JSON: Decodable, Equatable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral
{
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case list([JSON])
    case object([String: JSON])

    init(_ text: String) throws { self = try JSONDecoder().decode(JSON.self, from: Data(text.utf8)) }

    init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        // What is most common first: each try that fails makes an error.
        if value.decodeNil() {
            self = .null
        } else if let text = try? value.decode(String.self) {
            self = .string(text)
        } else if let members = try? value.decode([String: JSON].self) {
            self = .object(members)
        } else if let list = try? value.decode([JSON].self) {
            self = .list(list)
        } else if let flag = try? value.decode(Bool.self) {
            self = .boolean(flag)
        } else if let number = try? value.decode(Int64.self) {
            self = .integer(number)
        } else {
            self = .real(try value.decode(Double.self))
        }
    }

    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int64) { self = .integer(value) }
    init(booleanLiteral value: Bool) { self = .boolean(value) }

    subscript(name: String) -> JSON? { if case .object(let members) = self { members[name] } else { nil } }
    var names: Set<String> { if case .object(let members) = self { Set(members.keys) } else { [] } }
    var string: String? { if case .string(let text) = self { text } else { nil } }
    var integer: Int64? { if case .integer(let number) = self { number } else { nil } }
    var list: [JSON]? { if case .list(let list) = self { list } else { nil } }
}
