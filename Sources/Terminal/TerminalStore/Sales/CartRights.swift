package import HubProtocol
package import Retail
package import Base

internal import GRDB
internal import OfflineMode

/// The right to sell a cart, as this till has it or gave it away: rows of `carts` and of `grants`.
///
/// What another till granted to this one is a row of `grants` too, whose taker is this till.
extension SQLiteRights {
    /// What the list of notes says next of carts, read at one moment.
    package struct Carts: Sendable {
        /// All that stand here.
        package var kept: [KeptCart] = []
        /// The last ownership of each cart that was given away, its note written or not.
        package var given: [String: Int64] = [:]
        /// What came from other tills, and this till's list does not name yet.
        package var unnamed: [GrantedRight] = []
    }

    /// What an owner sends with its grant of a cart.
    package struct Sent: Sendable {
        /// The notes by which it had it itself, the first one's first.
        package let grants: [JSONValue]
        /// Of ``MovedCart``.
        package let content: JSONValue?
    }

    /// What a cart that was granted carries with it; nil: the grant is none of a cart.
    package func sent(with grant: GrantedRight) async throws(StorageError) -> Sent? {
        try await database.ledgerRead { connection in
            guard let gone = try GrantTable(connection).row(grant.to, grant.claimId)?.cart else { return nil }
            return Sent(grants: gone.journey?.grants ?? [], content: MovedCart(gone).json)
        }
    }

    /// What was in a cart when this till gave it away last, and by which ownership; nil: it did not, or what
    /// was in it is not known.
    package func given(_ cart: String) async throws(StorageError) -> (content: MovedCart, turn: Int64)? {
        try await database.ledgerRead { connection in
            let rows = try GrantTable(connection).rows(of: cart, .cart).filter { $0.cart != nil }
            guard let last = rows.max(by: { $0.grant.turn < $1.grant.turn }), let gone = last.cart else {
                return nil
            }
            return (MovedCart(gone), last.grant.turn)
        }
    }

    /// What is in a parked cart that stands here; nil: none does, or it is too large.
    package func content(of cart: String) async throws(StorageError) -> MovedCart? {
        try await database.ledgerRead { connection in
            guard let id = ULID(cart), let kept = try SQLiteCarts.cart(id, in: connection),
                kept.state == .parked, kept.journey?.elsewhere == nil
            else { return nil }
            let moved = MovedCart(kept)
            return moved.json.canonicalBytes.count <= MovedCart.mostBytes ? moved : nil
        }
    }

    package func carts() async throws(StorageError) -> Carts {
        try await database.ledgerRead { connection in
            let own = try JournalHead.read(connection).terminalId
            var carts = Carts()
            carts.kept = try SQLiteCarts.all(in: connection)
            for row in try GrantTable(connection).rows() where row.grant.kind == .cart {
                if row.grant.to == own {
                    if !row.isNoted { carts.unnamed.append(row.grant) }
                } else {
                    carts.given[row.grant.right] = max(row.grant.turn, carts.given[row.grant.right] ?? 0)
                }
            }
            return carts
        }
    }

    /// Makes a cart this till's, in one transaction; one that was adopted before changes nothing, and one
    /// that is sold does not come back.
    ///
    /// - Parameters:
    ///   - grants: the notes of all its owners.
    ///   - origin: the till that had it first.
    ///   - now: Unix milliseconds.
    /// - Returns: false where what is in it cannot be read, or is more than its owner may send.
    package func adopt(
        _ grant: GrantedRight, grants: [JSONValue], origin: String?, content: JSONValue?, at now: Int64
    ) async throws(StorageError) -> Bool {
        try await database.ledgerWrite { connection in
            let table = GrantTable(connection)
            guard try table.row(grant.to, grant.claimId) == nil else { return true }
            guard let id = ULID(grant.right), let moved = content.flatMap({ try? MovedCart(json: $0) }),
                moved.json.canonicalBytes.count <= MovedCart.mostBytes,
                var cart = KeptCart(moved, id: id, at: now)
            else { return false }
            try table.insert(GrantTable.Row(grant: grant, lines: []))
            guard try SQLiteCarts.sale(of: id, in: connection) == nil else { return true }
            if let place = try SQLiteCarts.cart(id, in: connection) {
                var journey = place.journey ?? CartJourney()
                (journey.elsewhere, journey.turn) = (nil, max(grant.turn, journey.turn))
                try SQLiteCarts.set(journey, of: place, in: connection)
                return true
            }
            let isBack = origin == grant.to
            cart.journey?.turn = grant.turn
            cart.journey?.origin = isBack ? nil : origin
            cart.journey?.grants = isBack ? [] : grants
            try SQLiteCarts.insert(cart, in: connection)
            return true
        }
    }

