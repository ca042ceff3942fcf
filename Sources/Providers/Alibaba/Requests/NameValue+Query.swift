import Bytes

/// A parameter of a request's query, not encoded. To OSS an empty value is none.
extension NameValue {
    /// Writes `name=value`, percent-encoded.
    func write(into out: inout ByteWriter) {
        Percent.encode(name.span, into: &out)
        out.append(UInt8(ascii: "="))
        Percent.encode(value.span, into: &out)
    }

    /// The same, but the name alone if there is no value: the form that versions 2 and 4 sign.
    func writeCanonical(into out: inout ByteWriter) {
        Percent.encode(name.span, into: &out)
        if value.isEmpty { return }
        out.append(UInt8(ascii: "="))
        Percent.encode(value.span, into: &out)
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
