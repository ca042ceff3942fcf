import Bytes

/// Why the sandbox refuses, in the words of the vendor's documents: AssumeRole, common errors, signatures.
struct STSComplaint: Error, Equatable {
    let status: Int
    let code: String
    let message: String

    init(_ status: Int, _ code: String, _ message: String) {
        self.status = status
        self.code = code
        self.message = message
    }

    // MARK: Finding the call

    static let unsupportedMethod = STSComplaint(405, "UnsupportedHTTPMethod", "This http method is not supported.")
    static let unknownAction = STSComplaint(
        404, "InvalidAction.NotFound", "Specified api is not found, please check your url and method.")
    static let wrongVersion = STSComplaint(400, "InvalidVersion", "Specified parameter Version is not valid.")
    static let wrongFormat = STSComplaint(
        400, "InvalidParameter.Format", "The parameter Format is not valid: the sandbox answers JSON only.")

    /// A common parameter, or a field that stands for one, that is not there.
    /// - Parameter field: what to call it, where that is not its name.
    static func missing(_ name: String, as field: String? = nil) -> STSComplaint {
        STSComplaint(400, "Missing\(name)", "\(field ?? name) is mandatory for this action.")
    }

    // MARK: Signatures

    static func incompleteSignature(_ detail: String) -> STSComplaint {
        STSComplaint(
            400, "IncompleteSignature", "The request signature does not conform to Aliyun standards. \(detail)")
    }

    static func wrongSignature(_ detail: String) -> STSComplaint {
        STSComplaint(400, "SignatureDoesNotMatch", "Specified signature does not match our calculation. \(detail)")
    }

    static let wrongSignatureMethod = STSComplaint(
        400, "InvalidSignatureMethod", "Specified signature method is not supported.")
    static let wrongSignatureVersion = STSComplaint(
        400, "InvalidSignatureVersion", "Specified parameter SignatureVersion is not valid.")
    static let wrongSignatureType = STSComplaint(
        400, "InvalidSignatureType", "Specified parameter SignatureType is not valid.")
    static let malformedTime = STSComplaint(
        400, "InvalidTimeStamp.Format", "Specified time stamp or date value is not well formatted.")
    static let expiredTime = STSComplaint(
        400, "InvalidTimeStamp.Expired", "Specified time stamp or date value is expired.")
    static let usedNonce = STSComplaint(
        400, "SignatureNonceUsed", "Specified signature nonce was used already.")
    static let throttled = STSComplaint(
        400, "Throttling.User", "Request was denied due to user flow control.")

    // MARK: Callers

    static let unknownKey = STSComplaint(404, "InvalidAccessKeyId.NotFound", "Specified access key is not found.")
    static let expiredToken = STSComplaint(
        400, "InvalidSecurityToken.Expired", "Specified SecurityToken is expired.")
    static let foreignToken = STSComplaint(
        400, "InvalidSecurityToken.MismatchWithAccessKey",
        "Specified SecurityToken mismatch with the AccessKey.")
    static let noPermission = STSComplaint(
        403, "NoPermission", "You are not authorized to do this action. You should be authorized by RAM.")

    // MARK: Parameters

    static func required(_ name: String) -> STSComplaint {
        STSComplaint(400, "MissingParameter.\(name)", "Parameter \(name) is required.")
    }

    static func malformed(_ name: String) -> STSComplaint {
        STSComplaint(400, "InvalidParameter.\(name)", "The parameter \(name) is wrongly formed.")
    }

    static let unreadable = STSComplaint(
        400, "InvalidParameter", "The parameters are not percent-encoded UTF-8.")

    static func repeated(_ name: [UInt8]) -> STSComplaint {
        STSComplaint(400, "InvalidParameter", "The parameter \(name.text) is given more than once.")
    }

    static func wrongDuration(maximum: Int64) -> STSComplaint {
        STSComplaint(
            400, "InvalidParameter.DurationSeconds",
            "The Min/Max value of DurationSeconds is 900/\(maximum) seconds.")
    }

    static let wrongPolicy = STSComplaint(
        400, "InvalidParameter.PolicyGrammar", "The parameter Policy has not passed grammar check.")
    static let largePolicy = STSComplaint(
        400, "InvalidParameter.PolicySize", "The size of Policy must not be larger than 2048 characters.")
    static let unknownRole = STSComplaint(404, "EntityNotExist.Role", "The specified Role not exists.")

    static let internalError = STSComplaint(500, "InternalError", "STS Server Internal Error happened.")
}
