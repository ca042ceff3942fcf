import Bytes

/// A parameter of a request's query, not encoded. An empty value is none.
extension NameValue {
    /// Writes `name=value`, percent-encoded.
    func write(into out: inout ByteWriter) {
        Percent.encode(name.span, into: &out)
        out.append(UInt8(ascii: "="))
        Percent.encode(value.span, into: &out)
    }

    /// The same as it is signed.
    /// - Parameter isBare: whether a name without a value stands alone, as OSS signs it.
    func writeCanonical(isBare: Bool, into out: inout ByteWriter) {
        if isBare, value.isEmpty { return Percent.encode(name.span, into: &out) }
        write(into: &out)
    }

    /// Whether the name comes before the other one once both are encoded: `%` is less than everything that is left as it is.
    func precedesEncoded(_ other: NameValue) -> Bool {
        for (mine, other) in zip(name, other.name) where mine != other {
            let (isMinePlain, isOtherPlain) = (ByteSet.unreserved.contains(mine), ByteSet.unreserved.contains(other))
            return isMinePlain == isOtherPlain ? mine < other : isOtherPlain
        }
        return name.count < other.name.count
    }
}

extension [NameValue] {
    /// The same in order; no other array where they are so already.
    func inOrder(_ precedes: (NameValue, NameValue) -> Bool) -> [NameValue] {
        let isSorted = indices.dropFirst().allSatisfy { !precedes(self[$0], self[$0 - 1]) }
        return isSorted ? self : sorted(by: precedes)
    }
}
