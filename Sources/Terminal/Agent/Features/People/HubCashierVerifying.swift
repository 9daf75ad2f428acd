internal import CurlTransport
internal import HubProtocol
internal import OfflineCore
internal import Retail

/// Cashiers' PINs over the hub's route of sessions.
struct HubCashierVerifying: CashierVerifying {
    let hub: HubClient

    func check(_ pin: String, of cashierId: String) async throws(InquiryError) -> PINResult {
        do throws(HubCallError) {
            let session = try await hub.openSession(cashierId: cashierId, pin: pin)
            return .right(
                Cashier(
                    id: cashierId, name: session.name ?? cashierId, role: CashierRole(session.role),
                    verifier: nil))
        } catch {
            guard case .refused(let problem) = error else { throw InquiryError(error) }
            switch problem.code {
            case .pinRefused: return .wrong
            case .pinLocked: return .locked(remaining: Self.wait(in: problem))
            default: throw InquiryError(error)
            }
        }
    }

    /// Within an hour, whatever the hub says.
    private static func wait(in problem: Problem) -> Duration {
        .milliseconds(min(3_600_000, max(1000, problem.extensions["retryAfterMs"]?.integer ?? 60_000)))
    }
}

extension InquiryError {
    /// A response that says neither yes nor no.
    init(_ error: HubCallError) {
        switch error {
        case .noResponse(let outcome): self = .unclear(detail: "the hub did not answer (\(outcome))")
        case .refused(let problem): self = .unclear(detail: "the hub said \(problem.code.rawValue)")
        case .notContract(let detail): self = .unclear(detail: detail)
        }
    }
}
