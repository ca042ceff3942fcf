import Bytes

/// What an upload token allows, and what is to be done with the upload (Kodo's document of the put policy).
struct KodoPutPolicy: Sendable {
    struct Callback: Sendable {
        /// In the order in which they are tried.
        let urls: [[UInt8]]
        /// The Host field; nil for that of the URL.
        let host: [UInt8]?
        let body: [UInt8]
        let isJSON: Bool
        /// Whether the answer says the key.
        let fetchesKey: Bool
    }

    let bucket: [UInt8]
    /// The only key, or the prefix of all; nil for any.
    private let scopeKey: [UInt8]?
    private let isPrefix: Bool
    private let insertOnly: Bool
    /// Seconds since 1970.
    private let deadline: Int64
    private let leastSize: Int64
    /// 0 for any.
    private let mostSize: Int64
    private let typeLimit: [UInt8]?
    /// 1 for by content, 0 for where the client says none, -1 for never.
    private let detection: Int64
    let saveKey: [UInt8]?
    let forcesSaveKey: Bool
    let endUser: [UInt8]?
    let returnURL: [UInt8]?
    let returnBody: [UInt8]?
    let callback: Callback?
    /// 0 to 4: what the object would cost.
    let fileType: Int64
    /// 0 where the object stays.
    let deleteAfterDays: Int64

    /// - Parameter text: JSON. Names that are not known mean nothing, as for the vendor.
    init(_ text: [UInt8]) throws(KodoRefusal) {
        guard let json = try? JSONReader.read(text, as: .json), case .object = json.content else { throw .badToken }
        let members = Members(json: json)
        let scope = KodoEntry(name: try members.text("scope") ?? [])
        guard !scope.bucket.isEmpty else { throw .badToken }
        bucket = scope.bucket
        scopeKey = scope.key
        isPrefix = try members.integer("isPrefixalScope") != 0
        insertOnly = try members.integer("insertOnly") != 0
        deadline = try members.integer("deadline", in: 0...Int64(UInt32.max))
        leastSize = try members.integer("fsizeMin")
        mostSize = try members.integer("fsizeLimit")
        typeLimit = try members.text("mimeLimit")
        detection = try members.integer("detectMime", in: -1...1)
        saveKey = try members.text("saveKey")
        forcesSaveKey = try members.flag("forceSaveKey")
        endUser = try members.text("endUser")
        returnURL = try members.text("returnUrl")
        returnBody = try members.text("returnBody")
        callback = try members.callback()
        fileType = try members.integer("fileType", in: 0...4)
        deleteAfterDays = try members.integer("deleteAfterDays", in: 0...100_000)
        if forcesSaveKey, saveKey == nil { throw .invalid("putPolicy: forceSaveKey needs saveKey") }
        if callback != nil, returnURL != nil {
            throw .invalid("putPolicy: callbackUrl and returnUrl exclude each other")
        }
    }

    // MARK: Verdicts

    /// - Parameter now: seconds since 1970.
    func checkDeadline(at now: Int64) throws(KodoRefusal) {
        guard now <= deadline else { throw .expiredToken }
    }

    /// - Parameter key: under which the object would be.
    func check(key: [UInt8]) throws(KodoRefusal) {
        guard key.count <= KodoEntry.longestKey, UTF8Text.isWellFormed(key.span) else { throw .invalid("key") }
        guard let scopeKey else { return }
        guard isPrefix ? key.starts(with: scopeKey) : key == scopeKey else { throw .otherKey }
    }

    /// - Parameter size: in bytes, as far as it is known: more may follow where `isWhole` is false.
    func check(size: Int, isWhole: Bool) throws(KodoRefusal) {
        guard mostSize <= 0 || Int64(size) <= mostSize else { throw .tooLarge }
        guard !isWhole || Int64(size) >= leastSize else { throw .tooSmall }
    }

    /// Whether an object of this key may be replaced by another content.
    var replaces: Bool { scopeKey != nil && !isPrefix && !insertOnly }

    /// The type that the object gets.
    /// - Parameters:
    ///   - claimed: what the client says; nil where it says nothing.
    ///   - sample: the first bytes of the content.
    ///   - names: the file's name and the key.
    func mediaType(claimed: [UInt8]?, _ sample: [UInt8], names: [[UInt8]]) throws(KodoRefusal) -> [UInt8] {
        let detected = KodoMediaType.detected(sample, names: names)
        // What the limit is for is the content, whatever the client calls it.
        guard typeLimit.map({ KodoPutPolicy.limit($0, admits: detected ?? KodoMediaType.unknown) }) ?? true else {
            throw .otherType
        }
        let claimed = claimed.flatMap { $0.isEmpty || $0 == KodoMediaType.unknown ? nil : $0 }
        let named = KodoMediaType.named(names)
        let found: [UInt8]? =
            switch detection {
            case 1: detected ?? named
            case 0: claimed ?? named ?? detected
            default: claimed
            }
        return found ?? KodoMediaType.unknown
    }

    /// `image/*;text/plain` names what is admitted; after a `!`, what is not.
    private static func limit(_ limit: [UInt8], admits type: [UInt8]) -> Bool {
        let excludes = limit.first == UInt8(ascii: "!")
        let patterns = limit.dropFirst(excludes ? 1 : 0).split(separator: UInt8(ascii: ";"))
        let isNamed = patterns.contains { pattern in
            pattern.elementsEqual(type) || pattern.elementsEqual("*".utf8)
                || pattern.suffix(2).elementsEqual("/*".utf8) && type.starts(with: pattern.dropLast())
        }
        return isNamed != excludes
    }
}

/// Members of the policy, each of its type or not there: what is of another type makes the whole token bad.
private struct Members {
    let json: JSONValue

    /// nil where it is empty.
    func text(_ name: String) throws(KodoRefusal) -> [UInt8]? {
        guard let value = present(name) else { return nil }
        guard let text = value.text else { throw .badToken }
        return text.isEmpty ? nil : text
    }

    /// 0 where it is not there.
    func integer(_ name: String, in range: ClosedRange<Int64> = .min ... .max) throws(KodoRefusal) -> Int64 {
        guard let value = present(name) else { return 0 }
        guard let number = value.integer, range.contains(number) else { throw .badToken }
        return number
    }

    func flag(_ name: String) throws(KodoRefusal) -> Bool {
        guard let value = present(name) else { return false }
        guard case .boolean(let flag) = value.content else { throw .badToken }
        return flag
    }

    func callback() throws(KodoRefusal) -> KodoPutPolicy.Callback? {
        guard let urls = try text("callbackUrl") else { return nil }
        guard let body = try text("callbackBody") else { throw .invalid("putPolicy: callbackUrl needs callbackBody") }
        let type = try text("callbackBodyType") ?? KodoCallback.form
        guard type == KodoCallback.form || type == KodoCallback.json else { throw .invalid("callbackBodyType") }
        let host = try text("callbackHost")
        guard ByteSet.registeredName.union(":[]").contains(all: host ?? []) else { throw .invalid("callbackHost") }
        return KodoPutPolicy.Callback(
            urls: urls.split(separator: UInt8(ascii: ";")).map(Array.init), host: host, body: body,
            isJSON: type == KodoCallback.json, fetchesKey: try integer("callbackFetchKey") != 0)
    }

    private func present(_ name: String) -> JSONValue? {
        guard let value = json[name], case .null = value.content else { return json[name] }
        return nil
    }
}
