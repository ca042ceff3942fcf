import Bytes

/// The origin of the web page that a request comes from (WHATWG Fetch, "CORS protocol").
///
/// The vendors have rules of CORS for each bucket. The sandbox has one for all: pages of this machine may do everything, and pages from
/// elsewhere nothing.
struct PageOrigin {
    private let text: [UInt8]

    /// nil where a request comes from no page.
    init?(_ request: SandboxRequest) {
        guard let text = request.value(of: "origin") else { return nil }
        self.text = text
    }

    /// Whether the page is of this machine: `http://localhost:8000`, `http://127.0.0.1`.
    private var isOfThisMachine: Bool {
        let text = String(decoding: text, as: UTF8.self)
        guard let scheme = ["http://", "https://"].first(where: { text.hasPrefix($0) }) else { return false }
        let host = text.dropFirst(scheme.count)
        let address = HostPort(String(host)) ?? HostPort(host + ":80")
        return address?.address.isLoopback ?? false
    }

    /// The answer to what a browser asks before a request that a form could not have sent (a preflight); nil where `request` is no
    /// such question.
    func preflight(_ request: SandboxRequest) -> SandboxResponse? {
        guard request.isMethod("OPTIONS"), let method = request.value(of: "access-control-request-method") else {
            return nil
        }
        guard isOfThisMachine else {
            return SandboxResponse(
                403, "text/plain; charset=utf-8",
                Array("countersign-sandbox: only pages of this machine may use it, as of http://localhost:8000\n".utf8))
        }
        var response = SandboxResponse(200)
        response.add("Access-Control-Allow-Methods", method)
        if let fields = request.value(of: "access-control-request-headers") {
            response.add("Access-Control-Allow-Headers", fields)
        }
        response.add("Access-Control-Max-Age", 600)
        return response
    }

    /// Lets the page read an answer with all of its fields, if it is of this machine.
    func mayRead(_ response: inout SandboxResponse) {
        let names = Array(response.fields.map(\.name).joined(separator: ", ".utf8))
        response.add("Vary", Array("Origin".utf8))
        guard isOfThisMachine else { return }
        response.add("Access-Control-Expose-Headers", names)
        response.add("Access-Control-Allow-Origin", text)
    }
}
