import Bytes
import Crypto

/// A line as it stands in a file: one reading, and nil for everything that `AuditChain` would not have written so.
struct ParsedAuditLine {
    struct Header {
        let reason: AuditChain.Reason
        let previous: Digest
        let unsynced: Int64
    }

    private static let codeMember: StaticString = ",\"mac\":\""

    let number: Int64
    let code: Digest
    /// How many bytes the code is over.
    let length: Int
    /// Nil for a line that begins no segment.
    let header: Header?

    /// - Parameter line: without its newline.
    init?(_ line: Span<UInt8>) {
        let end = line.count - ParsedAuditLine.tailLength
        guard end > 0, line.begins(with: ParsedAuditLine.start),
            line.extracting(end..<line.count).begins(with: Self.codeMember),
            line.extracting(line.count - 2..<line.count).equals("\"}")
        else { return nil }
        let digits = ParsedAuditLine.start.utf8CodeUnitCount
        guard let comma = line.firstIndex(of: UInt8(ascii: ","), from: digits), comma < end,
            let number = Decimal.parse(line.extracting(digits..<comma)), (1...AuditChain.lastNumber).contains(number),
            line[digits] != UInt8(ascii: "0"),
            let code = ParsedAuditLine.code(line.extracting(line.count - 2 - ParsedAuditLine.codeText..<line.count - 2))
        else { return nil }
        self.number = number
        self.code = code
        length = end
        let members = line.extracting(comma + 1..<end)
        guard members.begins(with: "\"time\":\"") else { return nil }
        guard ParsedAuditLine.isHeader(members) else {
            header = nil
            return
        }
        guard let found = ParsedAuditLine.header(members) else { return nil }
        header = found
    }

    /// The code that the line has behind that of another.
    func code(of line: Span<UInt8>, behind previous: Digest, by key: HMACKey) throws(CryptoError) -> Digest {
        var input = ByteWriter(capacity: length + AuditChain.codeLength)
        input.append(previous.bytes)
        input.append(line.extracting(0..<length))
        return try key.sign(input.bytes)
    }

    /// A code in hex, of lower case alone.
    static func code(_ text: Span<UInt8>) -> Digest? {
        guard text.count == codeText, let bytes = Hex.decode(text), text.equals(Hex.encode(bytes)) else { return nil }
        return Digest(bytes)
    }

    private static let start: StaticString = "{\"seq\":"
    private static let codeText = 2 * AuditChain.codeLength
    private static let tailLength = codeMember.utf8CodeUnitCount + codeText + 2

    // `"time":"2026-11-22T04:44:08Z",` is 30 bytes.
    private static let timeLength = 30
    private static let event: StaticString = "\"event\":\"segment\",\"reason\":\""
    private static let previous: StaticString = "\",\"previous\":\""
    private static let unsynced: StaticString = "\",\"unsynced\":"
    private static let version: StaticString = ",\"version\":1"

    private static func isHeader(_ members: Span<UInt8>) -> Bool {
        members.count > timeLength && members.extracting(timeLength..<members.count).begins(with: event)
    }

    private static func header(_ members: Span<UInt8>) -> Header? {
        var rest = members.extracting(timeLength + event.utf8CodeUnitCount..<members.count)
        guard let quote = rest.firstIndex(of: UInt8(ascii: "\"")),
            let reason = AuditChain.Reason(rawValue: rest.extracting(0..<quote).text)
        else { return nil }
        rest = rest.extracting(quote..<rest.count)
        guard let codeStart = skip(Self.previous, rest), rest.count >= codeStart + codeText,
            let code = code(rest.extracting(codeStart..<codeStart + codeText))
        else { return nil }
        rest = rest.extracting(codeStart + codeText..<rest.count)
        guard let countStart = skip(Self.unsynced, rest),
            let comma = rest.firstIndex(of: UInt8(ascii: ","), from: countStart),
            let count = Decimal.parse(rest.extracting(countStart..<comma)),
            rest.extracting(comma..<rest.count).equals(version)
        else { return nil }
        return Header(reason: reason, previous: code, unsynced: count)
    }

    private static func skip(_ text: StaticString, _ rest: Span<UInt8>) -> Int? {
        rest.begins(with: text) ? text.utf8CodeUnitCount : nil
    }
}
