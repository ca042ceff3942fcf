import Bytes

/// What a URL ticket says (R11): its caller, its request, and its end. It can be used until it ends, since SDKs fetch one URL again and
/// again, or so many times (`TicketUses`), and it gives nothing that its principal's grants of today do not give.
package struct Ticket: Sendable {
    /// What it is denied by; letters, digits, `-` and `_`.
    package let id: [UInt8]
    package let principal: Principal
    /// What the principal's own credential said, as far as grants looked at it.
    let claims: CallerClaims
    /// Seconds since 1970.
    package let endsAt: Int64
    package let terms: TicketTerms
    /// Identifies the credential of the ticket's maker (`TicketSigner.mark`). The ticket ends when that credential does.
    let mark: [UInt8]
    /// Which key has signed it; empty for one that is being made.
    let keyID: [UInt8]
    /// How often it may be used; nil for any number of times.
    package let uses: TicketUses?

    /// A ticket of `caller`'s own; nil where the request for one came with a ticket or without a credential.
    /// - Parameter mark: that of the caller's proof.
    package init?(
        _ id: [UInt8], for caller: Caller, until end: Int64, _ terms: TicketTerms, mark: [UInt8],
        uses: TicketUses? = nil
    ) {
        guard caller.ticket == nil, !caller.principal.isAnonymous else { return nil }
        self.id = id
        principal = caller.principal
        claims = caller.claims
        endsAt = end
        self.terms = terms
        self.mark = mark
        self.uses = uses
        keyID = []
    }

    /// Whether it is past its end.
    /// - Parameter now: seconds since 1970.
    package func hasEnded(at now: Int64) -> Bool { now >= endsAt }
}

/// How often a ticket may be used, and where that is counted.
package struct TicketUses: Sendable, Equatable {
    package let count: Int64
    /// The counters that knew the ticket when it was made (`TicketCounter`); none that began later tells how often it was used.
    package let epoch: [UInt8]

    package static let counts: ClosedRange<Int64> = 1...1000

    /// - Returns: nil beyond `counts`.
    package init?(_ count: Int64, epoch: [UInt8]) {
        guard TicketUses.counts.contains(count) else { return nil }
        self.count = count
        self.epoch = epoch
    }
}

/// What a ticket may be used for.
package struct TicketTerms: Sendable {
    /// The grant's name; a grant has one route.
    package let grant: [UInt8]
    /// What the request asks whether it says so or not.
    package let parameters: [NameValue]

    package init(grant: [UInt8], parameters: [NameValue]) {
        self.grant = grant
        self.parameters = parameters
    }
}

// MARK: - On the wire

/// Every part has its length before it, so that no two tickets are written alike.
extension Ticket {
    private static let version: UInt8 = 3
    /// That of a ticket whose uses are counted; a service that does not count takes none.
    private static let countedVersion: UInt8 = 4

    func write(into out: inout ByteWriter) {
        out.append(uses == nil ? Ticket.version : Ticket.countedVersion)
        if let uses {
            out.append(bigEndian: UInt16(clamping: uses.count))
            out.append(part: uses.epoch)
        }
        out.append(part: id)
        out.append(bigEndian: UInt64(bitPattern: endsAt))
        out.append(Ticket.code(of: principal.kind))
        out.append(part: principal.id)
        out.append(part: principal.subject)
        out.append(bigEndian: UInt16(clamping: claims.entries.count))
        for claim in claims.entries {
            out.append(part: claim.name)
            switch claim.value {
            case .single(let value): out.append(value)
            case .list(let list):
                out.append(ClaimCode.list.rawValue)
                out.append(bigEndian: UInt16(clamping: list.count))
                for value in list { out.append(value) }
            }
        }
        out.append(part: mark)
        out.append(part: terms.grant)
        out.append(bigEndian: UInt16(clamping: terms.parameters.count))
        for parameter in terms.parameters {
            out.append(part: parameter.name)
            out.append(part: parameter.value)
        }
    }

