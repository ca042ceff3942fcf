import Bytes
import Configuration
import Gateway
import Inspection
import Machine
import Net

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// `countersign inspect`: tells what is on standard input, what it allows, and why its vendor would refuse it.
enum Inspecting {
    static func run(_ options: Options) -> Exit {
        let keyrings: Keyrings
        do throws(ConfigurationError) { keyrings = try self.keyrings(options) } catch {
            Terminal.complain(error.description)
            return .invalidConfiguration
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
        guard let inspection = keyrings.inspect(input, at: SystemClock.now().unixSeconds) else {
            return refuse("it is none of: \(Keyrings.kinds.joined(separator: ", "))", options, .failed)
        }
        let report = InspectionReport(inspection)
        Terminal.say(options.wantsJSON ? report.json : report.text(inColour: Terminal.hasColours))
        return inspection.verdict == .refused ? .failed : .done
    }

    /// The keys of the configuration that the options name; of the one that all commands look for, if it is there, which is said.
    private static func keyrings(_ options: Options) throws(ConfigurationError) -> Keyrings {
        let file = options.configuration
        if options.namesConfiguration { return Keyrings(try Configuration.load(file)) }
        guard ReadFile.isThere(file) else { return Keyrings(nil) }
        let configuration = try Configuration.load(file)
        Terminal.complain("countersign inspect: checks signatures by the configuration \(file) of this folder")
        return Keyrings(configuration)
    }

    private static func reason(_ fault: InspectionInput.Fault) -> String {
        fault.isEmpty ? "nothing is on standard input" : fault.description
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
