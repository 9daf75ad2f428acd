internal import Base
internal import HubProtocol
internal import Neighbours
internal import Retail
internal import Synchronization
internal import TerminalStore

/// What this till has done and its list of notes does not say yet: carts that it parked, carts that ended,
/// and refunds.
final class NoteNews: Sendable {
    private let carts: SQLiteCarts
    private let outbox: SQLiteOutbox
    /// The wall clock, in milliseconds since 1970.
    private let now: @Sendable () -> Int64
    /// The last refund that was looked at.
    private let seen = Mutex<Int64>(0)

    /// Notes that are made at once: a till that was off for long writes them over some rounds.
    private static let most = 50

    init(carts: SQLiteCarts, outbox: SQLiteOutbox, now: @escaping @Sendable () -> Int64) {
        (self.carts, self.outbox, self.now) = (carts, outbox, now)
    }

    /// - Parameter known: what the list says.
    func requests(beside known: NoteState) async -> [NoteRequest] {
        guard let kept = try? await carts.carts() else { return [] }
        var requests = kept.filter { $0.state == .parked }.compactMap { parked($0, beside: known) }
        let ids = Set(kept.map(\.id.description))
        for cart in known.openCarts where !ids.contains(cart.id) {
            let isSold = await isSold(cart.id)
            requests.append(
                NoteRequest(
                    kind: .cartEnded, body: EndedCart(id: cart.id, end: isSold ? .sold : .dropped).json,
                    madeAt: now()))
        }
        let room = Self.most - requests.count
        return requests.prefix(Self.most) + (room > 0 ? await refunds(room, beside: known) : [])
    }

    private func parked(_ cart: KeptCart, beside known: NoteState) -> NoteRequest? {
        var note = ParkedCart(
            id: cart.id.description, name: cart.name ?? "", count: Int64(cart.lines.count), total: cart.total,
            turn: 1)
        if case .open(let before)? = known.carts[note.id] {
            note.turn = before.turn
            guard note != before else { return nil }
            note.turn = before.turn + 1
        }
        return NoteRequest(kind: .cartParked, body: note.json, madeAt: now())
    }

    private func isSold(_ id: String) async -> Bool {
        guard let key = ULID(id) else { return false }
        return ((try? await carts.sale(of: key)) ?? nil) != nil
    }

    private func refunds(_ most: Int, beside known: NoteState) async -> [NoteRequest] {
        let after = seen.withLock { $0 }
        let entries =
            (try? await outbox.entries(ofType: CompletedRefund.type, after: after, limit: most)) ?? []
        if let last = entries.last?.sequence { seen.withLock { $0 = last } }
        return entries.compactMap { entry in
            guard let json = try? JSONParser.parse(entry.body), let mutation = try? Mutation(json: json),
                known.refunds[mutation.entityId] == nil,
                let refund = try? CompletedRefund(json: mutation.payload),
                let total = refund.total, total > 0,
                // As printed: a till that does not have the sale knows no id of it.
                let orderId = refund.orderNumber ?? refund.orderId, !orderId.isEmpty,
                let madeAt = Timestamp.milliseconds(of: mutation.clientGeneratedAt)
            else { return nil }
            return NoteRequest(
                kind: .refundMade,
                body: NotedRefund(
                    refundId: mutation.entityId, orderId: orderId, amount: total, madeAt: madeAt
                ).json, madeAt: madeAt)
        }
    }
}
