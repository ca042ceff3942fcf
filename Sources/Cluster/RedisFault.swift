import Net

/// Why Redis gave no answer of use. Its description is for the log, and holds nothing that Redis sent but the code of an error.
package enum RedisFault: Error, Sendable, CustomStringConvertible {
    case stream(WaitingStream.Fault)
    /// It speaks another protocol, or its answer is too large.
    case protocolBroken
    /// An answer of another kind than the command has.
    case unexpected(to: StaticString, kind: String)
    /// Not a master, or an older version than 7.0.
    case unfit(String)
    /// There is no connection.
    case gone
    /// As many commands wait as may.
    case busy

    package var description: String {
        switch self {
        case .stream(let fault): fault.description
        case .protocolBroken: "what answers does not speak the protocol of Redis, or says too much"
        case .unexpected(let command, let kind): "Redis answers \(command) by \(kind)"
        case .unfit(let reason): reason
        case .gone: "there is no connection to Redis"
        case .busy: "too many commands wait for Redis"
        }
    }
}
