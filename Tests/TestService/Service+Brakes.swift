@testable import Access
@testable import Gateway

/// What an operator has stopped at a service without a process.
extension Service {
    /// - Parameter milliseconds: after which it ends by itself; nil for never.
    func brake(_ kind: String, _ name: String, because reason: String = "a test", for milliseconds: Int64? = nil) throws
    {
        try order(.stop(for: milliseconds), kind, name, reason)
    }

    func release(_ kind: String, _ name: String) throws { try order(.release, kind, name, "a test") }

    private func order(_ action: BrakeOrder.Action, _ kind: String, _ name: String, _ reason: String) throws {
        guard let kind = Brake.Kind(rawValue: kind), let brakes = inProcess.brakes else {
            throw Program.Failure(description: "nothing can be stopped")
        }
        let order = try BrakeOrder(
            action, Brake.Subject(kind, Array(name.utf8)), because: Array(reason.utf8), by: Array("root".utf8))
        _ = try brakes.carryOut(order)
        inProcess.catchUp()
    }
}
