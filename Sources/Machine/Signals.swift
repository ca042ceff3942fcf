import Dispatch

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What the system tells the process.
package enum Signals {
    /// Has `body` run whenever a signal comes, from when this returns until the source is cancelled.
    package static func take(_ number: Int32, _ body: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        // Else the system would end the process before Dispatch hears of it.
        signal(number, SIG_IGN)
        // Not on a global queue, here and elsewhere: Dispatch watches its threads by /proc, and ends a process without.
        let source = DispatchSource.makeSignalSource(signal: number, queue: DispatchQueue(label: "countersign.signal"))
        source.setEventHandler { @Sendable in body() }
        // Only when Dispatch has taken the signal over may anybody be told that the service is there.
        let isRegistered = DispatchSemaphore(value: 0)
        source.setRegistrationHandler { @Sendable in isRegistered.signal() }
        source.resume()
        isRegistered.wait()
        return source
    }
}
