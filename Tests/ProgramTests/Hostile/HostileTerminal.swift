import Base
import Foundation
import HubProtocol
import TestKit

/// What a hostile terminal of store S9 sends: it has every identifier that honest terminals have used.
///
/// Each attack is one that was carried out against an earlier hub, or its neighbour by a random value. What
/// it receives does not matter; a response that does not come is an error.
struct HostileTerminal {
    var random: SplitMix64
    private(set) var attacks: [String: Int] = [:]
    /// How many things of others were named (``nameAnother(_:)``).
    var named = 0

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    mutating func pick<T>(_ choices: [T]) -> T? {
        choices.isEmpty ? nil : choices[Int(random.below(UInt64(choices.count)))]
    }

    /// Numbers at which arithmetic breaks.
    private mutating func edge() -> Int64 {
        pick([0, -1, 1, 1 << 31, 1 << 53 - 1, -(1 << 53) + 1, 999_999_999, 1_000_000_000]) ?? 0
    }

    /// One attack, by the seed.
    mutating func attack(_ shops: HonestShops) throws {
        let sales = shops.honest.flatMap(\.sales)
        let kinds: [(String, (inout HostileTerminal, HonestShops, [Mutation]) throws -> Void)] = [
            ("report", Self.report), ("profile", Self.profile), ("points", Self.points),
            ("note", Self.note), ("void", Self.void), ("refund", Self.refund), ("discard", Self.discard),
            ("supersede", Self.supersede), ("number", Self.number), ("repeat", Self.repeated),
            ("depends", Self.depends), ("epoch", Self.epoch), ("telemetry", Self.telemetry),
            ("session", Self.session), ("renewal", Self.renewal), ("enrolment", Self.enrolment),
            ("payment", Self.payment), ("attachment", Self.attachment), ("coupon", Self.coupon),
            ("query", Self.query), ("garbage", Self.garbage), ("relay", Self.relay),
        ]
        guard let (name, act) = pick(kinds) else { return }
        attacks[name, default: 0] += 1
        try act(&self, shops, sales)
    }

    private static func report(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let start = hostile.pick(["2026-11-21T00:00:00.000Z", "9999-12-31T00:00:00.000Z", "x"]) ?? "x"
        let failed: Int64 = hostile.pick([1, 5, 1_000, 100_000, 1 << 53 - 1]) ?? 1
        let ok: Int64 = hostile.pick([0, 1, 1 << 53 - 1]) ?? 0
        let body: JSONValue = [
            "windowStart": .string(start), "windowEnd": "2026-11-21T00:00:01.000Z",
            "services": .array(
                ["order", "payment", "member", "none"].map {
                    ["service": .string($0), "ok": .integer(ok), "failed": ["timeout": .integer(failed)]]
                }),
        ]
        _ = try shops.other.send("POST", Routes.qosReports, body: body.canonicalText)
    }

    private static func profile(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let size = hostile.pick([10, 3_000, 4_097, 900_000]) ?? 10
        let id = hostile.pick(HonestShops.members + ["h\(hostile.random.below(40))"]) ?? "h"
        let entry = shops.other.entry(
            hostile.pick(["member.created", "member.updated"]) ?? "member.created", id,
            payload: [
                "name": "Mallory", "phone": "139001", "x": .string(String(repeating: "z", count: size)),
            ])
        _ = try shops.other.push(entry)
    }

    private static func points(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let entry = shops.other.entry(
            "points.adjusted", hostile.pick(HonestShops.members) ?? "m1",
            payload: ["delta": .integer(hostile.pick([7, -7, hostile.edge()]) ?? 0)])
        _ = try shops.other.push(entry)
    }

    private static func note(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let size = hostile.pick([1, 5_000, 500_000]) ?? 1
        let entry = shops.other.entry(
            hostile.pick(["note.upserted", "note.deleted"]) ?? "note.upserted",
            "note-\(hostile.random.below(3))-\(hostile.random.below(3))",
            payload: ["text": .string(String(repeating: "n", count: size)), "author": "\u{1b}[2J"])
        _ = try shops.other.push(entry)
    }

