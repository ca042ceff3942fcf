import Bytes

/// The vendors' sides at one port. A request is for the vendor that its host names (`demo-bucket.oss.localhost`), or else for the
/// first that recognises it.
package final class Sandbox: Sendable {
    private let sides: [any VendorSide]

    init(_ sides: [any VendorSide]) { self.sides = sides }

    /// All vendors with the accounts of a folder, whose objects are there, too.
    /// - Parameters:
    ///   - roles: that Alibaba's callers may assume, as `acs:ram::<account>:role/<name>`.
    ///   - callbackHosts: where callbacks of uploads may go.
    ///   - data: the folder.
    package convenience init(
        _ accounts: AccountFolder, roles: [[UInt8]], callbackHosts: [HostPort] = [], data: String
    ) throws {
        let sts = STSSide(SandboxSTS.Settings(callers: try accounts.callers(of: .alibaba), roles: roles))
        let qiniu = try QiniuSide(
            KodoService(
                VendorAccounts(try accounts.callers(of: .qiniu)), try ObjectStore(.qiniu, in: data),
                callbackHosts: callbackHosts))
        let nos = try NOSSide(try accounts.callers(of: .netease), callbackHosts: callbackHosts, data: data)
        let oss = try OSSSide(
            OSSAccounts(accounts: VendorAccounts(try accounts.callers(of: .alibaba)), session: { sts.session($0) }),
            OSSCallbacks(to: callbackHosts), data: data)
        self.init([qiniu, nos, sts, oss])
    }

    /// - Parameter now: seconds since 1970.
    func answer(
        _ request: SandboxRequest, _ body: BodyReader, at now: Int64
    ) throws(BodyReader.Fault) -> SandboxResponse {
        guard let page = PageOrigin(request) else { return try vendorsAnswer(request, body, at: now) }
        var response: SandboxResponse
        if let leave = page.preflight(request) {
            response = leave
        } else {
            response = try vendorsAnswer(request, body, at: now)
        }
        page.mayRead(&response)
        return response
    }

    private func vendorsAnswer(
        _ request: SandboxRequest, _ body: BodyReader, at now: Int64
    ) throws(BodyReader.Fault) -> SandboxResponse {
        let named = sides.first { isNamed($0, request.host) }
        guard let side = named ?? sides.first(where: { $0.recognises(request) }) else { return Sandbox.unrecognised }
        return try side.answer(request, body, at: now)
    }

    /// Whether the host is one of a vendor's names below `localhost`.
    private func isNamed(_ side: any VendorSide, _ host: [UInt8]) -> Bool {
        let name = host.prefix { $0 != UInt8(ascii: ":") }.map(\.lowercasedASCII)
        let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count >= 2, labels[labels.count - 1].elementsEqual("localhost".utf8) else { return false }
        return Array(labels[labels.count - 2]).span.equals(side.label)
    }

    private static let unrecognised = SandboxResponse(
        404, "text/plain; charset=utf-8",
        Array(
            """
            countersign-sandbox: this is no request of a vendor that it knows. A request is told by its signature, or by a host such \
            as up.qiniu.localhost, BUCKET.oss.localhost or BUCKET.nos.localhost.

            """.utf8))
}
