import Bytes
import Net

/// What all of Kodo's side shares: its objects, what is under way, and who may do what.
final class KodoService: Sendable {
    let store: ObjectStore
    let signatures: KodoSignatures
    let callbacks: KodoCallback
    let uploads = PartUploads()
    let blocks = KodoBlocks()
    private let ticks: @Sendable () -> Int64

    /// - Parameter ticks: milliseconds since some fixed moment.
    init(
        _ accounts: VendorAccounts, _ store: ObjectStore, callbackHosts: [HostPort],
        ticks: @escaping @Sendable () -> Int64 = { SystemClock.now().monotonic }
    ) {
        self.store = store
        self.ticks = ticks
        signatures = KodoSignatures(accounts)
        callbacks = KodoCallback(client: CallbackClient(hosts: callbackHosts), signatures: signatures)
    }

    /// - Parameter now: when the request came, seconds since 1970.
    func time(of now: Int64) -> KodoTime { KodoTime(start: now, startTicks: ticks(), ticks: ticks) }

    func finish(
        _ content: KodoContent, _ claim: KodoUploadClaim, _ token: KodoUploadToken, _ time: KodoTime
    ) -> KodoFinishedUpload {
        KodoFinishedUpload(
            content: content, claim: claim, token: token, store: store, callbacks: callbacks, now: time.now())
    }
}

/// What time it is while a request is answered: an upload token has to be good when the object is made, not when the upload begins.
struct KodoTime {
    /// When the request came, seconds since 1970.
    let start: Int64
    let startTicks: Int64
    let ticks: @Sendable () -> Int64

    /// Seconds since 1970.
    func now() -> Int64 { start + max(0, ticks() - startTicks) / 1000 }
}
