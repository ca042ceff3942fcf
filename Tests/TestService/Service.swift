import Foundation
import Testing

/// A running service: `countersign serve` on a port that the system chose, or one in the process of the tests.
final class Service: Asked, Sendable {
    private enum Home: Sendable {
        case process(Program)
        case inProcess(InProcessService)
    }

    private let home: Home
    let port: UInt16
    /// Where it tells about itself.
    let admin: Admin
    /// Where its configuration and secret files are.
    let folder: String
    let configuration: String

    /// Writes the set-up to a new folder, starts the binary, and waits until it says that it listens.
    /// - Parameter starter: a command that becomes the service, such as `shell("ulimit -n 64")`.
    convenience init(
        _ setup: Setup, _ transport: Transport = .inProcess, _ environment: [String: String] = Setup.environment,
        handing sockets: [Int32] = [], by starter: [String] = []
    ) throws {
        guard transport != .inProcess else {
            try self.init(inProcess: setup, environment)
            return
        }
        let folder = try Keeper.makeFolder()
        do {
            let configuration = try setup.write(to: folder, transport: transport)
            try self.init(
                serving: configuration, in: folder, environment, isJSON: setup.logFormat == "json",
                hasAdmin: !setup.admin.contains("listen: []"), handing: sockets, by: starter)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }

    /// Starts the binary with a configuration that is there, and waits until it says that it listens.
    init(
        serving configuration: String, in folder: String, _ environment: [String: String] = Setup.environment,
        isJSON: Bool = false, hasAdmin: Bool = true, handing sockets: [Int32] = [],
        by starter: [String] = []
    ) throws {
        self.folder = folder
        self.configuration = configuration
        let call = [Program.countersign, "serve", "--config", configuration]
        let whole = starter + call
        let process = try Program(whole[0], Array(whole.dropFirst()), environment: environment, handing: sockets)
        home = .process(process)
        do {
            // That comes last, so that all others are told by then.
            admin = Admin(port: hasAdmin ? try Service.port(of: process, behind: "listening for admin", isJSON) : 0)
            port = try Service.port(of: process, behind: "listening", isJSON)
        } catch {
            _ = process.stop(within: 1)
            throw error
        }
    }

    private init(inProcess setup: Setup, _ environment: [String: String]) throws {
        let service = try InProcessService(setup, environment)
        home = .inProcess(service)
        // Nobody listens there: it is what clients call the service by.
        port = 8080
        admin = Admin(port: 8081, service: service)
        folder = ""
        configuration = ""
    }

    /// That of a service that has one; a test that needs it is not for `Transport.inProcess`.
    var process: Program {
        guard case .process(let program) = home else { preconditionFailure("the service has no process") }
        return program
    }

    /// That of a service without a process.
    var inProcess: InProcessService {
        guard case .inProcess(let service) = home else { preconditionFailure("the service is a process") }
        return service
    }

    /// Has a service without a process go on by another configuration.
    func reload(inProcess setup: Setup, _ environment: [String: String] = Setup.environment) throws {
        try inProcess.reload(setup, environment)
    }

    /// What a service without a process goes by.
    var clock: TestClock { inProcess.clock }

    /// Lets time pass for a service without a process, and has everything done that is due then.
    func pass(milliseconds: Int64) {
        clock.advance(by: milliseconds)
        inProcess.catchUp()
    }

    /// All that it has written to its log by now.
    var logged: String {
        switch home {
        case .process(let program): program.errorText
        case .inProcess(let service): service.logged
        }
    }

    func connect() throws -> Client { try connect(from: Client.loopback) }

    /// - Parameter certificate: the file of what a client of a service without a process shows by TLS, if anything.
    func connect(showing certificate: String?) throws -> Client {
        try InProcessClient(inProcess, showing: certificate)
    }

    var isInProcess: Bool { if case .inProcess = home { true } else { false } }

    /// - Parameter listener: the index of an address that a service without a process would listen on.
    func connect(to listener: Int) throws -> Client { try InProcessClient(inProcess, to: listener) }

    /// - Parameter source: the address to connect from.
    func connect(from source: UInt32) throws -> Client {
        switch home {
        case .process: try Client(port, from: source)
        case .inProcess(let service): try InProcessClient(service, from: source)
        }
    }

    /// A shell that does something and becomes what follows.
    static func shell(_ preparation: String) -> [String] { ["/bin/sh", "-c", "\(preparation) && exec \"$@\"", "sh"] }

    /// The same, seeing files of its own wherever it mounts them; that takes root.
    static func mounting(_ preparation: String) -> [String] { ["/usr/bin/unshare", "--mount"] + shell(preparation) }

    /// The port that the program says in its log, when it has said so: that of an IPv4 address if there is one, which is what
    /// `connect` takes, and 0 for a Unix socket.
    private static func port(of process: Program, behind words: String, _ isJSON: Bool) throws -> UInt16 {
        let sign = isJSON ? "\"\(words)\",\"address\":\"" : "\(words) address="
        let log = try process.waitForError(holding: sign)
        let addresses = log.components(separatedBy: sign).dropFirst().map { $0.prefix { !$0.isNewline && $0 != "\"" } }
        let address = addresses.first { $0.first?.isNumber == true } ?? addresses.first
        return address?.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    }

    /// Runs `body` with a service of its own, and stops it whatever happens.
    static func run<Result>(
        _ setup: Setup, _ transport: Transport = .inProcess, _ environment: [String: String] = Setup.environment,
        _ body: (Service) throws -> Result
    ) throws -> Result {
        let service = try Service(setup, transport, environment)
        defer { service.stop() }
        return try body(service)
    }

    @discardableResult
    func stop() -> Program.Outcome {
        guard case .process(let process) = home else { return Program.Outcome(code: 0, out: "", err: logged) }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return process.stop()
    }

    private static let running = Running()

    /// The service that all tests of a set-up share; it is stopped when the test run ends.
    static func shared(_ setup: Setup, _ transport: Transport = .inProcess) throws -> Service {
        try running.service(setup, transport)
    }

    /// Has a service that tests share in another way stopped when the test run ends.
    static func keep(_ service: Service) { running.keep(service) }

    private final class Running: @unchecked Sendable {
        private let lock = NSLock()
        private var services: [String: Service] = [:]
        private var kept: [Service] = []

        init() { atexit { Service.running.stop() } }

        /// All are told first, so that they end at the same time.
        private func stop() {
            lock.withLock {
                for service in kept { service.process.signal(SIGTERM) }
                for service in kept { service.stop() }
            }
            Keeper.forget()
        }

        func service(_ setup: Setup, _ transport: Transport) throws -> Service {
            try lock.withLock {
                let name = "\(setup.name) \(transport.rawValue)"
                if let service = services[name] { return service }
                let service = try Service(setup, transport)
                if transport != .inProcess { note(service) }
                services[name] = service
                return service
            }
        }

        func keep(_ service: Service) { lock.withLock { note(service) } }

        private func note(_ service: Service) {
            Keeper.keep(service.process.identifier)
            kept.append(service)
        }
    }
}

/// The admin listener of a running service.
struct Admin: Asked, Sendable {
    let port: UInt16
    /// Nil where it is a process.
    var service: InProcessService?