    private static func void(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let orders = sales.compactMap { $0.payload["orderId"]?.string }
        let order = hostile.pick(orders + ["no-such-order"]) ?? "no-such-order"
        let entry = shops.other.entry(
            "order.voided", order,
            payload: [
                "orderId": .string(order),
                "lines": [["sku": "tea", "quantityMilli": .integer(hostile.edge())]],
            ])
        _ = try shops.other.push(entry)
    }

    private static func refund(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        guard let sale = hostile.pick(sales) else { return }
        let entry = shops.other.refund(of: sale, total: hostile.pick([1, 1250, 1 << 53 - 1]) ?? 1)
        _ = try shops.other.push(entry)
    }

    /// Also of what the owner sends next: identifiers of honest terminals follow from their seed.
    private static func discard(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        guard let target = Self.target(&hostile, shops, sales) else { return }
        let entry = shops.other.entry(
            "mutation.discarded", target,
            payload: ["discards": .string(target), "reason": "x", "by": "Mallory"])
        _ = try shops.other.push(entry)
    }

    private static func supersede(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        guard let target = Self.target(&hostile, shops, sales) else { return }
        let order = shops.other.identifier()
        let entry = shops.other.entry(
            "note.upserted", order, supersedes: target, payload: ["text": "instead", "author": "Mallory"])
        _ = try shops.other.push(entry)
    }

    private static func target(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) -> String? {
        guard var terminal = hostile.pick(shops.honest), hostile.random.below(2) == 0 else {
            return hostile.pick(sales)?.id
        }
        // The order's identifier is minted before the entry's.
        _ = terminal.identifier()
        return terminal.identifier()
    }

    private static func number(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let victim = hostile.pick(shops.honest)?.nextOrderNumber ?? "x"
        let number = hostile.pick([
            victim, "S1-1-99991231-9223372036854775807", "S9-1-20261121-\(hostile.edge())", "",
            String(repeating: "S1-1-", count: 200),
        ])
        let sale = shops.other.sale(
            number: number, total: hostile.pick([0, 1250, 1 << 53 - 1]) ?? 0,
            day: hostile.pick(["2026-11-21", "9999-99-99", "9999-12-31"]) ?? "x")
        _ = try shops.other.push(sale)
    }

    /// A mutation or order of another terminal again, under the hostile terminal's own journal.
    private static func repeated(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        guard let sale = hostile.pick(sales) else { return }
        if hostile.random.below(2) == 0 {
            _ = try shops.other.push(sale)
        } else {
            let copy = shops.other.entry(
                "order.completed", sale.entityId, id: hostile.random.below(2) == 0 ? sale.id : nil,
                payload: sale.payload)
            _ = try shops.other.push([copy])
        }
    }

    private static func depends(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let id = hostile.pick(sales)?.id ?? shops.other.identifier()
        let entries = (0..<20).map { index in
            shops.other.entry(
                "note.upserted", "d\(index)", dependsOn: Array(repeating: id, count: 100),
                payload: ["text": "x", "author": "x"])
        }
        _ = try shops.other.push(entries)
    }

    private static func epoch(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let sale = shops.other.sale()
        _ = try shops.other.push(
            [sale], epoch: hostile.pick([1, 2, 1 << 31, 1 << 53 - 1]) ?? 1, lowSequence: hostile.edge())
    }

    private static func telemetry(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let body: JSONValue = [
            "appVersion": .string(String(repeating: "9", count: Int(hostile.random.below(400)))),
            "outbox": ["pending": .integer(hostile.edge()), "oldestAgeMs": .integer(hostile.edge())],
            "sync": ["attempts": .integer(hostile.edge()), "successes": .integer(hostile.edge())],
            "head": [
                "epoch": .integer(hostile.edge()), "sequence": .integer(hostile.edge()), "hash": "x",
                "orderCounter": .integer(hostile.edge()), "date": "x", "signature": "AAAA",
            ],
        ]
        _ = try shops.other.send("POST", Routes.telemetry, body: body.canonicalText)
    }

