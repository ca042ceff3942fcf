import Configuration
import Dispatch
import Machine
import Net
import Telemetry
import Upstream

/// What one loop makes calls to vendors and issuers with.
struct LoopCallTools {
    let calls: LoopCalls
    let log: Log
    /// Has work run on the loop's thread; from any thread.
    let post: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Reads a file that may be slow to come; nil for one that cannot be read.
    let read: (_ path: String, _ then: @escaping (ReadFile?) -> Void) -> Void
    /// The sessions that all replicas share; nil for a service that is alone.
    var sessions: SharedSessions?
}

extension LoopCallTools {
    /// - Parameters:
    ///   - upstreamClient: what calls are sent with.
    ///   - clock: what they are timed by.
    init(_ loop: LoopAccess, _ upstreamClient: any UpstreamClient, at clock: @escaping Clock, _ log: Log) {
        let mailbox = loop.clients.mailbox
        calls = LoopCalls(upstreamClient: upstreamClient, clock: clock)
        self.log = log
        post = { mailbox.post($0) }
        read = { path, then in
            let then = LoopWork(then)
            // A file of another file system may be slow to come.
            DispatchQueue(label: "countersign.secrets").async {
                let file = Environment.process.file(path)
                mailbox.post { then.body(file) }
            }
        }
    }

    /// Work that runs on the loop's thread, whichever thread hands it over.
    // Unsafe: nothing of it is touched where it is handed over.
    private struct LoopWork: @unchecked Sendable {
        let body: (ReadFile?) -> Void
        init(_ body: @escaping (ReadFile?) -> Void) { self.body = body }
    }
}
