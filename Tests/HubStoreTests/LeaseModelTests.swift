import Crypto
import Foundation
import HubCore
import HubProtocol
import HubStore
import Testing

/// Tills that spend what they are lent, with and without the hub, against a model of what they really did.
///
/// The model's tills forget leases that expired and of which they spent nothing, as a terminal does that was
/// off for days, and one of them has a clock that is 20 minutes ahead.
@Suite("Leases against a model")
struct LeaseModelTests {
    @Test(
        "Unleased, leased and spent add up, and no point is spent twice",
        arguments: StoreKind.all, Array(1...8) as [UInt64])
    func points(_ kind: StoreKind, seed: UInt64) async throws {
        let store = try TemporaryStore(kind)
        if seed > 3 { try await grow(store) }
        var office = Till("T9")
        let made = office.minted("member.created", ["name": "Li"], entityId: "M")
        let opening = office.minted("points.adjusted", ["memberId": "M", "delta": 1_000])
        _ = try await store.take(office.push([made, opening]))
        var trade = LeaseTrade(store, of: .points, "M", balance: 1_000, seed: seed, hasStores: seed > 3)
        try await trade.enrolTills()
        try await trade.run(steps: 150)
        #expect(trade.sold > 10 && trade.returned > 0, "\(seed): \(trade.sold), \(trade.returned)")
        #expect(trade.given > 0)
    }

    @Test(
        "Several tills without the hub never use a coupon more often than it is for",
        arguments: StoreKind.all, Array(1...8) as [UInt64])
    func coupons(_ kind: StoreKind, seed: UInt64) async throws {
        let store = try TemporaryStore(kind)
        if seed > 3 { try await grow(store) }
        _ = try await store.ledger.importEntities([Offer.promotion("p")], at: 1)
        _ = try await store.ledger.importEntities([Offer.coupon("C", of: "p", uses: 12)], at: 1)
        var trade = LeaseTrade(store, of: .coupon, "C", balance: 12, seed: seed, hasStores: seed > 3)
        try await trade.enrolTills()
        try await trade.run(steps: 150)
        #expect(trade.sold > 5)
    }

    /// Makes the chain one of several stores, where shares go by the customs of each.
    private func grow(_ store: TemporaryStore) async throws {
        for number in 0..<20 {
            try await store.enrol(
                "X\(number)", in: ["S1", "S2", "S3", "S3", "S3"][number % 5], tokenExpiresAt: 1 << 52)
        }
    }
}

/// Random trade of some tills with one subject's leases.
private struct LeaseTrade {
    /// A lease as its till has it.
    private struct Held {
        var record: LeaseRecord
        var spent: Int64 = 0
        /// The most that it was at any time.
        var most: Int64 = 0
    }

    private struct Player {
        var till: Till
        let key = Curve25519.Signing.PrivateKey()
        var wallet: [String: Held] = [:]
        /// Not pushed yet.
        var waiting: [Mutation] = []
        /// Those that are not voided.
        var sales: [Mutation] = []
        let clockAhead: Int64
    }

    private let store: TemporaryStore
    private let kind: LeaseKind
    private let subject: String
    private var terms = LeaseTerms(shareBasisPoints: 2_500, kinds: [.points, .coupon])
    private let hasStores: Bool
    private var random: Drawn
    private var now: Int64 = 1_000_000
    private var players: [Player]
    /// What the subject really has, by all that was sold and voided anywhere.
    private var balance: Int64
    /// What mutations that are not pushed yet add to it, by their ids.
    private var underway: [String: Int64] = [:]
    private(set) var sold = 0
    private(set) var returned = 0
    private(set) var given = 0
    /// The leases that parts are of, by the parts.
    private var parts: [String: String] = [:]

    /// - Parameter hasStores: whether the chain has another store, with half of the tills.
    init(
        _ store: TemporaryStore, of kind: LeaseKind, _ subject: String, balance: Int64, seed: UInt64,
        hasStores: Bool
    ) {
        self.store = store
        self.kind = kind
        self.subject = subject
        self.balance = balance
        random = Drawn(state: seed &* 2 &+ 1)
        self.hasStores = hasStores
        terms.hasNeighbours = hasStores && seed.isMultiple(of: 2)
        players = (1...4).map {
            Player(
                till: Till("T\($0)", store: hasStores && $0 > 2 ? "S2" : "S1"),
                clockAhead: $0 == 1 ? 1_200_000 : 0)
        }
    }

