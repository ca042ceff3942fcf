import Bytes

/// Why Kodo does not do what it is asked for: a status, which may be one of its own, and a text.
struct KodoRefusal: Error, Equatable {
    let status: Int
    let message: String

    init(_ status: Int, _ message: String) {
        self.status = status
        self.message = message
    }

    // MARK: Who asks

    static let badToken = KodoRefusal(401, "bad token")
    static let expiredToken = KodoRefusal(401, "expired token")
    static let noToken = KodoRefusal(401, "token not specified")
    static let downloadTokenMissing = KodoRefusal(401, "download token not specified")
    static let downloadTokenWrong = KodoRefusal(401, "download token auth failed")
    static let downloadTokenExpired = KodoRefusal(401, "token out of date")

    // MARK: What the put policy does not allow

    static let otherKey = KodoRefusal(403, "key doesn't match with scope")
    static let otherBucket = KodoRefusal(403, "bucket doesn't match with scope")
    static let tooSmall = KodoRefusal(403, "file is too small")
    static let otherType = KodoRefusal(403, "limited mime type: this file type is forbidden to upload")
    static let tooLarge = KodoRefusal(413, "request entity is too large")

    // MARK: What is asked for

    static func invalid(_ what: String) -> KodoRefusal { KodoRefusal(400, "invalid \(what)") }
    static let unknownRoute = KodoRefusal(404, "not found")
    static let noDocument = KodoRefusal(404, "Document not found")
    static let otherMethod = KodoRefusal(405, "method not allowed")
    static let wrongChecksum = KodoRefusal(406, "crc32 does not match")
    static let noRange = KodoRefusal(416, "requested range not satisfiable")
    static let noObject = KodoRefusal(612, "no such file or directory")
    static let noUpload = KodoRefusal(612, "no such uploadId")
    static let exists = KodoRefusal(614, "file exists")
    static let bucketExists = KodoRefusal(614, "the bucket already exists and you own it.")
    static let noBucket = KodoRefusal(631, "no such bucket")
    static let wrongMarker = KodoRefusal(640, "invalid marker")
    static let wrongContext = KodoRefusal(701, "invalid ctx")

    /// Any refusal of the sandbox's own, such as a full disk.
    static let serverError = KodoRefusal(599, "internal server error")
}

extension KodoRefusal {
    /// Any error of an answer as the refusal that a client gets; nil where nobody is there to get it.
    init?(_ error: any Error) {
        switch error {
        case let refusal as KodoRefusal: self = refusal
        case BodyReader.Fault.interrupted: return nil
        case BodyReader.Fault.tooLarge: self = .tooLarge
        case BodyReader.Fault.malformed(let reason): self.init(400, reason)
        case StoreFault.noSuchBucket: self = .noBucket
        case StoreFault.exists: self = .exists
        default: self = .serverError
        }
    }

    var response: SandboxResponse {
        SandboxResponse(status, json: { $0.add("error", message) })
    }
}

extension SandboxResponse {
    /// An answer of one JSON object.
    init(_ status: Int, json body: (inout JSONObject) -> Void) {
        var out = ByteWriter()
        out.append(object: body)
        self.init(status, "application/json", out.array)
    }
}
