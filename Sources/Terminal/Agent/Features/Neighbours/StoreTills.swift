internal import Base
internal import HubProtocol
internal import MachineRuntime
internal import Neighbours
internal import Retail
internal import TerminalStore

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
        case .granted(let grant): return .granted(by: grant.arbiter ?? .seller)
        case .refused(.spent, _): return .refused
        // It decides nothing about it: the terminal's own rules hold.
        case .refused, .silent, .notReady, .notKept: return .silent
        }
    }

    func granted() async throws(StorageError) -> [GrantedRefund] {
        guard let run = neighbours.run, let claims = run.claims else { return [] }
        let open = try await claims.around.rights.known().open.filter { $0.kind == .receipt }
        let now = neighbours.time.now()
        return run.driver.withMachine { watch in
            open.map { grant in
                let till = watch.neighbours.first { $0.terminalId == grant.to }
                return GrantedRefund(
                    grant, terminalNumber: till?.hello?.number, silence: now - (till?.heardAt ?? run.began))
            }
        }
    }

    func takeBack(_ refund: GrantedRefund) async -> Bool {
        let key = ClaimKey(taker: refund.terminalId, claimId: refund.refundId)
        return await neighbours.run?.claims?.takeBack(key) ?? false
    }

    func end(_ refundId: String, isMade: Bool) { neighbours.run?.claims?.end(refundId, isUsed: isMade) }
}