    func connect() throws -> Client {
        if let service { try InProcessClient(service, to: -1) } else { try Client(port) }
    }
}

// MARK: Requests

/// What can be asked by HTTP.
protocol Asked {
    /// That of its name.
    var port: UInt16 { get }

    func connect() throws -> Client
}

extension Asked {
    /// The text of a request; the Host field is the listener's address unless `fields` has one.
    func text(_ method: String, _ target: String, _ fields: [String] = [], body: String? = nil) -> String {
        var lines = ["\(method) \(target) HTTP/1.1"]
        if !fields.contains(where: { $0.lowercased().hasPrefix("host:") }) { lines.append("Host: 127.0.0.1:\(port)") }
        lines += fields
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    /// One request on a connection of its own.
    func ask(_ method: String, _ target: String, _ fields: [String] = [], body: String? = nil) throws -> Answer {
        let client = try connect()
        // What is refused may be before all of it is sent, and the connection end: the answer has come nevertheless.
        try? client.send(text(method, target, fields, body: body))
        return try client.answer(toHead: method == "HEAD")
    }

    func get(_ target: String, _ fields: String...) throws -> Answer { try ask("GET", target, fields) }

    func post(_ target: String, _ type: String, _ body: String, _ fields: String...) throws -> Answer {
        try ask("POST", target, ["Content-Type: \(type)"] + fields, body: body)
    }

    func post(_ target: String, json body: String, _ fields: String...) throws -> Answer {
        try ask("POST", target, ["Content-Type: application/json"] + fields, body: body)
    }

    /// Bytes exactly as they are, and the first answer to them.
    func raw(_ bytes: [UInt8]) throws -> Answer {
        let client = try connect()
        try client.send(bytes)
        return try client.answer()
    }
}

/// A name or value for a query or a form: everything but letters and digits escaped.
func percent(_ text: String) -> String {
    text.utf8.map { byte in
        let isPlain = Character(Unicode.Scalar(byte)).isASCII && (isalnum(Int32(byte)) != 0)
        return isPlain ? String(Unicode.Scalar(byte)) : String(format: "%%%02X", byte)
    }.joined()
}

/// Seconds since 1970. (`time` would be the kernel's coarse clock, which begins a second some milliseconds late.)
var now: Int64 { Int64(Date.now.timeIntervalSince1970) }

/// `2026-11-20T06:17:56Z`
func iso8601(_ seconds: Int64) -> String { formatted(seconds, "%Y-%m-%dT%H:%M:%SZ") }

/// `20261120T061756Z`
func basicISO8601(_ seconds: Int64) -> String { formatted(seconds, "%Y%m%dT%H%M%SZ") }

/// `Fri, 20 Nov 2026 06:17:56 GMT`
func httpDate(_ seconds: Int64) -> String { formatted(seconds, "%a, %d %b %Y %H:%M:%S GMT") }

/// The one of some moments, in seconds from now, that is written so. Of one and the same now, which else could be past a moment
/// before that is compared.
func moment(_ seconds: ClosedRange<Int64>, writtenAs text: String?, by format: (Int64) -> String) -> Int64? {
    let now = now
    return seconds.lazy.reversed().map { now + $0 }.first { format($0) == text }
}

func formatted(_ seconds: Int64, _ format: String) -> String {
    var moment = time_t(seconds)
    var parts = tm()
    gmtime_r(&moment, &parts)
    var text = [UInt8](repeating: 0, count: 64)
    let count = text.withUnsafeMutableBytes {
        strftime($0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, format, &parts)
    }
    return String(decoding: text[..<count], as: UTF8.self)
}
