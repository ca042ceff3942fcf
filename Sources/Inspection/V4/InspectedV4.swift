import Access
import Bytes
import Crypto
import Providers

/// A request that was given for inspection, as a signature of version 4 covers it.
protocol InspectedV4Request {
    /// The region that the host names; nil where it names none.
    var hostRegion: [UInt8]? { get }

    /// - Parameter names: the fields that the signature names, in lower case.
    func signed<Result>(
        by method: [UInt8], with names: [[UInt8]], _ use: (borrowing CanonicalRequest) throws(IssueError) -> Result
    ) throws(IssueError) -> Result
}

/// A request with a signature of version 4, as anybody may have made it.
struct InspectedV4<Request: InspectedV4Request> {
    private let scheme: V4Scheme
    private let kind: String
    /// How long the vendor takes a dated signature, in seconds.
    private let tolerance: Int64
    /// Notes what the request is about; nil, having noted why, where it cannot be read.
    private let read: (InspectedRequest, inout Inspection) -> Request?

    init(
        _ scheme: V4Scheme, _ kind: String, tolerance: Int64,
        read: @escaping (InspectedRequest, inout Inspection) -> Request?
    ) {
        self.scheme = scheme
        self.kind = kind
        self.tolerance = tolerance
        self.read = read
    }

    /// A signature in the Authorization field.
    /// - Parameter value: what stands behind the algorithm.
    func authorization(
        _ value: [UInt8], _ request: InspectedRequest?, _ keyring: Keyring, _ now: Int64
    ) -> Inspection {
        var inspection = Inspection(kind)
        let fields = AuthorizationFields(value)
        guard let credential = fields["Credential"], let signature = fields["Signature"] else {
            inspection.fails("form", "it must have Credential=… and Signature=…, with a comma between")
            return inspection
        }
        guard let scope = InspectedScope(credential, scheme) else {
            inspection.fails("form", InspectedScope.form(scheme))
            return inspection
        }
        let names = names(fields[scheme.authorization.signedHeaders], in: &inspection)
        guard let request else {
            inspection.tell("region", scope.region)
            if inspection.key(scope.accessKey, of: keyring) != nil { inspection.lacksRequest() }
            return inspection
        }
        guard let read = read(request, &inspection) else { return inspection }
        guard let moment = request.field(scheme.fields.date).flatMap({ ISO8601.parseBasic($0.span) }) else {
            inspection.fails("date", "\(scheme.fields.date) must be such as 20240106T233431Z")
            return inspection
        }
        scope.tell(of: moment, host: read.hostRegion, in: &inspection)
        inspection.isDated(at: moment, tolerance: tolerance, now: now)
        let token = request.field(scheme.fields.token)
        inspection.tellToken(token)
        guard let entry = inspection.key(scope.accessKey, of: keyring, isTemporary: token != nil),
            let key = scope.key(of: entry, at: moment, in: &inspection),
            !inspection.lacks(names, of: request, "signed, but not given")
        else { return inspection }
        inspection.isSigned(
            signature, byOneOf: request.possibleMethods, otherwise: "it is not that of this request"
        ) { method throws(IssueError) in
            let made = try read.signed(by: method, with: names) { canonical throws(IssueError) in
                try InspectedRequest.written { out, scratch throws(IssueError) in
                    try HeaderSignatureV4.write(for: canonical, with: key, into: &out, using: &scratch)
                }
            }
            return AuthorizationFields(Array(made.drop { $0 != UInt8(ascii: " ") }))["Signature"] ?? []
        }
        return inspection
    }

    /// A signature in the URL.
    /// - Parameter credential: the parameter that names the key.
    func url(_ request: InspectedRequest, _ credential: [UInt8], _ keyring: Keyring, _ now: Int64) -> Inspection {
        let parameters = scheme.parameters
        var inspection = Inspection(kind)
        guard let read = read(request, &inspection) else { return inspection }
        guard let signature = request.parameter(parameters.signature),
            request.parameter(parameters.algorithm) == scheme.algorithm.array
        else {
            let (signature, algorithm) = (parameters.signature.text, parameters.algorithm.text)
            inspection.fails("form", "\(signature), and \(algorithm) of \(scheme.algorithm), must be there")
            return inspection
        }
        guard let scope = InspectedScope(credential, scheme) else {
            inspection.fails("form", InspectedScope.form(scheme))
            return inspection
        }
        let (date, expires) = (parameters.date.text, parameters.expires.text)
        guard let moment = request.parameter(parameters.date).flatMap({ ISO8601.parseBasic($0.span) }),
            let lifetime = request.parameter(parameters.expires).flatMap({ Decimal.parse($0.span) })
        else {
            inspection.fails("form", "\(date) must be such as 20240106T233431Z, and \(expires) seconds in digits")
            return inspection
        }
        guard PresignedURLV4.lifetimes.contains(lifetime) else {
            inspection.fails("expiry", "\(expires) must be 1 to 604800 seconds, which is 7 days")
            return inspection
        }
        let token = request.parameter(parameters.token)
        let names = names(request.parameter(parameters.signedHeaders), in: &inspection)
        inspection.tellToken(token)
        scope.tell(of: moment, host: read.hostRegion, in: &inspection)
        if let entry = inspection.key(scope.accessKey, of: keyring, isTemporary: token != nil),
            let key = scope.key(of: entry, at: moment, in: &inspection),
            !inspection.lacks(names, of: request, "signed, but not in the URL")
        {
            inspection.isSigned(
                signature, byOneOf: request.possibleMethods, otherwise: scheme.signsOtherwise
            ) { method throws(IssueError) in
                try read.signed(by: method, with: names) { canonical throws(IssueError) in
                    try InspectedRequest.parameter(parameters.signature) { base, out, scratch throws(IssueError) in
                        try PresignedURLV4.write(
                            for: canonical, on: base, lasting: lifetime,
                            by: V4Signer(key, at: moment, token: token), into: &out, using: &scratch)
                    }
                }
            }
        }
        inspection.ends(at: moment + lifetime, now: now)
        inspection.begins(at: moment, tolerance: tolerance, now: now)
        return inspection
    }

    private func names(_ list: [UInt8]?, in inspection: inout Inspection) -> [[UInt8]] {
        let names = (list ?? []).split(separator: UInt8(ascii: ";")).map { Array($0) }
        if !names.isEmpty { inspection.tell("signed headers", names.map(\.text).joined(separator: ", ")) }
        return names
    }
}

extension Inspection {
    /// Whether a URL or an answer was given without headers that its signature covers; notes that it cannot be judged so. A whole
    /// request is what it is.
    /// - Parameters:
    ///   - names: the headers that are signed, in lower case.
    ///   - reason: what to say of those that are not there.
    fileprivate mutating func lacks(_ names: [[UInt8]], of request: InspectedRequest, _ reason: String) -> Bool {
        let missing = names.filter { name in
            !name.span.equals("host") && !request.fields.contains { $0.name.span.equals(ignoringCaseOf: name) }
        }
        guard request.method == nil, !missing.isEmpty else { return false }
        let rest = request.fields.isEmpty ? "the whole JSON answer" : "the whole request"
        leavesOpen("signature", "\(reason): \(missing.map(\.text).joined(separator: ", ")); give \(rest)")
        return true
    }
}

extension V4Scheme {
    /// Why a URL's signature is not the right one.
    var signsOtherwise: String {
        "it is not that of this URL and method, with the Content-MD5, Content-Type and \(fields.prefix) fields given"
    }
}
