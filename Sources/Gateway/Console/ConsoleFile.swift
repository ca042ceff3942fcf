import Bytes
import CConsole
import HTTP

/// A file of the page for operators. It tells nothing of the service, and it is compiled into the binary.
enum ConsoleFile {
    case page, style, script, icon

    var path: [UInt8] {
        switch self {
        case .page: Array("/console".utf8)
        case .style: Array("/console/console.css".utf8)
        case .script: Array("/console/console.js".utf8)
        case .icon: Array("/console/icon.svg".utf8)
        }
    }

    private var bytes: [UInt8] {
        let file =
            switch self {
            case .page: unsafe cc_page()
            case .style: unsafe cc_style()
            case .script: unsafe cc_script()
            case .icon: unsafe cc_icon()
            }
        // Unsafe: a constant of the program, and its size.
        return unsafe Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
    }

    private var contentType: Response.ContentType {
        switch self {
        case .page: .html
        case .style: .css
        case .script: .javaScript
        case .icon: .svg
        }
    }

    /// The page runs its own script, asks its own listener, and stands in no frame. Where there is a sandbox, it also stores files
    /// there, reads them back and shows them.
    private static func policy(reaching sources: [UInt8]) -> [UInt8] {
        Array(text: "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'")
            + Array(text: sources.isEmpty ? "" : " blob:") + Array(text: "; connect-src 'self'") + sources
            + Array(text: "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    }

    /// - Parameter sources: where a sandbox takes files, as the policy names it; empty without one.
    func write(reaching sources: [UInt8], into response: inout Response) {
        response.contentType = contentType
        response.add("Content-Security-Policy", ConsoleFile.policy(reaching: sources).span)
        response.add("Cross-Origin-Resource-Policy", "same-origin")
        response.add("Referrer-Policy", "no-referrer")
        response.body.append(bytes)
    }
}
