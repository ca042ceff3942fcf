#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A system thread: joined or detached, exactly once.
package struct SystemThread: Sendable {
    private let handle: pthread_t

    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Returns: nil when the system has no thread for it; `run` is not called then.
    package init?(_ run: @escaping @Sendable () -> Void) {
        #if canImport(Glibc)
            var handle = pthread_t()
        #else
            var handle: pthread_t?
        #endif
        // Unsafe: the new thread takes over the one reference; without a thread it is let go of here.
        let body = unsafe Unmanaged.passRetained(Body(run))
        guard unsafe pthread_create(&handle, nil, SystemThread.enter, body.toOpaque()) == 0 else {
            unsafe body.release()
            return nil
        }
        #if !canImport(Glibc)
            guard let handle else { return nil }
        #endif
        self.handle = handle
    }

    package func join() { pthread_join(handle, nil) }

    package func detach() { pthread_detach(handle) }

    #if canImport(Glibc)
        private static let enter: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { argument in
            if let argument = unsafe argument { unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
            return nil
        }
    #else
        private static let enter: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { argument in
            Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
            return nil
        }
    #endif
}
