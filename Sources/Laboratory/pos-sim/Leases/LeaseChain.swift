import HubCore
import HubProtocol

/// A chain in which members' points are lent: on paper, by the hub's own ``LeaseBook`` alone
/// (``PaperChain``), or with all that a hub does (``HubChain``). Members are numbers from 0 on.
protocol LeaseChain {
    /// What a member has, by all that was sold anywhere.
    func balance(of member: Int) -> Int64
    /// What a till could spend of a member's points at a moment.
    func held(_ member: Int, by till: DeviceIdentity, at now: Int64) async throws -> Int64
    /// A member is looked up at a till that has the hub.
    mutating func lookUp(_ member: Int, by till: DeviceIdentity, at now: Int64) async throws
    /// A till that has the hub requests what a sale lacks.
    ///
    /// - Returns: whether other tills are requested to return something.
    mutating func request(
        _ amount: Int64, of member: Int, by till: DeviceIdentity, at now: Int64
    ) async throws -> Bool
    /// Tills return what is recalled of a member's points, those that have the hub.
    mutating func comeBack(
        _ member: Int, at now: Int64, from hasHub: @escaping (_ storeId: String) -> Bool) async throws
    /// A till sells to a member.
    ///
    /// - Parameter arrives: whether it has the hub; without it the sale waits for ``beginDay(at:)``.
    mutating func sell(
        to member: Int, earned: Int64, spent: Int64, by till: DeviceIdentity, at now: Int64, arrives: Bool
    ) async throws
    /// Tills pull some minutes after a member was at their store.
    mutating func pull(_ member: Int, by tills: [DeviceIdentity], at now: Int64) async throws
    /// Every till has the hub: what waits arrives, what is over ends, and what expires soon is renewed.
    mutating func beginDay(at now: Int64) async throws
}

/// What tills are lent in advance, beside what a look-up lends its own.
enum LeaseRule: String {
    /// All tills of the chain a share of everybody.
    case everyTill = "every till"
    case lookUpsAlone = "look-ups alone"
    case whereMembersBuy = "where members buy"
    /// The same, all of a store's share at the till that served the member last.
    case oneTill = "one till of a store"
}

/// A chain's stores, each with as many tills.
struct ChainShape {
    let stores: [String]
    let tills: Int
    /// Whether a till without the hub gets what it lacks from the others of its store.
    var hasNeighbours = false

    func tills(of store: String) -> [DeviceIdentity] {
        (0..<tills).map { DeviceIdentity(terminalId: "\(store)-\($0)", storeId: store) }
    }
}
