import Base

internal import OfflineCore
internal import OfflineMode
internal import Synchronization
internal import MachineRuntime

/// Sends requests to the hub on behalf of a sale, with a bounded wait.
///
/// A service gets requests while its route is online. Without a response within the wait budget the sale is
/// decided from the terminal's own copy. The request itself continues to its own deadline, so that its
/// outcome is evidence about the service. After such a silence no further request is sent for a while:
/// neither the rest of that sale nor the next sales wait for a hub that has just not responded.
final class HubInquiry: Sendable {
    private let modes: any OfflineModeProviding
    private let time: any SystemTime
    private let quietUntil = Mutex<Instant?>(nil)

    init(modes: any OfflineModeProviding, time: any SystemTime) {
        self.modes = modes
        self.time = time
    }

    /// The outcome of a request.
    enum Reply<Answer: Sendable>: Sendable {
        case answer(Answer)
        /// Nothing was sent, or the response has no data.
        case none
        /// No response came in time.
        case silence
    }

    /// The response of `service`; nil: decide from the terminal's own copy.
    func ask<Answer: Sendable>(
        _ service: String, within policy: CheckoutPolicy,
        _ question: @escaping @Sendable () async throws(InquiryError) -> Answer
    ) async -> Answer? {
        guard case .answer(let answer) = await reply(of: service, within: policy, question) else {
            return nil
        }
        return answer
    }

    /// The outcome of ``ask(_:within:_:)``, for a caller that handles silence and a bad response differently.
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

    /// Nil when the wait budget ends first.
    private func outcome<Answer: Sendable>(
        of question: @escaping @Sendable () async throws(InquiryError) -> Answer, within waitBudget: Duration
    ) async -> Result<Answer, InquiryError>? {
        do throws(InquiryError) {
            return try await withDeadline(time.now() + waitBudget, on: time, cancels: false, question)
                .map { .success($0) }
        } catch {
            return .failure(error)
        }
    }
}
