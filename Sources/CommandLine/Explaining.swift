import Access
import Bytes
import Configuration
import Gateway
import HTTP
import Machine
import Net
import Telemetry

/// `countersign explain`: why a caller would get a token, or would not. Nothing is issued, and no secret is shown.
enum Explaining {
    static func run(_ options: Options) -> Exit {
        let inquiry: Inquiry
        let configuration: Configuration
        // One that fails its own tests is explained, too.
        do throws(ConfigurationError) { configuration = try Configuration.load(options.configuration) } catch {
            Terminal.complain(error.description)
            return .invalidConfiguration
        }
        do throws(UsageError) {
            inquiry = try Inquiry(options, configuration, at: SystemClock.now().unixSeconds)
        } catch {
            Terminal.complain("countersign explain: \(error.reason.visible)")
            return .usage
        }
        let brakes: BrakeKeeper?
        do throws(BrakeFault) {
            brakes = try configuration.brake.map { settings throws(BrakeFault) in
                try BrakeKeeper(settings, Log(configuration.log))
            }
        } catch {
            Terminal.complain("countersign explain: \("\(error)".visible)")
            return .failed
        }
        let answer = Explainer(configuration: configuration, brakes: brakes).explain(inquiry)
        let report = ExplanationReport(answer)
        Terminal.say(options.wantsJSON ? report.json : report.text(inColour: Terminal.hasColours))
        return answer.refusal == nil ? .done : .failed
    }
}
