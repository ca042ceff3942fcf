import Foundation

extension Service {
    /// Writes a file beside the configuration, instead of the one that is there; nobody ever sees half of it.
    func replace(_ name: String, with text: String) throws {
        let aside = try Keeper.write(text, to: "\(folder)/\(UUID().uuidString)")
        guard rename(aside, "\(folder)/\(name)") == 0 else {
            throw Program.Failure(description: "cannot rename: error \(errno)")
        }
    }

    func replaceConfiguration(with setup: Setup, _ transport: Transport) throws {
        try replace("countersign.json5", with: setup.text(transport))
    }

    /// Waits until the configuration of this number serves.
    func waitFor(generation: Int) throws {
        _ = try process.waitForError(holding: "configuration reloaded generation=\(generation)\n")
    }

    /// Has the service read another configuration, and waits until that serves.
    /// - Parameter generation: its number, the first being 1.
    func reload(_ setup: Setup, _ transport: Transport = .inProcess, generation: Int) throws {
        guard transport != .inProcess else { return try reload(inProcess: setup) }
        try replaceConfiguration(with: setup, transport)
        process.signal(SIGHUP)
        try waitFor(generation: generation)
    }

    /// Kilobytes of memory that it holds.
    func memory() throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(process.identifier)/status", encoding: .utf8)
        guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
            let size = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) })
        else { throw Program.Failure(description: "no VmRSS in \(status)") }
        return size
    }
}
