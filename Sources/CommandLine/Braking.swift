import Access
import Audit
import Bytes
import Configuration
import Gateway
import Machine
import Net
import Telemetry

/// `countersign brake`, `release` and `brakes`: they change and read the file that the service looks at, whether it runs or not.
enum Braking {
    static func brake(_ options: Options) -> Exit {
        run("brake", options) { target, keeper throws(BrakeFault) in
            var duration: Int64?
            if let text = options[.duration] {
                duration = Units.duration(Array(text.utf8))
                guard let duration, BrakeOrder.durations.contains(duration) else {
                    let bounds = Units.describe(durations: BrakeOrder.durations)
                    throw BrakeFault("\(Option.duration.name) must be \(bounds)")
                }
            }
            let order = try order(.stop(for: duration), options)
            try order.check(target)
            return order
        }
    }

    static func release(_ options: Options) -> Exit {
        run("release", options) { _, _ throws(BrakeFault) in try order(.release, options) }
    }

    static func list(_ options: Options) -> Exit {
        let keeper: BrakeKeeper
        switch open("brakes", options) {
        case .failed(let exit): return exit
        case .opened(_, let opened): keeper = opened
        }
        let report = BrakeReport(keeper.current, at: SystemClock.now().unixSeconds)
        Terminal.say(options.wantsJSON ? report.json : report.text)
        return .done
    }

    private static func order(_ action: BrakeOrder.Action, _ options: Options) throws(BrakeFault) -> BrakeOrder {
        guard let reason = options[.reason] else {
            throw BrakeFault("\(Option.reason.name) is missing: say why, for the audit and for other operators")
        }
        // The command has judged the first word.
        let kind = options.operands.first.flatMap { Brake.Kind(rawValue: $0) } ?? .all
        let name = options.operands.dropFirst().first ?? ""
        return try BrakeOrder(
            action, Brake.Subject(kind, Array(name.utf8)), because: Array(reason.utf8),
            by: Array(SystemFacts.userName.utf8))
    }

    private enum Opening {
        case opened(Configuration.BrakeTarget, BrakeKeeper)
        case failed(Exit)
    }

    /// Reads what has to be known of the configuration, and the file of the brakes.
    private static func open(_ command: String, _ options: Options) -> Opening {
        let target: Configuration.BrakeTarget
        do throws(ConfigurationError) { target = try .load(options.configuration) } catch {
            Terminal.complain(error.description)
            return .failed(.invalidConfiguration)
        }
        guard let settings = target.brake else {
            complain(
                command,
                "the configuration says no file for it; add brake: { file: \"/var/lib/countersign/brakes.json\" }")
            return .failed(.invalidConfiguration)
        }
        do throws(BrakeFault) {
            return .opened(target, try BrakeKeeper(settings, Log(Log.Settings(level: .error, format: .text))))
        } catch {
            complain(command, "\(error)")
            return .failed(.failed)
        }
    }

    private static func run(
        _ command: String, _ options: Options,
        _ order: (Configuration.BrakeTarget, BrakeKeeper) throws(BrakeFault) -> BrakeOrder
    ) -> Exit {
        let (target, keeper): (Configuration.BrakeTarget, BrakeKeeper)
        switch open(command, options) {
        case .failed(let exit): return exit
        case .opened(let read, let opened): (target, keeper) = (read, opened)
        }
        let given: BrakeOrder
        do throws(BrakeFault) { given = try order(target, keeper) } catch {
            complain(command, "\(error)")
            return .usage
        }
        let brake: Brake
        do throws(BrakeFault) { brake = try keeper.carryOut(given) } catch {
            complain(command, "\(error)")
            return .failed
        }
        tell(brake, target, options)
        return .done
    }

    /// The brake stands already, so that what cannot be told is no failure of it.
    private static func tell(_ brake: Brake, _ target: Configuration.BrakeTarget, _ options: Options) {
        let now = SystemClock.now().unixSeconds
        var before: IssuedBefore?
        do throws(AuditFault) {
            if !brake.isReleased { before = try IssuedBefore(brake.subject, of: target, at: now) }
        } catch {
            complain("brake", "it is stopped, but what was issued before cannot be told: \(error)")
        }
        if options.wantsJSON {
            return Terminal.say(BrakeReport.json(of: brake, after: before, at: now))
        }
        Terminal.say("\(brake.isReleased ? "released" : "stopped"): \(brake.words)")
        if let before { Terminal.say(before.text) }
    }

    private static func complain(_ command: String, _ reason: String) {
        Terminal.complain("countersign \(command): \(reason.visible)")
    }
}
