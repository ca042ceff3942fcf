import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Asks the service, and asks again what failed for the moment.
struct ServiceClient: Sendable {
    let baseURL: URL
    let credential: CallerCredential
    let transport: Transport
    let retry: RetryPolicy
    let time: TimeSource
    let clock: ServerClock

    /// - Returns: what it says, and when it was asked.
    /// - Throws: `CountersignError`, `CancellationError`, or what the app's own source of tokens throws.
    func ask<Answer: ServiceAnswer>(_ question: Question) async throws -> (answer: Answer, asked: Duration) {
        var failures = 0
        var wasRefused = false
        while true {
            try Task.checkCancellation()
            let field = try await credential.field(wasRefused: wasRefused)
            let asked = time.now()
            do throws(CountersignError) {
                let answer: Answer = try await answer(to: question, showing: field)
                clock.note(answer.validity.serverTime, asked: asked)
                return (answer, asked)
            } catch .unauthenticated where credential.canBeRenewed && !wasRefused {
                wasRefused = true
            } catch {
                try Task.checkCancellation()
                failures += 1
                guard error.isTemporary,
                    let wait = retry.wait(after: failures, retryAfter: error.problem?.retryAfter)
                else { throw error }
                try await time.sleep(wait)
            }
        }
    }

    private func answer<Answer: ServiceAnswer>(
        to question: Question, showing field: (name: String, value: String)?
    ) async throws(CountersignError) -> Answer {
        var request = URLRequest(url: baseURL.appending(path: question.path))
        request.httpMethod = "POST"
        request.httpBody = question.form
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if let field { request.setValue(field.value, forHTTPHeaderField: field.name) }
        let answer: HTTPAnswer
        do { answer = try await transport.send(request) } catch { throw .unreachable(error) }
        if answer.isSuccess, let decoded = try? JSON.decoder(of: answer).decode(Answer.self, from: answer.body) {
            return decoded
        }
        if !answer.isSuccess, let problem = Problem(answer) { throw CountersignError(problem) }
        throw .unreadableAnswer(status: answer.status, requestId: answer.field("X-Request-Id"))
    }
}
