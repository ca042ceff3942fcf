import Bytes

/// Why NOS refuses, in its words, as far as they are known: it shares codes and messages with Amazon's S3.
struct NOSRefusal: Error, Equatable {
    let status: Int
    let code: String
    let message: String

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    /// What a fault of the store is to a client.
    init(_ fault: StoreFault) {
        switch fault {
        case .noSuchBucket: self = .noSuchBucket
        case .exists: self = .exists
        case .disk(let reason): self.init(500, "InternalError", "The sandbox's disk: \(reason)")
        }
    }

    /// As the servers of the buckets say it.
    func xml(resource: [UInt8], requestID: [UInt8]) -> SandboxResponse {
        SandboxResponse(
            status, "application/xml; charset=utf-8",
            XMLWriter.document("Error") { xml in
                xml.element("Code", code)
                xml.element("Message", message)
                xml.element("Resource", UTF8Text.isWellFormed(resource.span) ? resource : [])
                xml.element("RequestId", requestID)
            })
    }

    /// As the servers for uploads by token say it.
    func json(requestID: [UInt8]) -> SandboxResponse {
        var out = ByteWriter(capacity: 256)
        out.append(object: { json in
            json.add("requestID", requestID)
            json.add("errMsg", "\(code): \(message)")
        })
        return SandboxResponse(status, "application/json; charset=utf-8", out.array)
    }

    // MARK: Who asks

    static let anonymous = NOSRefusal(403, "AccessDenied", "Access Denied: the request has no signature.")
    static let malformedAuthorization = NOSRefusal(
        400, "InvalidArgument", "Authorization must be NOS AccessKey:Signature.")
    static let unknownKey = NOSRefusal(
        403, "InvalidAccessKeyId", "The access key ID you provided does not exist in our records.")
    static let undated = NOSRefusal(
        403, "AccessDenied", "Access Denied: a signed request needs a valid Date or x-nos-date.")
    static let skewed = NOSRefusal(
        403, "RequestTimeTooSkewed",
        "The difference between the request time and the server's time is too large.")
    static let expired = NOSRefusal(403, "AccessDenied", "Access Denied: the request has expired.")
    static let malformedExpires = NOSRefusal(
        400, "InvalidArgument", "Expires must be seconds since 1970, and stand beside NOSAccessKeyId and Signature.")

    static func wrongSignature(_ stringToSign: [UInt8]) -> NOSRefusal {
        NOSRefusal(
            403, "SignatureDoesNotMatch",
            "The request signature we calculated does not match the signature you provided. "
                + "The server's string to sign is: \(stringToSign.text)")
    }

    // MARK: What is asked

    static let unreadable = NOSRefusal(
        400, "InvalidArgument", "Path and query must be percent-encoded UTF-8, each parameter once.")
    static let methodNotAllowed = NOSRefusal(
        405, "MethodNotAllowed", "The specified method is not allowed against this resource.")
    static let keyTooLong = NOSRefusal(400, "KeyTooLong", "The object's name is longer than 1000 bytes.")
    static let noSuchBucket = NOSRefusal(404, "NoSuchBucket", "The specified bucket does not exist.")
    static let noSuchKey = NOSRefusal(404, "NoSuchKey", "The specified key does not exist.")
    static let noSuchUpload = NOSRefusal(404, "NoSuchUpload", "The specified upload does not exist.")
    static let invalidBucketName = NOSRefusal(400, "InvalidBucketName", "The specified bucket is not valid.")
    static let bucketExists = NOSRefusal(
        409, "BucketAlreadyOwnedByYou", "The bucket that you want to make is yours already.")
    static let exists = NOSRefusal(403, "AccessDenied", "The object exists, and must not be replaced.")
    static let invalidRange = NOSRefusal(416, "InvalidRange", "The requested range is not satisfiable.")

    static func invalid(_ parameter: String) -> NOSRefusal {
        NOSRefusal(400, "InvalidArgument", "The parameter \(parameter) is not valid.")
    }

    static func notImplemented(_ what: String) -> NOSRefusal {
        NOSRefusal(501, "NotImplemented", "The sandbox does not do this: \(what).")
    }

    // MARK: Content

    static let missingLength = NOSRefusal(
        411, "MissingContentLength", "You must provide the Content-Length HTTP header.")
    static let tooLarge = NOSRefusal(400, "EntityTooLarge", "Request Entity Too Large")
    static let invalidDigest = NOSRefusal(400, "InvalidDigest", "Content-MD5 must be 32 hexadecimal digits.")
    static let badDigest = NOSRefusal(
        400, "BadDigest", "The Content-MD5 you specified did not match what we received.")

    // MARK: Uploads in parts

    static let malformedXML = NOSRefusal(400, "MalformedXML", "The XML you provided was not well-formed.")
    static let invalidPart = NOSRefusal(
        400, "InvalidPart", "One or more of the specified parts could not be found, or has another ETag.")
    static let invalidPartOrder = NOSRefusal(
        400, "InvalidPartOrder", "The list of parts was not in ascending order.")
    static let tooSmall = NOSRefusal(
        400, "EntityTooSmall", "Every part but the last must have at least 16 KiB.")

    // MARK: Uploads by token

    static func token(_ reason: String) -> NOSRefusal { NOSRefusal(403, "AccessDenied", "the token \(reason)") }

    static func malformed(_ reason: String) -> NOSRefusal { NOSRefusal(400, "BadRequest", reason) }

    static let noSuchContext = NOSRefusal(404, "NotFound", "the context is unknown, or its upload has ended")

    static func callback(_ reason: String) -> NOSRefusal { NOSRefusal(520, "CallbackFailed", reason) }
}
