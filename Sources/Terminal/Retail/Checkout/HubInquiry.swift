import Base

internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Synchronization

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
    enum Reply<Response: Sendable>: Sendable {
        case response(Response)
        /// Nothing was sent, or the response has no data.
        case none
        /// No response came in time.
        case silence
    }

    /// The response of `service`; nil: decide from the terminal's own copy.
    func query<Response: Sendable>(
        _ service: String, within policy: CheckoutPolicy,
        _ query: @escaping @Sendable () async throws(InquiryError) -> Response
    ) async -> Response? {
        guard case .response(let response) = await reply(of: service, within: policy, query) else {
            return nil
        }
        return response
    }

    /// The outcome of ``query(_:within:_:)``, for a caller that handles silence and a bad response
    /// differently.
    func reply<Response: Sendable>(
        of service: String, within policy: CheckoutPolicy,
        _ query: @escaping @Sendable () async throws(InquiryError) -> Response
    ) async -> Reply<Response> {
        let quiet = quietUntil.withLock { $0 }
        guard modes.route(of: service) == .online, quiet.map({ time.now() >= $0 }) ?? true else {
            return .none
        }
        guard let response = await outcome(of: query, within: policy.inquiryBudget) else {
            quietUntil.withLock { $0 = time.now() + policy.inquiryRest }
            return .silence
        }
        return (try? response.get()).map(Reply.response) ?? .none
    }

    /// Nil when the wait budget ends first.
    private func outcome<Response: Sendable>(
        of query: @escaping @Sendable () async throws(InquiryError) -> Response, within waitBudget: Duration
    ) async -> Result<Response, InquiryError>? {
        do throws(InquiryError) {
            return try await withDeadline(time.now() + waitBudget, on: time, cancels: false, query)
                .map { .success($0) }
        } catch {
            return .failure(error)
        }
    }
}

/// Why a request about people or offers has no result.
public enum InquiryError: Error, Hashable, Sendable {
    /// The hub did not respond, or its response cannot be read: decide from the terminal's own copy.
    case unclear(detail: String)
    /// The store on disk failed; `detail` is the store's own text.
    case unavailable(detail: String)
}
