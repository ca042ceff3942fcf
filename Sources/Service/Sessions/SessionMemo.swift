import Access
import Bytes
import Providers

/// Which session a caller gets by a grant, remembered so that its policy, name and key need not be made for every request:
/// so many and no more, a newer one in the place of an older one.
struct SessionMemo: ~Copyable {
    private struct Entry {
        let grant: Grant
        let caller: Caller
        let lifetime: Int64
        let bucket, key, vendorName: [UInt8]
        let session: STSSession
    }

    private static let places = 256
    private var entries = [Entry?](repeating: nil, count: places)

    /// - Parameter make: says which session it is, when that is not known.
    mutating func session(
        under permit: borrowing Permit, for caller: Caller,
        _ make: (borrowing Permit) throws(STSSessionFault) -> STSSession
    ) throws(STSSessionFault) -> STSSession {
        let place = SessionMemo.place(permit.grant, caller, permit.lifetime)
        if let entry = entries[place], entry.grant === permit.grant, entry.caller === caller,
            entry.lifetime == permit.lifetime, permit.key.equals(entry.key), permit.bucket.equals(entry.bucket),
            permit.vendorName.equals(entry.vendorName)
        {
            return entry.session
        }
        let session = try make(permit)
        entries[place] = Entry(
            grant: permit.grant, caller: caller, lifetime: permit.lifetime, bucket: permit.bucket.array,
            key: permit.key.array, vendorName: permit.vendorName.array, session: session)
        return session
    }

    /// Both objects are held by the entry, so that no other can have their addresses while they are compared.
    private static func place(_ grant: Grant, _ caller: Caller, _ lifetime: Int64) -> Int {
        var mixed = UInt(bitPattern: ObjectIdentifier(grant)) &* 0x9E37_79B9_7F4A_7C15
        mixed ^= UInt(bitPattern: ObjectIdentifier(caller))
        mixed = mixed &* 0x9E37_79B9_7F4A_7C15 ^ UInt(truncatingIfNeeded: lifetime)
        return Int((mixed &* 0x9E37_79B9_7F4A_7C15) >> 56) % places
    }
}