    /// Their tokens have expired, so that nothing else depends on it.
    func enrolTills() async throws {
        for player in players {
            let key = player.key.publicKey.rawRepresentation.base64EncodedString()
            try await store.enrol(player.till.device.terminalId, in: player.till.device.storeId, key: key)
        }
    }

    private mutating func draw(_ range: ClosedRange<Int64>) -> Int64 { .random(in: range, using: &random) }

    mutating func run(steps: Int) async throws {
        for _ in 0..<steps {
            // Now and then a weekend.
            now += draw(0...20) == 0 ? draw(1...100) * 3_600_000 : draw(0...600_000)
            let player = Int(draw(0...3))
            if hasStores, draw(0...49) == 0 { terms.hasNeighbours.toggle() }
            if draw(0...3) == 0 { give(from: player) }
            switch draw(0...9) {
            case 0, 1: try await lend(to: player)
            case 2...4: sell(at: player)
            case 5: earn(at: player)
            case 6: void(at: player)
            case 7: try await push(from: player)
            case 8: try await pull(to: player)
            case _: try await loseTill()
            }
            try await check()
        }
        for player in players.indices { try await push(from: player) }
        try await check()
        // Whatever is still lent comes back with the last heads.
        now += terms.duration + LeaseTerms.briefDuration + 1
        for player in players.indices {
            try await push(from: player)
        }
        for player in players.indices { try await pull(to: player) }
        let open = try await store.ledger.leases(all: false)
        #expect(open.allSatisfy { $0.expiresAt > now })
        try await check()
    }

