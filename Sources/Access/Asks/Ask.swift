import Bytes

/// A request's parameters, checked against the route's descriptions: what the caller asks for. It is made once for an event loop
/// and read anew for every request, so that reading allocates nothing.
package struct Ask: ~Copyable {
    /// What a name is made of that the server chooses.
    package private(set) var nonce: Nonce
    /// The address that it is asked from, as the service knows it behind proxies; nil for a client without one.
    package private(set) var address: IPAddress?
    /// The parameters as they came; the edge fills them before `read`.
    package var parameters = Parameters()
    /// Whether the answer should be the bare token instead of a JSON object.
    package var wantsText = false
    /// What a provider has read from its own parameters, such as a string to sign.
    package var detail: (any AskDetail)?
    /// Text that a provider has made of its parameters, in a form of its own.
    package private(set) var notes = ByteWriter(capacity: 0)

    /// When the credential ends, where the ask itself fixes that.
    package var end: End?
    /// Why the vendor's request cannot be read from the ask. Some grants sign such asks all the same; a caller without one gets this
    /// error.
    package var obscurity: AskError?
    /// Whether it is about all of the account, and so about no bucket.
    package var isAboutService = false

    package enum End: Sendable {
        /// Seconds since 1970, chosen by the caller. An earlier one can be asked for, so what is signed never outlives the
        /// caller's own credential.
        case binding(Int64)
        /// Seconds since 1970, set by the vendor, who takes what is signed until then; nobody can choose an earlier one. What is
        /// signed outlives the caller's own credential only where the grant says so (`CallersEnd.ignored`).
        case fixed(Int64)
    }

    private(set) var grant: Range<Int>?
    private var bucketRange: Range<Int>?
    private var keyRange: Range<Int>?
    private var extensionRange: Range<Int>?
    /// Whether all keys that begin with `key` are meant.
    package private(set) var keyIsPrefix = false
    /// Whether `key` is only what stands behind a grant's prefix, or tells no more than an extension.
    package private(set) var keyIsRelative = false
    /// The lifetime asked for, in seconds.
    package private(set) var lifetime: Int64?
    /// Whether a number was given for any parameter but the lifetime.
    package private(set) var hasNumbers = false
    /// The parameters that it has been read by, and what was given for each.
    private var known = ParameterList.empty
    private var values: [Value] = []
    private var pairs: [(position: Int, pair: Pair)] = []

    private enum Value {
        case none
        case bytes(Range<Int>)
        case integer(Int64)
    }

    /// One of the names and values that a list has, as ranges in `parameters`.
    package struct Pair: Sendable {
        package let name: Range<Int>
        /// Nil where the name stands alone, without a separator.
        package let value: Range<Int>?
    }

    package init(_ nonce: Nonce, from address: IPAddress? = nil) {
        self.nonce = nonce
        self.address = address
    }

    /// Begins another ask.
    package mutating func reset(_ nonce: Nonce, from address: IPAddress? = nil) {
        self.nonce = nonce
        self.address = address
        parameters.reset()
        parameters.trim()
        notes.reset()
        notes.trim(above: 16 * 1024)
        wantsText = false
        detail = nil
        end = nil
        obscurity = nil
        isAboutService = false
        (keyIsPrefix, keyIsRelative) = (false, false)
        (grant, bucketRange, keyRange, extensionRange, lifetime) = (nil, nil, nil, nil, nil)
        known = .empty
        hasNumbers = false
        values.removeAll(keepingCapacity: true)
        pairs.removeAll(keepingCapacity: true)
    }

    /// What is left when the parameters are let go, of which a client may have sent many: what its provider has read.
    package func detailOnly() -> Ask {
        var ask = Ask(nonce)
        ask.wantsText = wantsText
        ask.detail = detail
        ask.notes.append(notes.bytes)
        return ask
    }

    /// Has a provider add to `notes` what it makes of the ask.
    package mutating func note<Result, Failure: Error>(
        _ write: (borrowing Ask, inout ByteWriter) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var text = ByteWriter(capacity: 0)
        swap(&text, &notes)
        defer { swap(&text, &notes) }
        return try write(self, &text)
    }

    package var bucket: Span<UInt8>? {
        @_lifetime(borrow self)
        get {
            guard let bucketRange else { return nil }
            return parameters.bytes(bucketRange)
        }
    }

    /// The whole key asked for, or what keys begin with (`keyIsPrefix`).
    package var key: Span<UInt8>? {
        @_lifetime(borrow self)
        get {
            guard let keyRange else { return nil }
            return parameters.bytes(keyRange)
        }
    }

    /// Whether the extension alone is asked for, by a parameter of its own.
    var hasExtension: Bool { extensionRange != nil }

    /// The extension that the server's key shall have: the one asked for, or that of the key asked for, which is empty where
    /// it has none; nil where neither is asked for.
    var fileExtension: Span<UInt8>? {
        @_lifetime(borrow self)
        get {
            if let extensionRange { return parameters.bytes(extensionRange) }
            guard let keyRange else { return nil }
            let start = FileExtension.start(in: parameters.bytes(keyRange))
            return parameters.bytes(keyRange.lowerBound + start..<keyRange.upperBound)
        }
    }

    /// The parameter that says the extension: where the route has none for it alone, the key.
    var extensionParameter: String {
        for description in known.descriptions { if case .fileExtension = description.kind { return description.name } }
        return "key"
    }

    /// The parameter for a prefix that the route takes in place of this one; nil where there is none, or this one is no key's.
    func prefixParameter(insteadOf name: String) -> String? {
        let known = known.descriptions
        guard known.contains(where: { if case .key = $0.kind { $0.name == name } else { false } }) else { return nil }
        return known.first { if case .keyPrefix = $0.kind { true } else { false } }?.name
    }

    /// Whether a parameter was given, other than a list.
    package func has(_ parameter: ParameterDescription) -> Bool {
        guard let position = position(of: parameter) else { return false }
        if case .none = values[position] { return false }
        return true
    }

    /// The text given for a parameter.
    package subscript(parameter: Parameter<Span<UInt8>>) -> Span<UInt8>? {
        @_lifetime(borrow self)
        get {
            guard let position = position(of: parameter.description), case .bytes(let range) = values[position] else {
                return nil
            }
            return parameters.bytes(range)
        }
    }

    /// The number given for a parameter.
    package subscript(parameter: Parameter<Int64>) -> Int64? {
        guard let position = position(of: parameter.description), case .integer(let value) = values[position] else {
            return nil
        }
        return value
    }

    /// The names and values given for a parameter, in their order.
    package subscript(parameter: Parameter<[Pair]>) -> [Pair] {
        var (list, index) = ([Pair](), 0)
        while let pair = pair(&index, of: parameter) { list.append(pair) }
        return list
    }

    /// The same one by one.
    /// - Parameter index: 0 for the first; it is moved to the next.
    package func pair(_ index: inout Int, of parameter: Parameter<[Pair]>) -> Pair? {
        guard let position = position(of: parameter.description) else { return nil }
        while index < pairs.count {
            defer { index += 1 }
            if pairs[index].position == position { return pairs[index].pair }
        }
        return nil
    }

    /// What `read` makes of the text given for a parameter, or of the one that stands for it when none is.
    package func reading<Value>(_ parameter: Parameter<Span<UInt8>>, _ read: (Span<UInt8>) -> Value) -> Value {
        let standard = parameter.description.standard
        guard let text = self[parameter] else { return read(standard.span) }
        return read(text)
    }

    /// The text given for a parameter, or the one that stands for it when none is.
    package func bytes(of parameter: Parameter<Span<UInt8>>) -> [UInt8] {
        self[parameter]?.array ?? parameter.description.standard
    }

    /// The index of a parameter among those that it has been read by; nil for one of another route.
    private func position(of parameter: ParameterDescription) -> Int? {
        guard let position = known.position(of: parameter), position < values.count else { return nil }
        return position
    }

    /// Says what object is meant when that does not stand in parameters of its own, but in the text given for another
    /// parameter.
    /// - Parameters: ranges in that text; if nothing is there, nothing changes.
    package mutating func setTarget(
        bucket: Range<Int>, key: Range<Int>, isEncoded: Bool, in parameter: Parameter<Span<UInt8>>
    ) {
        guard let position = position(of: parameter.description), case .bytes(let text) = values[position],
            let bucket = Ask.range(bucket, in: text), let key = Ask.range(key, in: text)
        else { return }
        bucketRange = bucket
        keyRange = isEncoded ? parameters.keep(decoding: key) : key
    }

    /// Says what object is meant, or what all keys begin with that are, where no text of a parameter has it as it is.
    package mutating func setTarget(bucket: Span<UInt8>, key: Span<UInt8>, isPrefix: Bool) {
        bucketRange = parameters.keep(bucket)
        keyRange = parameters.keep(key)
        keyIsPrefix = isPrefix
    }

    /// Says that an object of no name is meant, which is the bucket itself, unless one is named.
    package mutating func setTargetToBucket() {
        if keyRange == nil { keyRange = 0..<0 }
    }

    private static func range(_ range: Range<Int>, in text: Range<Int>) -> Range<Int>? {
        guard range.lowerBound >= 0, range.upperBound <= text.count else { return nil }
        return text.lowerBound + range.lowerBound..<text.lowerBound + range.upperBound
    }

    /// Checks `parameters` against a route's descriptions (R3): every name known and given once, every value of its kind.
    package mutating func read(by known: ParameterList) throws(AskError) {
        self.known = known
        for _ in known.descriptions { values.append(.none) }
        var index = 0
        while index < parameters.entries.count {
            let entry = parameters.entries[index]
            index += 1
            guard let position = known.position(named: parameters.bytes(entry.name)) else {
                let name = parameters.bytes(entry.name)
                if name.begins(with: "_") || known.ignores(name) { continue }
                throw unknown(entry)
            }
            let description = known[position]
            if case .ignored = description.kind { continue }
            if case .pairs(let separator, let most, let length) = description.kind {
                let pair = try pair(entry, description.name, separator, maximumLength: length)
                try keep(pair, at: position, description.name, most: most)
                continue
            }
            guard case .none = values[position] else {
                throw AskError(.invalid, description.name, "is given more than once")
            }
            values[position] = try check(entry, description)
        }
    }

    private mutating func check(
        _ entry: Parameters.Entry, _ description: ParameterDescription
    ) throws(AskError) -> Value {
        let name = description.name
        guard case .alone = entry.nesting else { throw AskError(.invalid, name, "must be one value, not several") }
        let range = entry.value
        switch description.kind {
        case .grant:
            try requireText(entry, name)
            grant = range
            return .bytes(range)
        case .bucket:
            try requireText(entry, name)
            guard BucketRule.admits(parameters.bytes(range)) else {
                throw AskError(.invalid, name, BucketRule.fault.description)
            }
            bucketRange = range
            return .bytes(range)
        case .key(let maximumLength):
            try requireKey(entry, name, maximumLength)
            return .bytes(range)
        case .keyPrefix(let maximumLength):
            try requireKey(entry, name, maximumLength)
            keyIsPrefix = true
            return .bytes(range)
        case .keyName(let maximumLength):
            try requireKey(entry, name, maximumLength)
            keyIsRelative = true
            return .bytes(range)
        case .fileExtension:
            try requireText(entry, name)
            guard FileExtension.admits(parameters.bytes(range)) else {
                throw AskError(.invalid, name, FileExtension.fault.description)
            }
            extensionRange = range
            return .bytes(range)
        case .text(let maximumLength), .json(let maximumLength):
            if case .text = description.kind { try requireText(entry, name) }
            guard !range.isEmpty else { throw AskError(.invalid, name, "must not be empty") }
            guard range.count <= maximumLength else {
                throw AskError(.invalid, name, "must have at most \(maximumLength) bytes")
            }
            return .bytes(range)
        case .lifetime(let least):
            let seconds = try integer(entry, name, least...Int64(Int32.max), unit: "of seconds ")
            lifetime = seconds
            return .integer(seconds)
        case .integer(let bounds):
            hasNumbers = true
            return .integer(try integer(entry, name, bounds))
        case .pairs, .ignored: return .none
        }
    }

    private func pair(
        _ entry: Parameters.Entry, _ parameter: String, _ separator: UInt8, maximumLength: Int
    ) throws(AskError) -> Pair {
        var pair = Pair(name: entry.value, value: nil)
        let text = parameters.bytes(entry.value)
        if case .member(let name) = entry.nesting {
            // It may be a number in JSON: { "content-length": 18 }.
            pair = Pair(name: name, value: entry.value)
        } else {
            try requireText(entry, parameter)
            if let end = text.firstIndex(of: separator) {
                let middle = entry.value.lowerBound + end
                pair = Pair(name: entry.value.lowerBound..<middle, value: middle + 1..<entry.value.upperBound)
            }
        }
        let name = parameters.bytes(pair.name)
        guard !name.isEmpty, name.firstIndex(of: separator) == nil else {
            throw AskError(.invalid, parameter, "must be a name, \(Character(Unicode.Scalar(separator))) and a value")
        }
        guard name.count + (pair.value?.count ?? 0) <= maximumLength else {
            throw AskError(.invalid, parameter, "must have at most \(maximumLength) bytes, name and value together")
        }
        guard !name.hasControlCharacters, !text.hasControlCharacters else {
            throw AskError(.invalid, parameter, "must have no control characters")
        }
        return pair
    }

    /// - Parameter most: how many pairs the parameter may have.
    private mutating func keep(
        _ pair: Pair, at position: Int, _ parameter: String, most: Int
    ) throws(AskError) {
        var count = 0
        for other in pairs where other.position == position {
            count += 1
            // Where case matters, no two names differ in nothing else.
            if parameters.bytes(other.pair.name).equals(ignoringCase: parameters.bytes(pair.name)) {
                throw AskError(.invalid, parameter, "has a name more than once")
            }
        }
        guard count < most else { throw AskError(.invalid, parameter, "must be given at most \(most) times") }
        pairs.append((position, pair))
    }

    private mutating func requireKey(
        _ entry: Parameters.Entry, _ name: String, _ maximumLength: Int
    ) throws(AskError) {
        try requireText(entry, name)
        guard keyRange == nil else { throw AskError(.invalid, name, "cannot be given beside another key or prefix") }
        if let fault = ObjectKeyRule.fault(of: parameters.bytes(entry.value), maximumLength: maximumLength) {
            throw AskError(.invalid, name, fault.description)
        }
        keyRange = entry.value
    }

    private func requireText(_ entry: Parameters.Entry, _ name: String) throws(AskError) {
        guard entry.form == .text || entry.form == .string else { throw AskError(.invalid, name, "must be a string") }
    }

    private func integer(
        _ entry: Parameters.Entry, _ name: String, _ bounds: ClosedRange<Int64>, unit: String = ""
    ) throws(AskError) -> Int64 {
        guard entry.form != .boolean,
            let value = Decimal.parse(parameters.bytes(entry.value), maximum: bounds.upperBound), bounds.contains(value)
        else {
            throw AskError(
                .invalid, name,
                "must be a whole number \(unit)from \(bounds.lowerBound) to \(bounds.upperBound), in digits")
        }
        return value
    }

    private func unknown(_ entry: Parameters.Entry) -> AskError {
        let name = parameters.bytes(entry.name).text
        // A caller that forgets the name may send a token in its place, so a name is shown only if it looks like a slip.
        if name.utf8.count <= 32,
            let nearest = NearestName.of(name, among: known.descriptions.flatMap { [$0.name] + $0.aliases })
        {
            return AskError(.unknown, name, "is not known; did you mean \(nearest)?")
        }
        let names = known.descriptions.map(\.name).joined(separator: ", ")
        // No credential is as short as this.
        let isWord = name.utf8.count <= 12 && name.utf8.allSatisfy { 0x61...0x7A ~= $0 | 0x20 }
        return isWord
            ? AskError(.unknown, name, "is not known; there are \(names)")
            : AskError(.unknown, "", "a parameter has a name that is not known; there are \(names)")
    }
}

/// What a provider keeps of an ask in a form of its own.
package protocol AskDetail: Sendable {}
