internal import CurlTransport
internal import HubProtocol
internal import OfflineCore
internal import Retail

/// Card authorisations over the hub's payment routes.
struct HubCardAuthorizing: CardAuthorizing {
    let hub: HubClient
    let schema: SchemaStatus

    /// Below the hub's lowest schema each request is refused before anything of it is kept.
    var obstacle: TillObstacle? { schema.word == .refused ? .tooOld : nil }

    func authorize(_ intent: CardIntent, deadline: Duration) async -> CardOutcome {
        do throws(HubCallError) {
            return outcome(
                of: try await hub.authorize(
                    key: intent.key, orderId: intent.orderId, amount: intent.amount,
                    currency: intent.currency, timeout: deadline))
        } catch {
            return outcome(of: error)
        }
    }

    func query(key: String, deadline: Duration) async -> CardOutcome {
        do throws(HubCallError) {
            return outcome(of: try await hub.authorization(key: key, timeout: deadline))
        } catch {
            // A key that the hub does not know may still be under way to it, so this is no "declined".
            return .unknown(detail: words(error))
        }
    }

    func forwarded(key: String, deadline: Duration) async -> StoredCardOutcome {
        do throws(HubCallError) {
            let payment = try await hub.authorization(key: key, timeout: deadline)
            switch payment.state {
            case .authorized, .captured, .refunded: return .settled(.forwarded)
            case .forwardDeclined, .declined:
                return .refused(
                    reason: payment.declineReason.map(Self.words), settledAt: payment.settledAt)
            case .voided: return .settled(.voided)
            case .unknown, .storedOffline: return .open
            }
        } catch {
            guard case .refused(let problem) = error, problem.status == 404 else { return .silence }
            return .absent
        }
    }

    private func outcome(of authorization: PaymentAuthorization) -> CardOutcome {
        switch authorization.state {
        case .authorized, .captured:
            .authorized(
                approvalCode: authorization.approvalCode ?? "", isSimulated: authorization.isSimulated)
        case .declined: .declined(reason: Self.words(authorization.declineReason))
        case .voided, .refunded: .declined(reason: "the authorisation was voided")
        case .unknown, .storedOffline, .forwardDeclined:
            .unknown(detail: "the payment service has not responded to the hub")
        }
    }

    private func outcome(of error: HubCallError) -> CardOutcome {
        guard case .refused(let problem) = error else { return .unknown(detail: words(error)) }
        if problem.code == .upgradeRequired { return .notSent(.refused) }
        if problem.code == .paymentDeclined { return .declined(reason: Self.words(problem.detail)) }
        // Before anything is kept: too many of the terminal's cards wait for the gateway, or its quota is
        // used up.
        return problem.status == 429 ? .notSent(.busy) : .unknown(detail: words(error))
    }

    /// A gateway's stable word as people read it.
    private static func words(_ reason: String?) -> String {
        guard let reason, !reason.isEmpty else { return "no reason given" }
        return reason.replacing("_", with: " ")
    }

    private func words(_ error: HubCallError) -> String {
        switch error {
        case .noResponse(let outcome): "the payment service did not answer: \(outcome.words)"
        case .refused(let problem): problem.detail.isEmpty ? problem.title : problem.detail
        case .notContract(let detail): "the payment service answered strangely: \(detail)"
        }
    }
}
