import Bytes
import Machine
import Net

/// The sandbox's clock: the system's, put forward by the seconds in the file `clock` of its folder, or back where the number is less
/// than 0. It is read for each request, so that a test need not wait until what was issued has ended.
enum SandboxClock {
    /// Why a file `clock` is of no use.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Seconds; a year is more than any vendor's credential lasts.
    private static let most: Int64 = 366 * 86400

    /// - Parameters:
    ///   - data: the sandbox's folder.
    ///   - system: the clock that is changed.
    /// - Throws: where there is such a file and it holds no number now. One that holds none later changes nothing.
    static func reading(_ data: String, by system: @escaping Clock = SystemClock.now) throws(Failure) -> Clock {
        let path = "\(data)/clock"
        if let file = ReadFile(path), offset(file.bytes) == nil {
            throw Failure(
                description: "\(path) must hold a number of seconds, such as 900 or -900, from -\(most) to \(most)")
        }
        return {
            let now = system()
            guard let offset = ReadFile(path).flatMap({ offset($0.bytes) }) else { return now }
            return Instant(unixSeconds: now.unixSeconds + offset, nanoseconds: now.nanoseconds)
        }
    }

    private static func offset(_ text: [UInt8]) -> Int64? {
        let line = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        let isNegative = line.first == UInt8(ascii: "-")
        let seconds = Decimal.parse(Array(isNegative ? line.dropFirst() : line).span, maximum: most)
        return seconds.map { isNegative ? -$0 : $0 }
    }
}
