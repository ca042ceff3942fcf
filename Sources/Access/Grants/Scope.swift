import Bytes

/// What part of what bucket a grant gives for one request, and what the caller is called there.
struct Scope: ~Copyable {
    private var text = ByteWriter(capacity: 0)
    private var bucketEnd = 0
    private var keyEnd = 0
    var extent = Permit.Extent.object

    var bucket: Span<UInt8> {
        @_lifetime(borrow self)
        get { text.bytes.extracting(0..<bucketEnd) }
    }

    var key: Span<UInt8> {
        @_lifetime(borrow self)
        get { text.bytes.extracting(bucketEnd..<keyEnd) }
    }

    var vendorName: Span<UInt8> {
        @_lifetime(borrow self)
        get { text.bytes.extracting(keyEnd..<text.count) }
    }

    /// Begins anew, with a bucket if there is one; key and name follow, in this order.
    mutating func begin(bucket: Span<UInt8>? = nil) {
        text.reset()
        if let bucket { text.append(bucket) }
        bucketEnd = text.count
        keyEnd = text.count
        extent = .object
    }

    mutating func set(key: Span<UInt8>, isPrefix: Bool = false) {
        text.truncate(to: bucketEnd)
        text.append(key)
        keyEnd = text.count
        extent = isPrefix ? .prefix : .object
    }

    /// Makes a prefix the key of one object.
    mutating func append(toKey name: Span<UInt8>) {
        text.truncate(to: keyEnd)
        text.append(name)
        keyEnd = text.count
        extent = .object
    }

    mutating func set(
        key template: KeyTemplate, for caller: Caller, asking fileExtension: Span<UInt8>?, by nonce: Nonce,
        at instant: Instant
    ) -> KeyTemplate.RenderFault? {
        text.truncate(to: bucketEnd)
        let fault = template.render(for: caller, asking: fileExtension, by: nonce, at: instant, into: &text)
        keyEnd = text.count
        return fault
    }

    mutating func set(
        vendorName template: KeyTemplate, for caller: Caller, asking fileExtension: Span<UInt8>?, by nonce: Nonce,
        at instant: Instant
    ) -> KeyTemplate.RenderFault? {
        text.truncate(to: keyEnd)
        return template.render(for: caller, asking: fileExtension, by: nonce, at: instant, into: &text)
    }
}

/// Storage that `Policy` decides in, so that deciding allocates nothing. Each event loop has its own.
package struct PolicyWorkspace: ~Copyable {
    var candidate = Scope()
    var winning = Scope()
    var tally = Tally()
    var walk = KeyTree.Walk()

    package init() {}
}
