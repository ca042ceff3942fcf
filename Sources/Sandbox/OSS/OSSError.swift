import Bytes

/// Why OSS refuses a request (OSS API reference, "Error codes"): the status, and what the document says that goes with it.
struct OSSError: Error {
    let status: Int
    let code: String
    let message: String
    /// What the document names beside code and message, such as the text that should have been signed.
    var details: [Detail] = []

    struct Detail {
        let name: StaticString
        let text: [UInt8]
    }

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    func with(_ name: StaticString, _ text: [UInt8]) -> OSSError {
        var error = self
        error.details.append(Detail(name: name, text: text))
        return error
    }

    /// - Parameters:
    ///   - requestID: as in the answer's `x-oss-request-id`.
    ///   - host: that was asked.
    func document(_ requestID: [UInt8], host: [UInt8]) -> [UInt8] {
        XMLWriter.document("Error") { xml in
            xml.element("Code", code)
            xml.element("Message", message)
            xml.element("RequestId", requestID)
            xml.element("HostId", host)
            for detail in details { xml.element(detail.name, detail.text) }
        }
    }
}

extension OSSError {
    // MARK: Who asks

    static func accessDenied(_ message: String) -> OSSError { OSSError(403, "AccessDenied", message) }

    static let anonymous = accessDenied("You have no right to access this object because of bucket acl.")
    static let fileFirst = accessDenied(
        "\(anonymous.message) The form has no field before file; OSS ignores the fields behind it, so file must come last."
    )
    static let noDate = accessDenied("OSS authentication requires a valid Date.")
    static let noQueryParameters = accessDenied(
        "Query-string authentication requires the Signature, Expires and OSSAccessKeyId parameters")

    static func expired(_ expiry: Int64, at now: Int64) -> OSSError {
        accessDenied("Request has expired.").with("Expires", ISO8601.write(expiry))
            .with("ServerTime", ISO8601.write(now))
    }

    static func skewed(_ time: [UInt8], at now: Int64) -> OSSError {
        OSSError(
            403, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large."
        ).with("MaxAllowedSkewMilliseconds", Array("900000".utf8)).with("RequestTime", time)
            .with("ServerTime", ISO8601.write(now))
    }

    static func unknownKey(_ accessKeyID: [UInt8]) -> OSSError {
        OSSError(
            403, "InvalidAccessKeyId", "The OSS Access Key Id you provided does not exist in our records."
        ).with("OSSAccessKeyId", accessKeyID)
    }

    static let foreignToken = OSSError(
        403, "InvalidSecurityToken", "The security token you provided is invalid.")
    static let expiredToken = OSSError(
        403, "SecurityTokenExpired", "The security token you provided has expired.")

    static let wrongSignature = OSSError(
        403, "SignatureDoesNotMatch",
        "The request signature we calculated does not match the signature you provided. Check your key and signing method."
    )

    // MARK: What is asked

    static func invalidArgument(_ message: String) -> OSSError { OSSError(400, "InvalidArgument", message) }

    static func invalidArgument(_ message: String, _ name: StaticString, _ value: [UInt8]) -> OSSError {
        invalidArgument(message).with("ArgumentName", name.array).with("ArgumentValue", value)
    }

    static let invalidURI = OSSError(400, "InvalidURI", "Couldn't parse the specified URI.")
    static let methodNotAllowed = OSSError(
        405, "MethodNotAllowed", "The specified method is not allowed against this resource.")
    static let malformedXML = OSSError(
        400, "MalformedXML",
        "The XML you provided was not well-formed or did not validate against our published schema.")
    static let missingLength = OSSError(
        411, "MissingContentLength", "You must provide the Content-Length HTTP header.")
    static let missingArgument = OSSError(400, "MissingArgument", "Missing Some Required Arguments.")
    static let entityTooLarge = OSSError(
        400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size.")
    static let entityTooSmall = OSSError(
        400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size.")
    static let invalidDigest = OSSError(400, "InvalidDigest", "The Content-MD5 you specified was invalid.")
    static let internalError = OSSError(500, "InternalError", "We encountered an internal error. Please try again.")

    /// What the vendor does and the sandbox does not.
    static func notImplemented(_ what: String) -> OSSError {
        OSSError(501, "NotImplemented", "countersign-sandbox does not do this: \(what)")
    }

    // MARK: What is there

    static func invalidBucketName(_ bucket: [UInt8]) -> OSSError {
        OSSError(400, "InvalidBucketName", "The specified bucket is not valid.").with("BucketName", bucket)
    }

    static func noSuchBucket(_ bucket: [UInt8]) -> OSSError {
        OSSError(404, "NoSuchBucket", "The specified bucket does not exist.").with("BucketName", bucket)
    }

    static func invalidObjectName(_ key: [UInt8]) -> OSSError {
        OSSError(400, "InvalidObjectName", "The specified object is not valid.").with("ObjectName", key)
    }

    static func noSuchKey(_ key: [UInt8]) -> OSSError {
        OSSError(404, "NoSuchKey", "The specified key does not exist.").with("Key", key)
    }

    static let exists = OSSError(
        409, "FileAlreadyExists", "The object you specified already exists and can not be overwritten.")
    static let invalidRange = OSSError(416, "InvalidRange", "The requested range cannot be satisfied")

    static func preconditionFailed(_ condition: StaticString) -> OSSError {
        OSSError(
            412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold."
        ).with("Condition", condition.array)
    }

    // MARK: Uploads in parts

    static func noSuchUpload(_ id: [UInt8]) -> OSSError {
        OSSError(
            404, "NoSuchUpload",
            "The specified upload does not exist. The upload ID may be invalid, or the upload may have been aborted or completed."
        ).with("UploadId", id)
    }

    static let invalidPart = OSSError(
        400, "InvalidPart",
        "One or more of the specified parts could not be found or the specified entity tag might not have matched the part's entity tag."
    )
    static let invalidPartOrder = OSSError(
        400, "InvalidPartOrder",
        "The list of parts was not in ascending order. Parts list must be specified in order by part number.")

    // MARK: Forms

    static func invalidPolicyDocument(_ message: String) -> OSSError {
        OSSError(400, "InvalidPolicyDocument", "Invalid Policy: \(message)")
    }

    static func wrongForm(_ message: String) -> OSSError { OSSError(400, "MalformedPOSTRequest", message) }

    // MARK: Callbacks

    static func callbackFailed(_ message: String) -> OSSError { OSSError(203, "CallbackFailed", message) }
}
