import Bytes

/// What one vendor's servers do, as far as the sandbox does it.
///
/// Each verifies what it receives by the vendor's documents and by code of its own, so that the service's signatures are judged by
/// somebody else than their maker. It is asked from many threads at once.
protocol VendorSide: Sendable {
    /// The label before `.localhost` of hosts that are this vendor's: `up.qiniu.localhost` is Qiniu's.
    var label: StaticString { get }

    /// Whether a request that names no vendor by its host is for this one, by how it is signed and by what it asks for.
    func recognises(_ request: SandboxRequest) -> Bool

    /// Answers a request, refusals included, in the vendor's form.
    /// - Parameter now: seconds since 1970.
    /// - Throws: when the content does not arrive whole.
    func answer(
        _ request: SandboxRequest, _ body: BodyReader, at now: Int64
    ) throws(BodyReader.Fault) -> SandboxResponse
}
