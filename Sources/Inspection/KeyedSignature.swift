import Access
import Bytes

/// `AK:sign`, as Authorization fields of several vendors have it.
struct KeyedSignature {
    let accessKey, signature: [UInt8]

    /// Nil, having noted why, for a text of another form.
    init?(_ text: [UInt8], in inspection: inout Inspection) {
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else {
            inspection.fails("form", "it must be access key and signature, joined by :")
            return nil
        }
        accessKey = Array(text[..<colon])
        signature = Array(text[(colon + 1)...])
    }

    /// Notes whether the signature is that of the request.
    /// - Parameter sign: writes an Authorization field for the request by this method.
    func judge(
        of request: InspectedRequest, in inspection: inout Inspection,
        _ sign: (_ method: [UInt8]) throws(IssueError) -> [UInt8]
    ) {
        inspection.isSigned(signature, of: request) { method throws(IssueError) in
            let made = try sign(method)
            return made.lastIndex(of: UInt8(ascii: ":")).map { Array(made[($0 + 1)...]) } ?? []
        }
    }
}

extension Inspection {
    /// Notes that there is no request to check the signature by.
    mutating func lacksRequest() {
        leavesOpen("signature", "it is over the request: give that, with its method, target and fields")
    }

    /// Notes whether a signature in a field is that of the request.
    mutating func isSigned(
        _ claimed: [UInt8], of request: InspectedRequest, _ sign: (_ method: [UInt8]) throws(IssueError) -> [UInt8]
    ) {
        isSigned(claimed, byOneOf: [request.method ?? []], otherwise: "it is not that of this request", sign)
    }
}
