import Foundation

/// Why a file was not uploaded. The file is still there, untouched: nothing in this library changes or removes it.
public struct UploadError: Error, Sendable {
    /// Why.
    public enum Reason: Sendable {
        /// The service refused, or cannot be reached.
        case service(CountersignError)
        /// The vendor refused.
        case vendor(VendorRefusal)
        /// The connection to the vendor was cut, or could not be made, as often as the retry policy allows; with the last error.
        case connection(any Error)
        /// The vendor's answer lacks what it must have.
        case unusableAnswer(String)
        /// The file cannot be read.
        case unreadableFile(any Error)
        /// The file changed while it was uploaded. The object was not completed.
        case changedFile
        /// The grant's tokens are for a prefix, so the upload needs a key.
        case missingKey
        /// The service chose the key (`${uuid}`), and issues nothing more for it, so the upload cannot go on. Ask for a longer
        /// lifetime, or name the key where a grant allows it.
        case unrenewableKey
    }

    /// Why.
    public let reason: Reason
    /// The file; nil where there was none to read.
    public let file: URL?
    /// From where the upload can go on; nil for from its beginning.
    public let checkpoint: UploadCheckpoint?
}

/// What a vendor says of a refusal.
public struct VendorRefusal: Error, Sendable, Hashable {
    /// The HTTP status; Kodo has some of its own, such as 612 and 614.
    public let status: Int
    /// The vendor's code, such as `AccessDenied`; Kodo has none besides the status.
    public let code: String?
    /// The vendor's words.
    public let message: String?
    /// The request's name in the vendor's log.
    public let requestId: String?
    /// After how long to ask again, if the vendor said so.
    public let retryAfter: Duration?
}

extension VendorRefusal {
    private struct Document: Decodable {
        // Kodo's member, and NOS's.
        let error: String?
        let errCode: String?
        let errMsg: String?
        let requestID: String?
    }

    init(_ answer: HTTPAnswer) {
        let document = try? JSON.decoder.decode(Document.self, from: answer.body)
        let xml = XMLText(answer.body)
        status = answer.status
        code = document?.errCode ?? xml.value(of: "Code")
        message = document?.error ?? document?.errMsg ?? xml.value(of: "Message")
        requestId =
            document?.requestID ?? xml.value(of: "RequestId") ?? answer.field("X-Reqid")
            ?? answer.field("x-oss-request-id") ?? answer.field("x-nos-request-id")
        retryAfter = answer.retryAfter
    }

    /// Whether the credential may have ended: a new one is worth one attempt.
    var mayBeOfCredential: Bool { status == 401 || status == 403 }

    /// Whether the same request may succeed later. 571 and 573 are Kodo's "too many requests", 599 is its "failed inside".
    var isTemporary: Bool { [408, 429, 500, 502, 503, 504, 571, 573, 599].contains(status) }

    /// Whether the vendor does not know the upload, or does not any more: 612 is Kodo's.
    var isOfUnknownUpload: Bool { status == 612 || status == 404 }
}