    /// - Parameter bytes: what `write` wrote; nil for anything else, or more.
    init?(reading bytes: Span<UInt8>, keyID: [UInt8] = []) {
        var reader = TicketReader(bytes)
        var uses: TicketUses?
        switch reader.byte() {
        case Ticket.version: break
        case Ticket.countedVersion:
            guard let count = reader.number(bytes: 2), let epoch = reader.part(),
                let counted = TicketUses(Int64(count), epoch: epoch)
            else { return nil }
            uses = counted
        default: return nil
        }
        guard let id = reader.part(), let end = reader.number(bytes: 8),
            let kind = reader.byte().flatMap(Ticket.kind), let principalID = reader.part(), let subject = reader.part(),
            let claims = reader.claims(), let mark = reader.part(), let grant = reader.part(),
            let parameters = reader.parameters(),
            reader.isAtEnd
        else { return nil }
        self.id = id
        principal = Principal(kind, id: principalID, subject: subject)
        self.claims = CallerClaims(claims)
        endsAt = Int64(bitPattern: end)
        self.mark = mark
        self.keyID = keyID
        self.uses = uses
        terms = TicketTerms(grant: grant, parameters: parameters)
    }

    /// Kinds have numbers of their own, which never change.
    private static func code(of kind: Principal.Kind) -> UInt8 {
        switch kind {
        case .anonymous: 0
        case .apiKey: 1
        case .jwt: 2
        case .certificate: 3
        }
    }

    private static func kind(_ code: UInt8) -> Principal.Kind? {
        switch code {
        case 1: .apiKey
        case 2: .jwt
        case 3: .certificate
        default: nil
        }
    }
}

/// What stands before a claim's value, or before each value of a list. The numbers never change.
private enum ClaimCode: UInt8 {
    case text = 0
    case list = 1
    case integer = 2
    case `false` = 3
    case `true` = 4
}

extension ByteWriter {
    fileprivate mutating func append(_ value: ClaimValue) {
        switch value {
        case .text(let text):
            append(ClaimCode.text.rawValue)
            append(part: text)
        case .integer(let number):
            append(ClaimCode.integer.rawValue)
            append(bigEndian: UInt64(bitPattern: number))
        case .boolean(let flag): append((flag ? ClaimCode.true : .false).rawValue)
        }
    }

    fileprivate mutating func append(part: [UInt8]) {
        append(bigEndian: UInt16(clamping: part.count))
        append(part)
    }

    fileprivate mutating func append(bigEndian number: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

/// Reads a ticket from its beginning; nil when it is not written so.
private struct TicketReader: ~Escapable {
    private let bytes: Span<UInt8>
    private var position = 0

    @_lifetime(copy bytes)
    init(_ bytes: Span<UInt8>) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }

    mutating func byte() -> UInt8? {
        guard position < bytes.count else { return nil }
        position += 1
        return bytes[position - 1]
    }

    mutating func number(bytes count: Int) -> UInt64? {
        var number: UInt64 = 0
        for _ in 0..<count {
            guard let byte = byte() else { return nil }
            number = number << 8 | UInt64(byte)
        }
        return number
    }

    mutating func part() -> [UInt8]? {
        guard let count = number(bytes: 2), bytes.count - position >= Int(count) else { return nil }
        position += Int(count)
        return bytes.extracting(position - Int(count)..<position).array
    }

    mutating func claims() -> [(name: [UInt8], value: CallerClaims.Value)]? {
        guard let count = number(bytes: 2) else { return nil }
        var claims: [(name: [UInt8], value: CallerClaims.Value)] = []
        for _ in 0..<count {
            guard let name = part(), let code = claimCode() else { return nil }
            guard code == .list else {
                guard let value = claim(code) else { return nil }
                claims.append((name, .single(value)))
                continue
            }
            guard let count = number(bytes: 2) else { return nil }
            var list: [ClaimValue] = []
            for _ in 0..<count {
                guard let code = claimCode(), let value = claim(code) else { return nil }
                list.append(value)
            }
            claims.append((name, .list(list)))
        }
        return claims
    }

    private mutating func claimCode() -> ClaimCode? { byte().flatMap(ClaimCode.init) }

    /// One value; a list has none in it.
    private mutating func claim(_ code: ClaimCode) -> ClaimValue? {
        switch code {
        case .text: part().map { .text($0) }
        case .integer: number(bytes: 8).map { .integer(Int64(bitPattern: $0)) }
        case .false: .boolean(false)
        case .true: .boolean(true)
        case .list: nil
        }
    }

    mutating func parameters() -> [NameValue]? {
        guard let count = number(bytes: 2) else { return nil }
        var parameters: [NameValue] = []
        for _ in 0..<count {
            guard let name = part(), let value = part() else { return nil }
            parameters.append(NameValue(name, value))
        }
        return parameters
    }
}
