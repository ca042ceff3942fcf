/// Keeps what the service has issued for as long as it holds, and has it renewed before it ends. Whoever asks the same meanwhile
/// waits for the one request.
actor CredentialKeeper {
    /// The most credentials that are kept; of more, those go first that end first.
    static let room = 64

    private struct Kept {
        let credential: any ServiceAnswer & Hashable
        /// Nil for never; by the source of time, as below.
        let ends: Duration?
        let renewal: Duration?
    }

    private struct Flight {
        let number: Int
        let task: Task<any ServiceAnswer & Hashable, any Error>
    }

    private let service: ServiceClient
    /// How long before its end a credential is renewed.
    private let margin: Duration
    private var kept: [Question: Kept] = [:]
    private var flights: [Question: Flight] = [:]
    private var count = 0

    init(_ service: ServiceClient, renewing margin: Duration) {
        self.service = service
        self.margin = margin
    }

    /// What answers a question: kept, or new.
    /// - Parameter isKept: whether it may answer the same question again.
    func credential<Answer: ServiceAnswer & Hashable>(
        for question: Question, keeping isKept: @escaping @Sendable (Answer) -> Bool = { _ in true }
    ) async throws -> Answer {
        let found = kept[question]
        if let found, let answer = found.credential as? Answer, isBefore(found.renewal) { return answer }
        do {
            let flight = flights[question] ?? begin(question, isKept)
            guard let answer = try await flight.task.value as? Answer else {
                throw CountersignError.unreadableAnswer(status: 200, requestId: nil)
            }
            try Task.checkCancellation()
            return answer
        } catch let error as CountersignError where error.isTemporary {
            // It could not be renewed early; the old one still holds.
            if let found, let answer = found.credential as? Answer, isBefore(found.ends) { return answer }
            throw error
        }
    }

    /// Forgets a credential that a vendor has refused, unless another has replaced it.
    func forget<Answer: ServiceAnswer & Hashable>(_ refused: Answer, for question: Question) {
        if kept[question]?.credential as? Answer == refused { kept[question] = nil }
    }

    private func isBefore(_ end: Duration?) -> Bool { end.map { service.time.now() < $0 } ?? true }

    /// The request goes on though whoever asked first is cancelled: others may wait for it.
    private func begin<Answer: ServiceAnswer & Hashable>(
        _ question: Question, _ isKept: @escaping @Sendable (Answer) -> Bool
    ) -> Flight {
        count += 1
        let number = count
        let task = Task<any ServiceAnswer & Hashable, any Error> {
            defer { if flights[question]?.number == number { flights[question] = nil } }
            let (answer, asked): (Answer, Duration) = try await service.ask(question)
            if isKept(answer) { keep(answer, asked, for: question) }
            return answer
        }
        let flight = Flight(number: number, task: task)
        flights[question] = flight
        return flight
    }

    private func keep(_ answer: any ServiceAnswer & Hashable, _ asked: Duration, for question: Question) {
        let lifetime = answer.validity.lifetime
        // Never earlier than after three quarters of its life: else one that is short would be renewed all the time.
        let renewal = lifetime.map { asked + $0 - min(margin, $0 / 4) }
        kept[question] = Kept(credential: answer, ends: lifetime.map { asked + $0 }, renewal: renewal)
        guard kept.count > CredentialKeeper.room else { return }
        let first = kept.filter { $0.key != question && $0.value.ends != nil }
            .min { ($0.value.ends ?? .zero) < ($1.value.ends ?? .zero) }
        kept[first?.key ?? question] = nil
    }
}
