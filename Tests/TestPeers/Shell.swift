import Foundation

/// Commands that tests run to their ends.
///
/// Not by Foundation's Process: the socket by which that hears of the end is lent to whatever else is started meanwhile, and it
/// waits until the last of them has ended.
package enum Shell {
    package struct Failure: Error, CustomStringConvertible { package let description: String }

    /// - Returns: what it says on standard output; a failure, which tells all of it, when it does not end with 0.
    package static func run(_ command: String) throws -> [UInt8] {
        guard let output = popen(command, "re") else { throw Failure(description: "there is no shell") }
        var said: [UInt8] = []
        while case let byte = fgetc(output), byte >= 0 { said.append(UInt8(truncatingIfNeeded: byte)) }
        guard pclose(output) == 0 else { throw Failure(description: String(decoding: said, as: UTF8.self)) }
        return said
    }

    /// - Parameter call: the words of a command, which the shell takes as they are.
    package static func run(_ call: [String]) throws -> [UInt8] {
        try run(call.map { "'" + $0.replacingOccurrences(of: "'", with: "'\\''") + "'" }.joined(separator: " "))
    }
}
