import Access
import Bytes

/// What Uppy asks its app to sign (`signRequest` of @uppy/aws-s3: `{ method, key, uploadId?, partNumber?, expiresIn? }`). The
/// request to S3 that is meant is in the ask's notes. Uppy sends no header that the service could have signed with the URL.
struct UppyRequest: AskDetail {
    struct Parameters: ParameterGroup {
        let method = Parameter(
            "method", .text(maximumLength: 16), "Instead of a string to sign: the method of a URL that shall be signed."
        )
        let key = Parameter(
            "key", .key(maximumLength: ObjectKeyRule.maximumLength), "That URL's object: its whole key.")
        let bucket = Parameter.bucket
        let uploadID = Parameter(
            "uploadId", .text(maximumLength: UppyRequest.longestUploadID),
            "The upload in parts that the URL is for. A POST without it begins one.")
        let partNumber = Parameter("partNumber", .integer(UppyRequest.partNumbers), "The part that a PUT is for.")
        let lifetime = Parameter(
            "expiresIn", .integer(PresignedURLV4.lifetimes),
            "The URL's lifetime in seconds, within the grant's presign; without it, \(UppyRequest.lifetime).")
    }

    /// What Uppy's client of Companion sends from a web page beside what every page may.
    static let headers = ["Uppy-Auth-Token", "Uppy-Versions"]
    /// What Companion is asked to name an object by.
    static let filename = Parameter(
        "filename", .keyName(maximumLength: ObjectKeyRule.maximumLength),
        "The file's name, as Uppy gives it: what the key has behind the grant's prefix, or the extension of the grant's key."
    )
    static let metadata = Parameter("metadata", .ignored, "What Uppy knows of the file beside its type.")

    /// The parts of an upload (Amazon S3 user guide, "Amazon S3 multipart upload limits").
    static let partNumbers: ClosedRange<Int64> = 1...10_000
    /// In bytes; vendors name no limit, and have some hundreds.
    static let longestUploadID = 1024
    /// Of a URL whose lifetime nobody says, in seconds: it needs to hold only until the client's request begins.
    static let lifetime: Int64 = 300

    /// Reads the ask, and sets its end.
    /// - Returns: nil where no method is asked for.
    init?(_ ask: inout Ask, _ asked: Parameters, at now: Int64) throws(AskError) {
        guard ask[asked.method] != nil else { return nil }
        try ask.note { ask, notes throws(AskError) in
            let start = try RequestParts.begin(asked.method, of: ask, in: &notes)
            guard ask.key != nil else { throw AskError(.missing, asked.key.name, "must be the object's whole key") }
            if let number = ask[asked.partNumber] { notes.append(partNumber: number) }
            if let id = ask[asked.uploadID] {
                guard !id.hasControlCharacters else {
                    throw AskError(.invalid, asked.uploadID.name, "must have no control characters")
                }
                notes.append(parameter: StaticString("uploadId").bytes, id, toQueryAt: start)
            } else if ask[asked.method]?.equals("POST") == true {
                notes.append(parameter: StaticString("uploads").bytes, Span(), toQueryAt: start)
            }
        }
        ask.end = .binding(now + (ask[asked.lifetime] ?? UppyRequest.lifetime))
    }
}

extension ByteWriter {
    /// Begins a query with the number of a part.
    mutating func append(partNumber number: Int64) {
        append("partNumber=")
        append(decimal: number)
    }
}
