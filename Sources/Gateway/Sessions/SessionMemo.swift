import Access
import Bytes
import Providers
import Upstream

/// Which session a caller gets by a grant, remembered so that its policy, name and key need not be made for every request:
/// a fixed number of sessions, of which a newer one replaces an older one.
struct SessionMemo: ~Copyable {
    private static let capacity = 256
    private var entries = [RememberedSession?](repeating: nil, count: capacity)

    /// - Parameter make: says which session it is, when that is not known.
    mutating func session(
        under permit: borrowing Permit, for caller: Caller,
        _ make: (borrowing Permit) throws(SessionRequestFault) -> VendorSession
    ) throws(SessionRequestFault) -> RememberedSession {
        let index = SessionMemo.index(permit.grant, caller, permit.lifetime)
        if let entry = entries[index], entry.isMeant(by: permit, for: caller) { return entry }
        let entry = RememberedSession(try make(permit), under: permit, for: caller)
        entries[index] = entry
        return entry
    }

    private static func index(_ grant: Grant, _ caller: Caller, _ lifetime: Int64) -> Int {
        var mixed = UInt(bitPattern: ObjectIdentifier(grant)) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= UInt(bitPattern: ObjectIdentifier(caller))
        mixed = mixed &* 0x9E37_79B9_7F4A_7C15 ^ UInt(truncatingIfNeeded: lifetime)
        return Int((mixed &* 0x9E37_79B9_7F4A_7C15) >> 56) % capacity
    }
}

/// A session with what it was made for, and the credential that was served for it a moment ago.
final class RememberedSession {
    let session: VendorSession
    // Held, so that no other object can have their addresses while they are compared.
    private let grant: Grant
    private let caller: Caller
    private let lifetime: Int64
    private let extent: Permit.Extent
    private let bucket, key, vendorName: [UInt8]
    private var served = ServedCredential()

    fileprivate init(_ session: VendorSession, under permit: borrowing Permit, for caller: Caller) {
        self.session = session
        self.caller = caller
        grant = permit.grant
        lifetime = permit.lifetime
        extent = permit.extent
        bucket = permit.bucket.array
        key = permit.key.array
        vendorName = permit.vendorName.array
    }

    fileprivate func isMeant(by permit: borrowing Permit, for caller: Caller) -> Bool {
        grant === permit.grant && self.caller === caller && lifetime == permit.lifetime && extent == permit.extent
            && permit.key.equals(key) && permit.bucket.equals(bucket) && permit.vendorName.equals(vendorName)
    }

    /// What was served a moment ago.
    func credential(at now: Instant) -> SessionCredential? { served.credential(at: now) }

    func remember(_ credential: SessionCredential, at now: Instant) { served.remember(credential, at: now) }
}

/// What the shared cache has just served, which is served again for a moment without asking there.
struct ServedCredential {
    private var served: (credential: SessionCredential, at: Instant)?

    /// In milliseconds. The least time that a credential must have left includes a second more than this needs.
    private static let moment: Int64 = 250

    /// What was served a moment ago, by both clocks.
    func credential(at now: Instant) -> SessionCredential? {
        guard let served, now.monotonic - served.at.monotonic < ServedCredential.moment,
            now.unixSeconds == served.at.unixSeconds || now.unixSeconds == served.at.unixSeconds + 1
        else { return nil }
        return served.credential
    }

    mutating func remember(_ credential: SessionCredential, at now: Instant) { served = (credential, now) }
}
