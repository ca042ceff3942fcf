import Access
import Bytes
import Configuration
import Crypto
import HTTP
import Inspection
import Machine
import Net
import Providers

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `countersign inspect`: tells what is on standard input, what it allows, and why its vendor would refuse it.
enum Inspecting {
    static func run(_ options: Options) -> Exit {
        let keyrings: Keyrings
        do throws(ConfigurationError) { keyrings = try Keyrings(options) } catch {
            Terminal.complain(error.description)
            return .invalidConfiguration
        }
        if let file = keyrings.foundFile {
            Terminal.complain("countersign inspect: checks signatures by the configuration \(file) of this folder")
        }
        if isatty(STDIN_FILENO) == 1 {
            Terminal.complain("countersign inspect: reads standard input up to Ctrl-D")
        }
        let input: InspectionInput
        do throws(InspectionInput.Fault) {
            input = try InspectionInput(reading: Terminal.read(atMost: InspectionInput.maximumLength + 1) ?? [])
        } catch {
            return refuse(reason(error), options, error.isEmpty ? .usage : .failed)
        }
        guard let inspection = inspect(input, by: keyrings, at: SystemClock.now().unixSeconds) else {
            let kinds = Inspectors.all.map(\.inspector.kind) + [InspectedJWT.kind, InspectedTicket.kind]
            return refuse("it is none of: \(kinds.joined(separator: ", "))", options, .failed)
        }
        let report = InspectionReport(inspection)
        Terminal.say(options.wantsJSON ? report.json : report.text(inColour: Terminal.hasColours))
        return inspection.verdict == .refused ? .failed : .done
    }

    /// The first that knows the input tells of it; nil when nobody does.
    static func inspect(_ input: InspectionInput, by keyrings: Keyrings, at now: Int64) -> Inspection? {
        for (provider, inspector) in Inspectors.all {
            let keyring = keyrings.keyring(of: provider)
            if let inspection = inspector.inspect(input, with: keyring, at: now) { return inspection }
        }
        let token = InspectedJWT.inspect(input, at: now, leeway: keyrings.leeway(of:)) { token, inspection in
            keyrings.judge(token, at: now, in: &inspection)
        }
        return token
            ?? InspectedTicket.inspect(input, at: now) { ticket, inspection in
                keyrings.judge(ticket: ticket, at: now, in: &inspection)
            }
    }

    private static func reason(_ fault: InspectionInput.Fault) -> String {
        switch fault {
        case .empty: "nothing is on standard input"
        case .tooLong: "it is longer than \(InspectionInput.maximumLength / 1024) KiB"
        case .badJSON(let error): "it begins as JSON, and is none: at byte \(error.offset), \(error.reason)"
        }
    }

    private static func refuse(
        _ reason: String, _ options: Options, _ exit: Exit
    ) -> Exit {
        if options.wantsJSON {
            var text = ByteWriter()
            text.append(object: { json in
                json.addNull("kind")
                json.add("verdict", "unknown")
                json.add("reason", reason)
            })
            Terminal.say(text.array.text)
        } else {
            Terminal.complain("countersign inspect: \(reason.visible)")
        }
        return exit
    }
}

extension InspectionInput.Fault {
    fileprivate var isEmpty: Bool { if case .empty = self { true } else { false } }
}
