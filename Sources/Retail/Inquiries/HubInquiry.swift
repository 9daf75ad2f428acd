internal import OfflineCore
internal import OfflineMode
internal import Synchronization

/// Asks the hub on behalf of a sale, and keeps no sale waiting for it.
///
/// A service is asked while its route is online. What is not answered within the patience is decided from the
/// till's own copy, in the same sale; the question itself goes on to its own deadline, so that its outcome is
/// evidence of the service. After such a silence nothing is asked for a while: neither the rest of that sale
/// nor the ones behind it wait for a hub that has just shown that it does not answer.
final class HubInquiry: Sendable {
    private let modes: any OfflineModeProviding
    private let time: any SystemTime
    private let quietUntil = Mutex<Instant?>(nil)

    init(modes: any OfflineModeProviding, time: any SystemTime) {
        self.modes = modes
        self.time = time
    }

    /// What came of a request.
    enum Reply<Answer: Sendable>: Sendable {
        case answer(Answer)
        /// Nothing was sent, or what came back says nothing.
        case none
        /// Nothing came back in time.
        case silence
    }

    /// The answer of `service`; nil: decide from the till's own copy.
    func ask<Answer: Sendable>(
        _ service: String, within policy: CheckoutPolicy,
        _ question: @escaping @Sendable () async throws(InquiryError) -> Answer
    ) async -> Answer? {
        guard case .answer(let answer) = await reply(of: service, within: policy, question) else {
            return nil
        }
        return answer
    }

    /// What ``ask(_:within:_:)`` sends, for a reader to whom silence is something else than a bad response.
    func reply<Answer: Sendable>(
        of service: String, within policy: CheckoutPolicy,
        _ question: @escaping @Sendable () async throws(InquiryError) -> Answer
    ) async -> Reply<Answer> {
        let quiet = quietUntil.withLock { $0 }
        guard modes.route(of: service) == .online, quiet.map({ time.now() >= $0 }) ?? true else {
            return .none
        }
        guard let answer = await outcome(of: question, within: policy.inquiryBudget) else {
            quietUntil.withLock { $0 = time.now() + policy.inquiryRest }
            return .silence
        }
        return (try? answer.get()).map(Reply.answer) ?? .none
    }

    /// Nil when the patience ends first.
    private func outcome<Answer: Sendable>(
        of question: @escaping @Sendable () async throws(InquiryError) -> Answer, within waitBudget: Duration
    ) async -> Result<Answer, InquiryError>? {
        let (answers, continuation) = AsyncStream.makeStream(of: Result<Answer, InquiryError>.self)
        Task {
            do throws(InquiryError) {
                continuation.yield(.success(try await question()))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        let alarm = Task { [time] in
            try? await time.sleep(until: time.now() + waitBudget)
            continuation.finish()
        }
        defer { alarm.cancel() }
        for await answer in answers { return answer }
        return nil
    }
}
