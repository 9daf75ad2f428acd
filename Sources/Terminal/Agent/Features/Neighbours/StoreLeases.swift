internal import Base
internal import HubProtocol
internal import MachineRuntime
internal import Neighbours
internal import OfflineCore
internal import Retail
internal import Synchronization

/// The leases of the store's other tills, of which a sale takes what its own ones lack.
final class StoreLeases: LeaseSharing {
    private let neighbours: NeighboursFeature
    /// Tills that did not respond to a claim, with when each was heard last before: it is requested again
    /// once it was heard.
    private let silent = Mutex<[String: Instant]>([:])

    init(_ neighbours: NeighboursFeature) { self.neighbours = neighbours }

    var canTake: Bool { get async { await !givers().isEmpty } }

    func take(_ amount: Int64, of subject: String) async {
        guard let run = neighbours.run, let claims = run.claims else { return }
        let (time, end) = (neighbours.time, neighbours.time.now() + run.settings.wait)
        var lacking = amount
        for (till, heardAt) in await givers() {
            let left = end - time.now()
            guard lacking > 0, left > .zero else { return }
            var generator = SystemRandomNumberGenerator()
            let id = ULID(milliseconds: UInt64(clamping: time.wallMilliseconds()), using: &generator)
            let claim = RightClaim(
                claimId: id.description, kind: .lease, right: subject, amount: lacking)
            switch await claims.want(claim, of: till, within: left) {
            case .granted(let grant): lacking -= grant.amount
            case .silent: silent.withLock { $0[till] = heardAt }
            case .refused, .notKept: break
            case .notReady: return
            }
        }
    }

    /// Tills that can be requested now, with when each was heard last. None while the hub has not confirmed
    /// for too long which tills there are: a part is given without a person.
    private func givers() async -> [(till: String, heardAt: Instant)] {
        guard let run = neighbours.run, run.claims != nil, !run.isBehind,
            await neighbours.notConfirmedSince() == nil
        else { return [] }
        let silent = silent.withLock { $0 }
        return run.driver.withMachine { watch in
            watch.neighbours.compactMap { neighbour in
                guard watch.state(of: neighbour) == .reachable, let heardAt = neighbour.heardAt,
                    silent[neighbour.terminalId].map({ $0 < heardAt }) ?? true
                else { return nil }
                return (neighbour.terminalId, heardAt)
            }
        }
    }
}
