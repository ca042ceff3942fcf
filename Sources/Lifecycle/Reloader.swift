import Bytes
import Configuration
import Dispatch
import Gateway
import HTTP
import Machine
import Net
import Telemetry

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Replaces the configuration without an interruption: the next one is read, checked and put together beside the one that serves,
/// and then replaces it as a whole. One with anything wrong in it changes nothing.
final class Reloader: Sendable {
    private let path: String
    private let server: Server
    private let loops: [LoopHandler]
    /// What the service was started with, of what cannot change meanwhile; the rest of that configuration goes with its snapshot.
    private let fixed: [RestartOnlySetting]
    private let record: ReloadRecord
    private let systemd: SystemdNotifier
    private let queue = DispatchQueue(label: "countersign.reload")
    // Unsafe: on the queue only.
    @safe private nonisolated(unsafe) var snapshot: Snapshot
    /// The files of the configuration that was tried last.
    @safe private nonisolated(unsafe) var files: WatchedFiles
    /// What they held when a change was last seen.
    @safe private nonisolated(unsafe) var changed: WatchedFiles?
    @safe private nonisolated(unsafe) var timer: (any DispatchSourceTimer)?
    /// Whether another process has replaced this one, which then only finishes its last requests.
    @safe private nonisolated(unsafe) var isSucceeded = false

    /// A file may still be being written: a change counts if it is seen again after this.
    private static let settling = DispatchTimeInterval.milliseconds(100)
    /// After this nobody waits for a start, or for a reload.
    private static let rest = DispatchTimeInterval.seconds(1)

    /// - Parameters:
    ///   - snapshot: the one that serves.
    ///   - path: where its configuration is.
    init(
        _ snapshot: Snapshot, from path: String, on server: Server, _ loops: [LoopHandler],
        _ systemd: SystemdNotifier
    ) {
        self.snapshot = snapshot
        self.systemd = systemd
        self.path = path
        self.server = server
        self.loops = loops
        fixed = snapshot.configuration.fixed
        files = snapshot.files
        record = snapshot.record
        queue.async { [self] in
            watch()
            releasePages()
        }
    }

    /// Reads the configuration again, whether it has changed or not. From any thread.
    func reload() { queue.async { [self] in takeUp() } }

    /// Another process has replaced this one, and is told from now on when to read the configuration. This one reads it once
    /// more, and looks by itself from then on, so that what the other denies is not given here.
    func succeeded() {
        queue.async { [self] in
            isSucceeded = true
            takeUp()
            watch()
        }
    }

    /// Lets the code go that only putting a configuration together has used.
    private func releasePages() {
        queue.asyncAfter(deadline: .now() + Reloader.rest) { ProgramPages.release() }
    }

    // MARK: Looking

    private func watch() {
        timer?.cancel()
        timer = nil
        let settings = snapshot.configuration.reload
        guard settings.watches || isSucceeded else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let interval = DispatchTimeInterval.milliseconds(Int(settings.interval))
        timer.schedule(deadline: .now() + interval, repeating: interval, leeway: .milliseconds(50))
        timer.setEventHandler { @Sendable [weak self] in self?.look() }
        timer.resume()
        self.timer = timer
    }

    private func look() {
        // Out of descriptors, every file would seem to be gone.
        let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        close(descriptor)
        let now = files.lookedAtAgain(in: .process)
        guard now != files else {
            changed = nil
            return
        }
        guard now == changed else {
            changed = now
            queue.asyncAfter(deadline: .now() + Reloader.settling) { [weak self] in self?.look() }
            return
        }
        takeUp()
    }

    // MARK: Taking up

    private func takeUp() {
        if !isSucceeded { systemd.reloading(at: SystemClock.now().monotonic * 1000) }
        let recorder = FileRecorder()
        defer {
            files = recorder.files
            changed = nil
        }
        do {
            let configuration = try Configuration.checked(path, in: recorder.environment(over: .process))
            // After a hand-over, what needs a restart concerns the other process only.
            if !isSucceeded {
                let problems =
                    configuration.changes(ofFixed: fixed)
                    + configuration.secretsLeftBehind(since: snapshot.configuration)
                guard problems.isEmpty else { return refuse(problems) }
            }
            var making = Snapshot.Settings()
            making.files = recorder.files
            let next = try Snapshot(configuration, making, after: snapshot)
            swap(to: next, try loops.map { try $0.prepare(next) })
        } catch let error as ConfigurationError {
            refuse(error.problems)
        } catch {
            refuse([Problem(path: "", position: nil, reason: "\(error)")])
        }
    }

    private func swap(to next: Snapshot, _ shares: [LoopSnapshot]) {
        for warning in next.configuration.warnings { next.log.write(.warning, warning) }
        if !isSucceeded { server.renew(Server.Settings(next)) }
        snapshot = next
        watch()
        releasePages()
        let left = Countdown(from: shares.count) { [record, systemd, isSucceeded] in
            if !isSucceeded { systemd.ready() }
            let generation = record.succeeded(at: SystemClock.now().unixSeconds)
            // Its successor also says that it has reloaded.
            isSucceeded
                ? next.log.write(.info, "configuration reloaded by the old process", ["process": "\(getpid())"])
                : next.log.write(.info, "configuration reloaded", ["generation": "\(generation)"])
        }
        for (loop, share) in zip(loops, shares) { loop.adopt(share) { left.count() } }
    }

    private func refuse(_ problems: [Problem]) {
        record.refused(because: problems, at: SystemClock.now().unixSeconds)
        if !isSucceeded { systemd.ready() }
        for problem in problems {
            snapshot.log.write(
                .error, "configuration not reloaded, the one before stays",
                ["configuration": path, "problem": "\(problem)".visible])
        }
    }
}