    private static func session(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let body: JSONValue = ["cashierId": .string("ghost\(hostile.random.below(9))"), "pin": "0000"]
        _ = try shops.other.send("POST", Routes.sessions, body: body.canonicalText)
    }

    private static func renewal(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        guard let victim = hostile.pick(shops.honest) else { return }
        _ = try shops.other.send(
            "POST", Routes.tokenRenewal,
            [
                HeaderNames.terminal: victim.grant.terminalId, HeaderNames.date: "2026-11-22T00:00:00.000Z",
                HeaderNames.signature: Data(repeating: 7, count: 64).base64EncodedString(),
            ])
    }

    private static func enrolment(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let body: JSONValue = ["enrolmentCode": "AAAAAAAAAA", "name": "\u{1b}]0;x\u{7}", "publicKey": "AAAA"]
        _ = try shops.other.send("POST", Routes.terminals, body: body.canonicalText)
    }

    private static func payment(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let body: JSONValue = [
            "orderId": "o", "amount": ["amount": .integer(hostile.edge()), "currency": "CNY"],
        ]
        let key = hostile.pick(sales)?.id ?? "K"
        _ = try shops.other.send(
            "POST", Routes.authorizations, [HeaderNames.idempotencyKey: "\"\(key)\""],
            body: body.canonicalText)
        _ = try shops.other.send("POST", "\(Routes.authorizations)/\(key)/void", body: "{}")
    }

    private static func attachment(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let body: JSONValue = [
            "id": .string(shops.other.identifier()), "sha256": .string(String(repeating: "0", count: 64)),
            "size": .integer(hostile.edge()), "contentType": "image/png", "urgent": true,
        ]
        _ = try shops.other.send("POST", Routes.attachments, body: body.canonicalText)
    }

    private static func coupon(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let sale = shops.other.sale(coupon: HonestShops.coupon)
        _ = try shops.other.push(sale)
    }

    private static func query(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let path = hostile.pick([
            Routes.changes + "?limit=99999999999999999999", Routes.changes + "?cursor=AAAA",
            Routes.members + "?phone=139001", "//metrics", "/metrics", Routes.qosServices, "/",
            "/v1/members/%00", "/v1/payments/authorizations/../x",
        ])
        _ = try shops.other.send("GET", path ?? "/")
    }

    /// A piece of an honest terminal's journal, or of its own, that nobody signed.
    private static func relay(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        let ids = shops.honest.map(\.grant.terminalId) + [shops.other.grant.terminalId]
        let first = max(1, hostile.edge())
        let header = PieceHeader(
            terminalId: hostile.pick(ids) ?? "", epoch: hostile.pick([1, 2, 1 << 31]) ?? 1, epochStart: 1,
            first: first, last: first,
            link: EntryLink(hash: NeighbourNote.genesisHash, previousHash: NeighbourNote.genesisHash),
            keyId: "k", madeAt: 0)
        let size = hostile.pick([1, 64, 65, 4_000, 600_000]) ?? 1
        _ = try shops.other.send(
            "POST", Routes.relayed,
            body: header.json.canonicalText + "\n" + String(repeating: "x", count: size))
    }

    /// A well-formed request with some bytes changed.
    private static func garbage(_ hostile: inout Self, _ shops: HonestShops, _ sales: [Mutation]) throws {
        guard let sale = hostile.pick(sales) else { return }
        var bytes = Array(sale.json.canonicalText.utf8)
        for _ in 0...hostile.random.below(4) {
            bytes[Int(hostile.random.below(UInt64(bytes.count)))] = UInt8(hostile.random.below(95)) + 32
        }
        _ = try shops.other.send(
            "POST", Routes.mutation, [HeaderNames.idempotencyKey: "\"\(sale.id)\""],
            body: String(decoding: bytes, as: UTF8.self))
    }
}
