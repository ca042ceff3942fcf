import Bytes

/// An object's name as it stands in URLs and in the resource that is signed.
enum NOSObjectName {
    /// Writes `name` percent-encoded, `/` included, `*` not: the path that is sent is the path that is signed. The vendor's
    /// Java and PHP SDKs write `~` as `%7E`, its Python SDK does not; a server that encodes the decoded name again does as the
    /// former.
    static func encode(_ name: Span<UInt8>, into out: inout ByteWriter) {
        Percent.encode(name, keeping: plainBytes, into: &out)
    }

    private static let plainBytes = ByteSet.dottedWord.union("*")
}
