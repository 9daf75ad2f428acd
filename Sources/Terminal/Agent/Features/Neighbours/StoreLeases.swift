internal import Base
internal import HubProtocol
internal import MachineRuntime
internal import Neighbours
internal import Retail

/// The leases of the store's other tills, of which a sale takes what its own ones lack.
final class StoreLeases: LeaseSharing {
    private let neighbours: NeighboursFeature

    init(_ neighbours: NeighboursFeature) { self.neighbours = neighbours }

    var canTake: Bool { get async { await !givers().isEmpty } }

    func take(_ amount: Int64, of subject: String, after waited: Duration) async {
        guard let run = neighbours.run, let claims = run.claims else { return }
        let (time, end) = (neighbours.time, neighbours.time.now() + run.settings.wait - waited)
        var lacking = amount
        for till in await givers() {
            let left = end - time.now()
            guard lacking > 0, left > .zero else { return }
            var generator = SystemRandomNumberGenerator()
            let id = ULID(milliseconds: UInt64(clamping: time.wallMilliseconds()), using: &generator)
            let claim = RightClaim(
                claimId: id.description, kind: .lease, right: subject, amount: lacking)
            switch await claims.want(claim, of: till, within: left) {
            case .granted(let grant): lacking -= grant.amount
            case .silent: run.noteSilence(of: till)
            case .refused, .notKept: break
            case .notReady: return
            }
        }
    }

    /// Tills that can be requested now. None while the hub has not confirmed for too long which tills there
    /// are: a part is given without a person.
    private func givers() async -> [String] {
        guard let run = neighbours.run, run.claims != nil, !run.isBehind,
            await neighbours.notConfirmedSince() == nil
        else { return [] }
        return run.driver.withMachine { $0.neighbours.map(\.terminalId) }.filter {
            run.promptPlace(of: $0) != nil
        }
    }
}
