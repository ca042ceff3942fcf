import Bytes
import Crypto

/// Temporary credentials that the sandbox gave out. They open nothing anywhere.
struct IssuedCredential: Sendable {
    let accessKeyID: [UInt8]
    let secret: Secret
    let securityToken: [UInt8]
    /// Seconds since 1970.
    let expiration: Int64
    /// The account whose role was assumed, as its number.
    var account: [UInt8] = []
    /// What narrows the role; nil for a session that may do whatever the role may.
    var policy: IssuedSessionPolicy?
}

/// The newest credentials, so that requests signed with them can be verified: so many and no more, the oldest go first.
struct IssuedCredentials {
    private let capacity: Int
    private var byID: [[UInt8]: IssuedCredential] = [:]
    /// Identifiers in the order they were given out, round and round.
    private var order: [[UInt8]] = []
    private var oldest = 0

    init(capacity: Int) { self.capacity = max(1, capacity) }

    var count: Int { byID.count }

    subscript(accessKeyID: [UInt8]) -> IssuedCredential? { byID[accessKeyID] }

    mutating func keep(_ credential: IssuedCredential) {
        if order.count < capacity {
            order.append(credential.accessKeyID)
        } else {
            byID[order[oldest]] = nil
            order[oldest] = credential.accessKeyID
            oldest = (oldest + 1) % capacity
        }
        byID[credential.accessKeyID] = credential
    }
}
