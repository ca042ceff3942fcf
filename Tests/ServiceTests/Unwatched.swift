import Bytes
import HTTP
import Telemetry

@testable import Service

extension RequestMeter {
    /// One that nobody reads.
    static var unread: RequestMeter { RequestMeter(Counters(RequestMeter.Place.end)) }
}

extension AccessLog {
    /// One that tells nothing.
    static var silent: AccessLog { AccessLog(Log(Log.Settings(level: .error, format: .json))) }
}

extension RequestRecord {
    static var none: RequestRecord { RequestRecord(at: Instant(unixSeconds: 0, monotonic: 0)) }
}
