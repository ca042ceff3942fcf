import Bytes

/// What names and texts of the configuration may be made of.
enum CharacterRule {
    /// Something, without control characters.
    static func isText(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && !bytes.span.hasControlCharacters
    }

    /// What `countersign init` writes where only the operator knows the value: `<YOUR-BUCKET>`. Nil where there is nothing of the kind.
    static func placeholder(in bytes: [UInt8]) -> String? {
        guard bytes.contains(UInt8(ascii: "<")) else { return nil }
        let text = bytes.text
        guard let start = text.firstRange(of: "<YOUR-")?.lowerBound, let end = text[start...].firstIndex(of: ">") else {
            return nil
        }
        return String(text[start...end])
    }

    /// A host as a Host field or an origin names it, without a port; an IPv6 address in brackets.
    static func isHost(_ bytes: [UInt8]) -> Bool {
        if bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") {
            return IPAddress(Array(bytes.dropFirst().dropLast()).text)?.isV6 == true
        }
        return !bytes.isEmpty && ByteSet.dottedWord.contains(all: bytes)
    }

    /// A host name as TLS names a server, no address; a star may stand for its whole first label.
    static func isServerName(_ bytes: [UInt8]) -> Bool {
        let name = bytes.starts(with: "*.".utf8) ? bytes[2...] : bytes[...]
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return name.count < 254 && IPAddress(Array(name).text) == nil
            && labels.allSatisfy { ByteSet.word.contains(all: $0, length: 1...63) }
    }

    /// `scheme://host[:port]` in lower case, without the scheme's own port, as browsers write it (RFC 6454 section 6).
    static func isOrigin(_ bytes: [UInt8]) -> Bool {
        let scheme = bytes.prefix(while: schemeBytes.contains)
        let rest = bytes[scheme.count...]
        guard !scheme.isEmpty, rest.starts(with: "://".utf8), bytes.allSatisfy({ $0 == $0.lowercasedASCII }) else {
            return false
        }
        let authority = Array(rest.dropFirst(3))
        guard let colon = authority.lastIndex(of: UInt8(ascii: ":")), authority.last != UInt8(ascii: "]") else {
            return isHost(authority)
        }
        guard let port = Decimal.parse(Array(authority[(colon + 1)...]).span, maximum: 65_535), port > 0 else {
            return false
        }
        let isOwn = port == 443 && scheme.elementsEqual("https".utf8) || port == 80 && scheme.elementsEqual("http".utf8)
        return !isOwn && isHost(Array(authority[..<colon]))
    }

    /// RFC 3986 section 3.1, in lower case.
    private static let schemeBytes = ByteSet.lowercaseLabel.union("+.")
}
