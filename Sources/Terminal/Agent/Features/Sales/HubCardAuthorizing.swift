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

    func authorize(_ intent: CardIntent, deadline: Duration) async -> DeviceResponse {
        do throws(HubCallError) {
            let found = finding(
                of: try await hub.authorize(
                    key: intent.key, orderId: intent.orderId, amount: intent.amount,
                    currency: intent.currency, timeout: deadline))
            switch found {
            case .done(let proof), .requested(let proof): return .done(proof)
            case .notDone(let reason): return .declined(reason: reason)
            case .open(let detail), .undecidable(let detail): return .lost(detail: detail)
            }
        } catch {
            return response(of: error)
        }
    }

    func query(key: String, deadline: Duration) async -> DeviceFinding {
        do throws(HubCallError) {
            return finding(of: try await hub.authorization(key: key, timeout: deadline))
        } catch {
            // A key that the hub does not know may still be under way to it, so this is no "declined".
            return .open(detail: words(error))
        }
    }

    func forwarded(key: String, deadline: Duration) async -> StoredCardOutcome {
        do throws(HubCallError) {
            let payment = try await hub.authorization(key: key, timeout: deadline)
            switch payment.state {
            case .authorized, .captured, .refunded:
                return .known(.found(.done(DeviceProof(reference: key))), settledAt: nil)
            case .forwardDeclined, .declined:
                let reason = payment.declineReason.map(Self.words) ?? ""
                return .known(.found(.notDone(reason: reason)), settledAt: payment.settledAt)
            case .voided: return .known(.givenUp, settledAt: nil)
            case .unknown, .storedOffline: return .open
            }
        } catch {
            guard case .refused(let problem) = error, problem.status == 404 else { return .silence }
            return .absent
        }
    }

    private func finding(of authorization: PaymentAuthorization) -> DeviceFinding {
        switch authorization.state {
        case .authorized, .captured:
            var proof = DeviceProof(reference: authorization.key)
            proof.approvalCode = authorization.approvalCode ?? ""
            proof.isSimulated = authorization.isSimulated
            return .done(proof)
        case .declined: return .notDone(reason: Self.words(authorization.declineReason))
        case .voided, .refunded: return .notDone(reason: "the authorisation was voided")
        case .unknown, .storedOffline, .forwardDeclined:
            return .open(detail: "the payment service has not responded to the hub")
        }
    }

    private func response(of error: HubCallError) -> DeviceResponse {
        guard case .refused(let problem) = error else { return .lost(detail: words(error)) }
        if problem.code == .upgradeRequired { return .notSent(.refused) }
        if problem.code == .paymentDeclined { return .declined(reason: Self.words(problem.detail)) }
        // Before anything is kept: too many of the terminal's cards wait for the gateway, or its quota is
        // used up.
        return problem.status == 429 ? .notSent(.busy) : .lost(detail: words(error))
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
