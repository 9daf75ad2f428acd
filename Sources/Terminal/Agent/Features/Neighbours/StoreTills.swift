internal import HubProtocol
internal import MachineRuntime
internal import Neighbours
internal import Retail

/// The tills of the store as those who decide about refunds where the hub does not.
struct StoreTills: RefundSelling {
    let neighbours: NeighboursFeature

    var unseen: [String]? {
        guard let run = neighbours.run, run.claims != nil else { return nil }
        return run.driver.withMachine { watch in
            watch.neighbours.filter { watch.state(of: $0) != .reachable }.map(\.terminalId)
        }
    }

    func returned(of orderNumber: String) -> [String: Int64] {
        neighbours.run?.notes?.storeNotes.refunds(of: orderNumber) ?? [:]
    }

    func decide(_ inquiry: RefundInquiry, of orderNumber: String, by seller: String) async -> SellerDecision {
        guard let claims = neighbours.run?.claims, inquiry.amount > 0 else { return .silent }
        let claim = RightClaim(
            claimId: inquiry.refundId, kind: .receipt, right: orderNumber, amount: inquiry.amount,
            document: inquiry.json)
        switch await claims.want(claim, of: seller) {
        case .granted: return .granted
        case .refused(.spent, _): return .refused
        // It decides nothing about it: the terminal's own rules hold.
        case .refused, .silent, .notReady, .notKept: return .silent
        }
    }

    func end(_ refundId: String, isMade: Bool) { neighbours.run?.claims?.end(refundId, isUsed: isMade) }
}
