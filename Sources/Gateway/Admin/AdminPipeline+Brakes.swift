import Access
import Audit
import Bytes
import Configuration
import Dispatch
import HTTP

/// `GET /brakes` and `POST /brakes`: what is stopped, and what an operator wants stopped or set free.
extension AdminPipeline {
    /// Where orders are carried out and the audit is read, so that no loop waits for a disk.
    private static let queue = DispatchQueue(label: "countersign.brakes.orders")

    func writeBrakes(into response: inout Response) throws(Refusal) {
        let report = BrakeReport(try keeper.current, at: context.instant.unixSeconds)
        response.body.append(Array(text: report.json))
        response.body.append("\n")
    }

    /// Has an order carried out, and the request answered with what has come of it.
    func orderBrake(_ request: borrowing Request, for parked: ParkedRequest) throws(Refusal) {
        let keeper = try keeper
        let order = try BrakeOrder(reading: request.body, by: context.caller.principal.written)
        let configuration = explainer.configuration.brakeTarget
        do throws(BrakeFault) { try order.check(configuration) } catch {
            throw Refusal(.invalidParameter, "\(error)")
        }
        let now = context.instant.unixSeconds
        try queued.answer(parked, from: AdminPipeline.queue) {
            let brake: Brake
            do throws(BrakeFault) { brake = try keeper.carryOut(order) } catch {
                throw keeper.fault == nil && error.isMistake
                    ? Refusal(.invalidParameter, "\(error)") : Refusal(.internalError, "\(error)")
            }
            // What cannot be told of the past is no reason to say that it is not stopped.
            let before = brake.isReleased ? nil : try? IssuedBefore(brake.subject, of: configuration, at: now)
            return JSONMembers { json in
                json.add("brake", object: { $0.add(told: brake, at: now) })
                before?.write(into: &json)
            }
        }
    }

    private var keeper: BrakeKeeper {
        get throws(Refusal) {
            guard let brakes else { throw Refusal(.notFound, "the configuration has no brake: { file: \"PATH\" }") }
            return brakes
        }
    }
}
