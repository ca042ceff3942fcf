import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The process that has started this one.
package enum ParentProcess {
    /// Milliseconds between two looks: only some systems tell when a parent ends.
    private static let interval = DispatchTimeInterval.milliseconds(200)

    /// Has `body` run when it has ended, again and again, until the timer is cancelled.
    package static func whenEnded(_ body: @escaping @Sendable () -> Void) -> any DispatchSourceTimer {
        let parent = getppid()
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "countersign.parent"))
        timer.schedule(deadline: .now() + interval, repeating: interval)
        timer.setEventHandler { @Sendable in
            if getppid() != parent { body() }
        }
        timer.resume()
        return timer
    }
}
