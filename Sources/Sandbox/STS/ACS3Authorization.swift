import Bytes
import Crypto

/// `ACS3-HMAC-SHA256 Credential=<key>,SignedHeaders=<names>,Signature=<hex>`, in this form only.
struct ACS3Authorization {
    let accessKeyID: [UInt8]
    let signature: [UInt8]
    /// Lower case, sorted, no two alike.
    private let signedNames: [[UInt8]]

    init(_ request: SandboxRequest) throws(STSComplaint) {
        guard let text = request.value(of: "authorization") else {
            throw request.has("authorization")
                ? .incompleteSignature("There must be one Authorization field.")
                : .missing("AccessKeyId", as: "The Authorization field")
        }
        let scheme = text.prefix { $0 != UInt8(ascii: " ") }
        guard scheme.elementsEqual("ACS3-HMAC-SHA256".utf8) else {
            throw scheme.starts(with: "ACS3-".utf8)
                ? .wrongSignatureMethod : .incompleteSignature("The Authorization field is not of a known scheme.")
        }
        let parts = text.dropFirst(scheme.count + 1).split(
            separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard parts.count == 3, let accessKeyID = ACS3Authorization.value(parts[0], of: "Credential="),
            let names = ACS3Authorization.value(parts[1], of: "SignedHeaders="),
            let signature = ACS3Authorization.value(parts[2], of: "Signature=")
        else { throw .incompleteSignature("It must be Credential=...,SignedHeaders=...,Signature=...") }
        self.accessKeyID = accessKeyID
        self.signature = signature
        signedNames = names.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map(Array.init)
        guard zip(signedNames, signedNames.dropFirst()).allSatisfy({ $0.precedes($1) }),
            signedNames.allSatisfy({ $0 == $0.map(\.lowercasedASCII) })
        else { throw .incompleteSignature("SignedHeaders must be in lower case, sorted, each once.") }
    }

    private static func value(_ part: ArraySlice<UInt8>, of name: String) -> [UInt8]? {
        guard part.starts(with: name.utf8), part.count > name.utf8.count else { return nil }
        return Array(part.dropFirst(name.utf8.count))
    }

    /// What must be signed in every request.
    private static let mandatory = [
        "host", "x-acs-action", "x-acs-content-sha256", "x-acs-date", "x-acs-signature-nonce", "x-acs-version",
    ].map { Array($0.utf8) }

    /// Sees to it that all that matters was signed, that all that was signed is there, and that none of it is twice: of
    /// two values one could be signed and the other used.
    func requireCoverage(of request: SandboxRequest) throws(STSComplaint) {
        for name in signedNames {
            switch request.values(of: name).count {
            case 1: break
            case 0: throw .incompleteSignature("\(name.text) is in SignedHeaders and was not sent.")
            default: throw .incompleteSignature("\(name.text) was sent more than once.")
            }
        }
        let sent = request.fields.map { $0.name.map(\.lowercasedASCII) }.filter {
            $0.starts(with: "x-acs-".utf8) || $0.elementsEqual("content-type".utf8)
        }
        for name in ACS3Authorization.mandatory + sent where !signedNames.contains(name) {
            throw .incompleteSignature("\(name.text) must be in SignedHeaders.")
        }
    }

    /// The text whose digest is signed.
    /// - Parameter contentHash: the body's SHA-256 in hexadecimal.
    func canonicalRequest(
        of request: SandboxRequest, _ method: [UInt8], contentHash: [UInt8]
    ) throws(STSComplaint) -> [UInt8] {
        var text = ByteWriter(capacity: 1024)
        text.append(method)
        text.append("\n")
        text.append(request.path)
        text.append("\n")
        text.append(QueryItems.canonical(try QueryItems.read(request.query)))
        text.append("\n")
        for name in signedNames {
            text.append(name)
            text.append(":")
            for value in request.values(of: name) { text.append(value) }
            text.append("\n")
        }
        text.append("\n")
        text.append(Array(signedNames.joined(separator: [UInt8(ascii: ";")])))
        text.append("\n")
        text.append(contentHash)
        return text.array
    }
}
