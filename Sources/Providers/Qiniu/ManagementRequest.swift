import Access
import Bytes

/// A request to Qiniu's management services, or a callback from them: as much of it as their signatures cover.
///
/// No part can be read as the next one, nor the whole as another kind of text that the same key signs: upload policies are
/// base64, download URLs begin with `http`, and this begins with `/` or with a method and a space.
package struct ManagementRequest: ~Escapable {
    let method: Span<UInt8>
    /// Path and query as they are on the request line.
    let target: Span<UInt8>
    /// The Host field, with the port if it has one.
    let host: Span<UInt8>
    /// The Content-Type field; empty when there is none.
    let contentType: Span<UInt8>
    /// The `X-Qiniu-` fields.
    let fields: SignedFields
    let body: Span<UInt8>

    /// - Parameter fieldLines: field lines as they are sent, each ended by CR LF; those that are not signed do not matter.
    @_lifetime(copy method, copy target, copy host, copy contentType, copy fieldLines, copy body)
    package init(
        method: Span<UInt8>, target: Span<UInt8>, host: Span<UInt8>, contentType: Span<UInt8>,
        fieldLines: Span<UInt8>, body: Span<UInt8>
    ) throws(IssueError) {
        guard ManagementRequest.isMethod(method) else { throw .unsignable("a method must be of capital letters") }
        guard target.count > 0, target[0] == UInt8(ascii: "/"), ManagementRequest.isVisible(target) else {
            throw .unsignable("path and query must begin with / and be visible ASCII")
        }
        guard host.count > 0, ManagementRequest.isVisible(host) else {
            throw .unsignable("a host must be visible ASCII")
        }
        guard ManagementRequest.isValue(contentType) else {
            throw .unsignable("a content type must be ASCII without spaces around it")
        }
        self.method = method
        self.target = target
        self.host = host
        self.contentType = contentType
        self.body = body
        fields = try SignedFields(fieldLines, prefix: "x-qiniu-", .capitalised)
    }

    private static func isMethod(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where text[index] < UInt8(ascii: "A") || text[index] > UInt8(ascii: "Z") {
            return false
        }
        return !text.isEmpty
    }

    private static func isVisible(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !text[index].isVisible { return false }
        return true
    }

    private static func isValue(_ text: Span<UInt8>) -> Bool {
        for index in text.indices where !text[index].isVisible && text[index] != UInt8(ascii: " ") { return false }
        return text.isEmpty || text[0].isVisible && text[text.count - 1].isVisible
    }
}