    /// The invariants: the hub has what arrived, nothing is lent twice, and what a till spent without the hub
    /// or can spend is reserved for it.
    private func check() async throws {
        let open = try await store.ledger.leases(all: false)
        let reserved = open.reduce(0) { $0 + $1.left }
        let arrived = balance - underway.values.reduce(0, +)
        #expect(try await known() == arrived)
        #expect(reserved <= arrived, "no more is lent than there is")
        #expect(balance >= 0)
        let booked = Set(try await store.ledger.leases(all: true).map(\.id))
        var needed: [String: Int64] = [:]
        for player in players {
            for (id, held) in player.wallet where canSpend(held) {
                // What a void gave back is the terminal's before the hub knows it.
                let voided = player.waiting.filter { $0.type == "order.voided" }.reduce(0) {
                    $0 + Self.used(of: id, in: $1)
                }
                // A part of which the hub knows nothing yet is reserved with the lease that it is of.
                let place = booked.contains(id) ? id : parts[id] ?? id
                needed[place, default: 0] += max(0, held.record.amount - held.spent - voided)
            }
        }
        for (id, amount) in needed { #expect(amount <= open.first { $0.id == id }?.left ?? 0) }
    }

    /// A till gives a part of a lease to another one of its store, which may not hear of it.
    private mutating func give(from player: Int) {
        let giver = players[player]
        // What a void gave back is not given on: the taker's entry may arrive before sale and void.
        let held = giver.wallet.filter { id, held in
            canSpend(held) && !LeaseRecord.isPart(id) && held.record.amount > max(held.most, held.spent)
        }.sorted { $0.key < $1.key }
        let takers = players.indices.filter {
            $0 != player && players[$0].till.device.storeId == giver.till.device.storeId
        }
        guard let (id, lease) = held.first, let taker = takers.randomElement(using: &random) else { return }
        let peak = max(lease.most, lease.spent)
        let amount = kind == .points ? draw(1...(lease.record.amount - peak)) : 1
        players[player].wallet[id]?.spent += amount
        players[player].wallet[id]?.most = peak + amount
        let claim = RightClaim(claimId: Till.ulid(), kind: .lease, right: id, amount: amount)
        let grant = GrantedRight(
            claim, of: .lease, to: players[taker].till.device.terminalId, madeAt: now,
            endsAt: lease.record.expiresAt)
        let note = SignedNote.leaseGiven(grant, by: giver.till.device.terminalId, key: giver.key)
        parts[grant.partId] = id
        given += 1
        let said = MovedLease(grant, from: nil, note: note)
        players[player].waiting.append(players[player].till.minted(MovedLease.given, said.json, entityId: id))
        guard draw(0...4) > 0 else { return }
        let record = LeaseRecord(
            leaseId: grant.partId, kind: kind, subject: subject, amount: amount,
            expiresAt: lease.record.expiresAt, version: 0, epoch: 1)
        players[taker].wallet[grant.partId] = Held(record: record)
        let taken = MovedLease(grant, from: giver.till.device.terminalId, note: note)
        players[taker].waiting.append(players[taker].till.minted(MovedLease.taken, taken.json, entityId: id))
    }

    private static func used(of leaseId: String? = nil, in mutation: Mutation) -> Int64 {
        (mutation.payload["leases"]?.array ?? []).reduce(0) { sum, use in
            leaseId == nil || use["leaseId"]?.string == leaseId ? sum + (use["amount"]?.integer ?? 0) : sum
        }
    }

    private func known() async throws -> Int64? {
        switch kind {
        case .points:
            let key = EntityKey("member", subject)
            return try await store.ledger.entities([key])[key]?["points"]?.integer
        case _:
            let key = EntityKey("coupon", subject)
            return try await store.ledger.entities([key])[key].flatMap { CouponState($0).usesLeft }
        }
    }

    /// As a terminal looks at it.
    private func canSpend(_ held: Held) -> Bool {
        now + 60_000 < held.record.expiresAt && held.spent < held.record.amount
    }

    private mutating func lend(to player: Int) async throws {
        if kind == .points, draw(0...2) == 0 {
            // Somebody is looked up, and the till gets what it is lent with the next pull.
            return try await store.ledger.lendShare(
                of: subject, to: players[player].till.device, by: terms, at: now)
        }
        let wanted = LeaseRequest(
            kind: kind, subject: subject, amount: kind == .points ? draw(0...400) : 1, epoch: 1)
        let lent = try await store.ledger.lend(wanted, to: players[player].till.device, by: terms, at: now)
        keep(lent.leases.map(\.record), at: player)
    }

    private mutating func pull(to player: Int) async throws {
        let device = players[player].till.device
        try await store.ledger.lendAhead(to: device, by: terms, at: now)
        let all = try await store.ledger.leases(all: true).filter { $0.terminalId == device.terminalId }
        for lease in all where lease.state != .open { players[player].wallet[lease.id] = nil }
        keep(all.filter(\.isSpendable).map(\.record), at: player)
        try await giveBack(at: player)
    }

    /// A till returns what others want, and spends nothing more of it.
    private mutating func giveBack(at player: Int) async throws {
        let recalled = players[player].wallet.filter { $0.value.record.isRecalled }
        let till = players[player].till
        for (id, held) in recalled.sorted(by: { $0.key < $1.key }) where draw(0...1) == 0 {
            players[player].wallet[id] = nil
            let part = LeaseReturn.Part(leaseId: id, spent: held.most)
            let rest = try await store.ledger.takeBack(
                LeaseReturn(epoch: 1, sequence: till.sequence, leases: [part]), from: till.device, at: now)
            keep(rest.map(\.record), at: player)
            returned += 1
        }
    }

    private mutating func keep(_ records: [LeaseRecord], at player: Int) {
        // It was off for days, and has forgotten what is over. It forgets none of which it spent something:
        // the hub may have renewed the lease without its knowledge (a look-up, a lost response).
        players[player].wallet = players[player].wallet.filter {
            $0.value.record.expiresAt > now || $0.value.most > 0
        }
        for record in records {
            let known = players[player].wallet[record.leaseId]
            guard record.version > known?.record.version ?? 0 else { continue }
            players[player].wallet[record.leaseId, default: Held(record: record)].record = record
        }
    }

    private mutating func sell(at player: Int) {
        let held = players[player].wallet.filter { canSpend($0.value) }.sorted { $0.key < $1.key }
        guard let (id, first) = held.first else { return }
        let amount = kind == .points ? draw(1...(first.record.amount - first.spent)) : 1
        players[player].wallet[id]?.spent += amount
        players[player].wallet[id]?.most = max(first.most, first.spent + amount)
        let sale = sale(at: player, earned: 0, [id: amount])
        players[player].sales.append(sale)
        note(sale, -amount)
        sold += 1
    }

    private mutating func earn(at player: Int) {
        guard kind == .points else { return }
        let earned = draw(1...60)
        note(sale(at: player, earned: earned, [:]), earned)
    }

    private mutating func sale(at player: Int, earned: Int64, _ uses: [String: Int64]) -> Mutation {
        var draft = players[player].till
        let plain = draft.sale(coupons: kind == .coupon ? [.string(subject)] : nil)
        var payload = plain.payload.object ?? [:]
        payload["leases"] = .array(
            uses.map { id, amount in
                [
                    "leaseId": .string(id), "kind": .string(kind.rawValue), "subject": .string(subject),
                    "amount": .integer(amount),
                ]
            })
        if kind == .points {
            let spent = uses.values.reduce(0, +)
            payload["memberId"] = .string(subject)
            payload["points"] = [
                "earned": .integer(earned), "spent": .integer(spent), "value": .integer(spent),
            ]
        }
        let sale = players[player].till.minted("order.completed", .object(payload))
        players[player].waiting.append(sale)
        return sale
    }

    private mutating func void(at player: Int) {
        guard !players[player].sales.isEmpty else { return }
        let place = Int(draw(0...Int64(players[player].sales.count - 1)))
        let sale = players[player].sales.remove(at: place)
        let back = (sale.payload["leases"]?.array ?? []).filter { use in
            let (id, amount) = (use["leaseId"]?.string ?? "", use["amount"]?.integer ?? 0)
            guard let held = players[player].wallet[id], held.spent >= amount else { return false }
            players[player].wallet[id]?.spent -= amount
            return true
        }
        let orderId = sale.payload["orderId"]?.string ?? ""
        let void = players[player].till.minted(
            "order.voided", ["orderId": .string(orderId), "leases": .array(back)], entityId: orderId,
            dependsOn: [sale.id])
        players[player].waiting.append(void)
        note(void, Self.used(in: sale))
    }

    private mutating func note(_ mutation: Mutation, _ delta: Int64) {
        balance += delta
        underway[mutation.id] = delta
    }

    private mutating func push(from player: Int) async throws {
        let till = players[player].till
        let head = SignedHead(
            terminalId: till.device.terminalId, epoch: 1, sequence: till.sequence, hash: till.previousHash,
            orderCounter: 1, at: now + players[player].clockAhead
        ) { _ in "c2lnbmF0dXJl" }
        let request = IntakeRequest(
            device: till.device, epoch: 1, lowSequence: 1,
            mutations: try players[player].waiting.map { try ReceivedMutation(json: $0.json) },
            receivedAt: now, head: .signed(try #require(head)))
        let results = try await store.take(request)?.results ?? []
        for result in results {
            let flags = Set(result.json["flags"]?.array?.compactMap(\.string) ?? [])
            #expect(result.outcome == .applied)
            #expect(flags.isDisjoint(with: ["lease_exceeded", "points_negative", "coupon_overused"]))
        }
        for mutation in players[player].waiting { underway[mutation.id] = nil }
        players[player].waiting = []
    }

    /// A till that nobody saw again: it was lent something, spent nothing, and an operator gives that up.
    private mutating func loseTill() async throws {
        let lost = DeviceIdentity(terminalId: "L\(draw(1...99))", storeId: "S1")
        let wanted = LeaseRequest(kind: kind, subject: subject, amount: 1, epoch: 1)
        for lease in try await store.ledger.lend(wanted, to: lost, by: terms, at: now).leases {
            _ = try await store.ledger.release(lease.id, by: "ann", reason: "lost", at: now)
        }
    }
}

/// Numbers that are the same in every run.
private struct Drawn: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}
