import Foundation
import TestPeers

/// AWS's STS for the tests: what it is asked, and what it gives, is known to them.
final class AWSVendor: Sendable {
    private let asked: Asked
    private let peer: ClientPeer
    var port: UInt16 { peer.port }
    /// The parameters of the calls.
    var calls: [[String: String]] { asked.calls }

    init() throws {
        let asked = Asked()
        self.asked = asked
        peer = try ClientPeer { peer, _ in
            while true {
                let answer = asked.answer(to: try peer.request())
                // Its clock is ours only as long as no time has passed.
                try peer.answer(
                    answer.body, status: answer.status,
                    fields: answer.status == "200 OK" ? "Date: \(httpDate(now))\r\n" : "")
            }
        }
    }

    convenience init(refusing refusal: (status: String, code: String)) throws {
        try self.init()
        refuse(refusal.status, refusal.code)
    }

    /// From now on it answers so.
    func refuse(_ status: String, _ code: String) { asked.refuse(status, code) }

    func stop() { _ = peer.stop() }

    private final class Asked: @unchecked Sendable {
        private let lock = NSLock()
        private var received: [[String: String]] = []
        private var refusal: (body: String, status: String)?

        var calls: [[String: String]] { lock.withLock { received } }

        func refuse(_ status: String, _ code: String) {
            lock.withLock {
                refusal = ("<ErrorResponse><Error><Code>\(code)</Code></Error></ErrorResponse>", status)
            }
        }

        func answer(to request: String) -> (body: String, status: String) {
            var parameters: [String: String] = [:]
            let form = request.components(separatedBy: "\r\n\r\n").last ?? ""
            for pair in form.components(separatedBy: "&") {
                let parts = pair.components(separatedBy: "=").map { $0.removingPercentEncoding ?? "" }
                parameters[parts[0]] = parts.last
            }
            return lock.withLock {
                received.append(parameters)
                if let refusal { return refusal }
                let number = received.count
                let text = STSFault.granted(
                    request, secret: "secret-\(number)", token: "token-\(number)==",
                    end: now + (Int64(parameters["DurationSeconds"] ?? "") ?? 0))
                return (text.replacing("AssumeRoleRe", with: "\(parameters["Action"] ?? "")Re"), "200 OK")
            }
        }
    }
}