    /// Removes a cart that an earlier copy of this disk sold or dropped. One with a customer at it, or with
    /// their money, stays, and a person decides.
    package func end(_ cart: String) async throws(StorageError) {
        try await database.ledgerWrite { connection in
            guard let id = ULID(cart), let kept = try SQLiteCarts.cart(id, in: connection) else { return }
            if kept.isFree {
                try SQLiteCarts.delete(id, in: connection)
            } else if kept.journey?.elsewhere == nil {
                let own = try JournalHead.read(connection).terminalId
                try Self.mark(kept, at: own, in: connection)
            }
        }
    }

    // MARK: Within one transaction

    static func reserveCart(
        _ claim: RightClaim, for taker: String, turn: Int64, epoch: Int64, at now: Int64,
        in connection: Database
    ) throws -> Reservation {
        guard let id = ULID(claim.right) else { return .refused(.notMine) }
        if try SQLiteCarts.sale(of: id, in: connection) != nil { return .refused(.sold) }
        guard let cart = try SQLiteCarts.cart(id, in: connection), cart.journey?.elsewhere == nil else {
            let other = try GrantTable(connection).owner(ofCart: claim.right)
            return other.map { .refused(.granted, to: $0) } ?? .refused(.notMine)
        }
        guard cart.state == .parked, cart.resumedAt == nil else { return .refused(.inUse) }
        guard cart.taken.isEmpty, try !SQLiteCardIntents.isOpen(id, in: connection) else {
            return .refused(.hasMoney)
        }
        guard try SQLiteCarts.epoch(of: id, in: connection) == epoch,
            cart.journey?.grants.count ?? 0 < ClaimResponse.mostGrants,
            MovedCart(cart).json.canonicalBytes.count <= MovedCart.mostBytes
        else { return .refused(.notMine) }
        let grant = GrantedRight(claim, of: .cart, to: taker, turn: turn, madeAt: now)
        try GrantTable(connection).insert(GrantTable.Row(grant: grant, lines: [], cart: cart))
        try SQLiteCarts.delete(id, in: connection)
        return .granted(grant)
    }

    /// What an earlier copy of this disk granted goes from this one, too. A cart with a customer at it stays,
    /// and a person decides.
    static func giveUp(_ grant: GrantedRight, in connection: Database) throws -> KeptCart? {
        guard grant.kind == .cart, let id = ULID(grant.right),
            let cart = try SQLiteCarts.cart(id, in: connection)
        else { return nil }
        guard cart.isFree else {
            try mark(cart, at: grant.to, in: connection)
            return nil
        }
        try SQLiteCarts.delete(id, in: connection)
        return cart
    }

    /// A note of this till says that `till` has the cart, or sold it.
    private static func mark(_ cart: KeptCart, at till: String?, in connection: Database) throws {
        var journey = cart.journey ?? CartJourney()
        (journey.elsewhere, journey.isDoubleKnown) = (till, false)
        try SQLiteCarts.set(journey, of: cart, in: connection)
    }
}

extension KeptCart {
    /// Whether nobody is at it, and nothing was taken for it.
    fileprivate var isFree: Bool { state == .parked && taken.isEmpty }

    /// A cart as another till had it; nil: what is in it cannot be read.
    package init?(_ moved: MovedCart, id: ULID, at now: Int64) {
        guard let text = moved.content?.canonicalText, let content = CartContent(text: text) else {
            return nil
        }
        self.init(
            id: id, name: moved.name, since: now, lines: content.lines, currency: moved.currency,
            total: moved.total, memberId: content.memberId, coupons: content.coupons, points: content.points)
        returns = content.returns?.request
        var journey = CartJourney()
        journey.copiedFrom = moved.copiedFrom
        self.journey = journey
    }
}

extension MovedCart {
    /// Without what was taken for it.
    package init(_ cart: KeptCart) {
        self.init()
        (name, currency, total, parkedAt) = (cart.name, cart.currency, cart.total, cart.since)
        copiedFrom = cart.journey?.copiedFrom
        var untouched = cart
        untouched.taken = []
        content = CartContent(of: untouched).json
    }
}

/// The column `journey` of a cart.
extension CartJourney {
    /// Nil for a text that no version wrote.
    init?(text: String) {
        guard let json = try? JSONParser.parse(text.utf8), let journey = try? CartJourney(json: json) else {
            return nil
        }
        self = journey
    }

    var text: String { json.canonicalText }
}
