import Configuration
import Net

/// Which configuration serves, and how the last reload went, for operators. From any thread.
package final class ReloadRecord: Sendable {
    package struct Standing: Sendable, Equatable {
        /// The number of the configuration that serves, the first being 1.
        package fileprivate(set) var generation = 1
        /// When that was taken up, in seconds since 1970.
        package fileprivate(set) var since: Int64
        /// How many have been refused since the start.
        package fileprivate(set) var refusals = 0
        /// The last one that was tried, if it was refused: when, in seconds since 1970, and why.
        package fileprivate(set) var refusal: Refusal?

        package struct Refusal: Sendable, Equatable {
            package let time: Int64
            /// None tells a value.
            package let problems: [Problem]
        }
    }

    private let state: Guarded<Standing>

    init(at now: Int64) { state = Guarded(Standing(since: now)) }

    package var standing: Standing { state.withLock { $0 } }

    /// Another one serves.
    /// - Returns: its number.
    package func succeeded(at now: Int64) -> Int {
        state.withLock { state in
            state.generation += 1
            state.since = now
            state.refusal = nil
            return state.generation
        }
    }

    /// Another one was tried, and does not serve.
    package func refused(because problems: [Problem], at now: Int64) {
        state.withLock { state in
            state.refusals += 1
            state.refusal = Standing.Refusal(time: now, problems: problems)
        }
    }
}
