internal import Base
internal import HubProtocol
internal import Neighbours
internal import Retail
internal import Synchronization
internal import TerminalStore

/// What this till has done and its list of notes does not say yet: carts that it parked or took, carts that
/// ended, refunds and voids.
final class NoteNews: Sendable {
    private let carts: SQLiteCarts
    private let rights: SQLiteRights
    private let outbox: SQLiteOutbox
    /// The wall clock, in milliseconds since 1970.
    private let now: @Sendable () -> Int64
    /// The last entry that was looked at, by the mutations' types.
    private let seen = Mutex<[String: Int64]>([:])

    /// Notes that are made at once: a till that was off for long writes them over some rounds.
    private static let most = 50

    init(
        carts: SQLiteCarts, rights: SQLiteRights, outbox: SQLiteOutbox,
        now: @escaping @Sendable () -> Int64
    ) {
        (self.carts, self.rights, self.outbox, self.now) = (carts, rights, outbox, now)
    }

    /// - Parameter known: what the list says.
    func requests(beside known: NoteState) async -> [NoteRequest] {
        guard let own = try? await rights.carts() else { return [] }
        var unnamed = own.unnamed
        for grant in unnamed where known.names(grant) { try? await rights.noteWritten(grant) }
        unnamed.removeAll(where: known.names)
        let came = Set(unnamed.map(\.right))
        // One that an earlier copy of this disk gave away or ended is no news, whoever has it on a screen.
        var requests = own.kept.filter { cart in
            let id = cart.id.description
            let isNewCopy = cart.journey?.copiedFrom != nil && known.carts[id] == nil
            return cart.journey?.elsewhere == nil
                && (cart.state == .parked || came.contains(id) || isNewCopy)
        }.compactMap { Self.parked($0, beside: known, at: now()) }
        let ids = Set(own.kept.map(\.id.description))
        // One that was given away has not ended, whether its note is written yet or not.
        var gone = known.openCarts.filter { own.given[$0.id] ?? 0 <= $0.turn }.map(\.id)
        gone += unnamed.filter { own.given[$0.right] ?? 0 <= $0.turn }.map(\.right)
        for id in Set(gone).subtracting(ids).sorted() {
            // An end is said once, for good: not before it is known.
            guard let isSold = await isSold(id) else { continue }
            let end: EndedCart.End = isSold ? .sold : .dropped
            requests.append(
                NoteRequest(kind: .cartEnded, body: EndedCart(id: id, end: end).json, madeAt: now()))
        }
        let room = Self.most - requests.count
        guard room > 0 else { return Array(requests.prefix(Self.most)) }
        // A void gives all of its sale back: the same to whoever is shown its receipt.
        let refunds = await entries(CompletedRefund.type, room, beside: known) { payload in
            let refund = try CompletedRefund(json: payload)
            // As printed: a till that does not have the sale knows no id of it.
            return (refund.orderNumber ?? refund.orderId, refund.total)
        }
        let voids = await entries(VoidedOrder.type, room, beside: known) { payload in
            let void = try VoidedOrder(json: payload)
            return (void.orderNumber, void.total)
        }
        return requests + refunds + voids
    }

    /// Nil: the list says it already.
    ///
    /// - Parameter known: nil of a new cart.
    static func parked(_ cart: KeptCart, beside known: NoteState?, at now: Int64) -> NoteRequest? {
        var note = ParkedCart(
            id: cart.id.description, name: cart.name ?? "", count: Int64(cart.lines.count), total: cart.total,
            turn: 1)
        (note.origin, note.copiedFrom) = (cart.journey?.origin, cart.journey?.copiedFrom)
        let had = cart.journey?.turn ?? 0
        if case .open(let before)? = known?.carts[note.id], before.turn > had {
            note.turn = before.turn
            guard note != before else { return nil }
        }
        note.turn = 1 + max(had, known?.turn(of: note.id) ?? 0)
        return NoteRequest(kind: .cartParked, body: note.json, madeAt: now)
    }

    /// Nil where that cannot be read.
    private func isSold(_ id: String) async -> Bool? {
        guard let key = ULID(id) else { return false }
        do throws(StorageError) {
            return try await carts.sale(of: key) != nil
        } catch {
            return nil
        }
    }

    /// - Parameter read: the sale's number and what came back of it, in minor units.
    private func entries(
        _ type: String, _ most: Int, beside known: NoteState,
        _ read: (JSONValue) throws -> (order: String?, total: Int64?)
    ) async -> [NoteRequest] {
        let after = seen.withLock { $0[type] ?? 0 }
        let entries = (try? await outbox.entries(ofType: type, after: after, limit: most)) ?? []
        if let last = entries.last?.sequence { seen.withLock { $0[type] = last } }
        return entries.compactMap { entry in
            guard let json = try? JSONParser.parse(entry.body), let mutation = try? Mutation(json: json),
                known.refunds[mutation.entityId] == nil,
                case let (order?, total?)? = try? read(mutation.payload), total > 0, !order.isEmpty,
                let madeAt = Timestamp.milliseconds(of: mutation.clientGeneratedAt)
            else { return nil }
            return NoteRequest(
                kind: .refundMade,
                body: NotedRefund(
                    refundId: mutation.entityId, orderId: order, amount: total, madeAt: madeAt
                ).json, madeAt: madeAt)
        }
    }
}

extension NoteState {
    /// Whether it says what became of a cart that came by this grant.
    fileprivate func names(_ grant: GrantedRight) -> Bool {
        if case .ended? = carts[grant.right] { return true }
        return turn(of: grant.right) > grant.turn
    }
}
