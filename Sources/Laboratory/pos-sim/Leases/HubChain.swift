import Base
import Foundation
import HubCore
import HubProtocol
import HubStore
import HubStoreSQLite

/// Members whose leases a hub keeps: tills push sales with signed heads and pull by its own procedures, each
/// with a spent counter of its own.
final class HubChain: LeaseChain {
    private struct Till {
        var sequence: Int64 = 0
        var previousHash = Mutation.genesisHash
        var waiting: [Mutation] = []
        /// When it pulled last.
        var pulledAt: Int64 = 0
    }

    private struct Held {
        let id: String
        let subject: String
        let terminalId: String
        let left: Int64
        let expiresAt: Int64
    }

    private static let minute: Int64 = 60_000

    private let folder: URL
    private let ledger: SQLiteLedger
    private let shape: ChainShape
    private let terms: LeaseTerms
    private var balances: [Int64]
    /// What sales earned that the hub does not have yet, by member.
    private var unsent: [Int: Int64] = [:]
    /// When tills pull next.
    private var pulls: [DeviceIdentity: Int64] = [:]
    private var hasHub: (_ storeId: String) -> Bool = { _ in true }
    private var tills: [DeviceIdentity: Till] = [:]
    /// What sales spent of each lease.
    private var spent: [String: Int64] = [:]
    private var generator = SplitMix64(seed: 42)

    init(_ shape: ChainShape, members: Int, opening: Int64, at now: Int64) async throws {
        self.shape = shape
        var terms = LeaseTerms(kinds: [.points])
        terms.hasNeighbours = shape.hasNeighbours
        self.terms = terms
        folder = FileManager.default.temporaryDirectory.appending(path: "leases-\(getpid())-\(now)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        ledger = try SQLiteLedger(path: folder.appending(path: "hub.sqlite").path)
        balances = Array(repeating: opening, count: members)
        for store in shape.stores {
            let ids = shape.tills(of: store).map(\.terminalId)
            try await ledger.keepEnrolmentCodes(ids, storeId: store, expiresAt: now + 1)
            for id in ids {
                _ = try await ledger.enrol(
                    EnrolmentApplicant(
                        terminalId: id, codeDigest: id, name: "till", publicKey: id,
                        tokenExpiresAt: 1 << 52), at: now)
            }
        }
        let office = DeviceIdentity(terminalId: "office", storeId: "office")
        for member in 0..<members {
            mint("member.created", ["name": "member"], entityId: Self.id(of: member), by: office)
            mint(
                "points.adjusted", ["memberId": .string(Self.id(of: member)), "delta": .integer(opening)],
                by: office)
            if member % 50 == 49 || member == members - 1 { try await push(office, at: now) }
        }
        tills[office] = nil
    }

    /// Removes the hub's files.
    func end() {
        ledger.close()
        try? FileManager.default.removeItem(at: folder)
    }

    func balance(of member: Int) -> Int64 { balances[member] }

    func held(_ member: Int, by till: DeviceIdentity, at now: Int64) async throws -> Int64 {
        try await leases(of: member).filter {
            $0.terminalId == till.terminalId && now + Self.minute < $0.expiresAt
        }.reduce(0) { $0 + $1.left }
    }

    func lookUp(_ member: Int, by till: DeviceIdentity, at now: Int64) async throws {
        try await pull(until: now)
        try await ledger.lendShare(of: Self.id(of: member), to: till, by: terms, at: now)
    }

    func request(
        _ amount: Int64, of member: Int, by till: DeviceIdentity, at now: Int64
    ) async throws -> Bool {
        let wanted = LeaseRequest(kind: .points, subject: Self.id(of: member), amount: amount, epoch: 1)
        return try await !ledger.lend(wanted, to: till, by: terms, at: now).recalledFrom.isEmpty
    }

    func comeBack(
        _ member: Int, at now: Int64, from hasHub: @escaping (_ storeId: String) -> Bool
    ) async throws {
        self.hasHub = hasHub
        _ = try await giveBack(at: now)
    }

    /// What tills that reach the hub are to return.
    ///
    /// - Returns: whether they returned something.
    private func giveBack(at now: Int64) async throws -> Bool {
        let recalled = try await leases("recalled > 0", []).compactMap { lease in
            tills.keys.first { $0.terminalId == lease.terminalId && hasHub($0.storeId) }
                .map { ($0, lease.id) }
        }
        for (till, lease) in recalled {
            let part = LeaseReturn.Part(leaseId: lease, spent: spent[lease] ?? 0)
            _ = try await ledger.takeBack(
                LeaseReturn(epoch: 1, sequence: tills[till]?.sequence ?? 0, leases: [part]), from: till,
                at: now + Self.minute)
        }
        return !recalled.isEmpty
    }

    func sell(
        to member: Int, earned: Int64, spent amount: Int64, by till: DeviceIdentity, at now: Int64,
        arrives: Bool
    ) async throws {
        if !arrives { try await pull(until: now) }
        let isAlone = arrives || !shape.hasNeighbours
        let served = isAlone ? [] : shape.tills(of: till.storeId).filter { $0 != till }
        var rest = amount
        // What neighbours give is spent by sales of their own here; the till that serves comes last.
        for holder in served + [till] {
            let own = try await leases(of: member).filter {
                $0.terminalId == holder.terminalId && now < $0.expiresAt && $0.left > 0
            }
            var (uses, part) = ([JSONValue](), Int64(0))
            for lease in own.sorted(by: { $0.expiresAt < $1.expiresAt }) where rest > 0 {
                let used = min(rest, lease.left)
                spent[lease.id, default: 0] += used
                (rest, part) = (rest - used, part + used)
                uses.append([
                    "leaseId": .string(lease.id), "kind": "points", "subject": .string(lease.subject),
                    "amount": .integer(used),
                ])
            }
            if holder == till {
                sale(to: member, earned: earned, part + rest, uses, by: till)
            } else if part > 0 {
                sale(to: member, earned: 0, part, uses, by: holder)
            }
        }
        balances[member] += (arrives ? earned : 0) - amount
        if !arrives { unsent[member, default: 0] += earned }
        if arrives { try await push(till, at: now) }
    }

    /// Each pulls some minutes later, when the hub looks for what is new.
    func pull(_ member: Int, by tills: [DeviceIdentity], at now: Int64) async throws {
        for till in tills where pulls[till] == nil {
            pulls[till] = max(now + 6 * Self.minute, (self.tills[till]?.pulledAt ?? 0) + 5 * Self.minute)
        }
    }

    func beginDay(at now: Int64) async throws {
        try await pull(until: now)
        for till in tills.keys.sorted(by: { $0.terminalId < $1.terminalId }) {
            try await push(till, at: now, isSigned: true)
            pulls[till] = pulls[till] ?? now + 6 * Self.minute
        }
        for (member, points) in unsent { balances[member] += points }
        unsent = [:]
    }

    private func pull(until now: Int64) async throws {
        while let next = pulls.values.min(), next <= now {
            let due = pulls.filter { $0.value == next }.keys.sorted { $0.terminalId < $1.terminalId }
            for till in due {
                pulls[till] = nil
                tills[till, default: Till()].pulledAt = next
                try await ledger.lendAhead(to: till, by: terms, at: next)
            }
            guard try await giveBack(at: next) else { continue }
            for till in due { pulls[till] = next + 5 * Self.minute }
        }
    }

    private static func id(of member: Int) -> String { "member-\(member)" }

    private func leases(of member: Int) async throws -> [Held] {
        try await leases("kind = 'points' AND subject = $1", [Self.id(of: member)])
    }

    private func leases(_ condition: String, _ values: [String]) async throws -> [Held] {
        let rows = try await ledger.read { session in
            try session.rows(
                "SELECT lease_id, subject, terminal_id, amount, expires_at FROM leases "
                    + "WHERE state = 'open' AND returned_through IS NULL AND \(condition)", values
            ).map { row in
                (
                    try row[0] as String, try row[1] as String, try row[2] as String, try row[3] as Int64,
                    try row[4] as Int64
                )
            }
        }
        return rows.map {
            Held(
                id: $0.0, subject: $0.1, terminalId: $0.2, left: max(0, $0.3 - (spent[$0.0] ?? 0)),
                expiresAt: $0.4)
        }
    }

    /// What it earns comes as an adjustment, but for one point: a recording of a few members has too few
    /// sales for the hub's measure of what a day earns.
    private func sale(
        to member: Int, earned: Int64, _ spent: Int64, _ uses: [JSONValue], by till: DeviceIdentity
    ) {
        let memberId = JSONValue.string(Self.id(of: member))
        mint(
            "order.completed",
            [
                "orderId": .string(ulid()),
                "orderNumber": .string("\(till.terminalId)-\((tills[till]?.sequence ?? 0) + 1)"),
                "currency": "CNY", "taxIncluded": true,
                "lines": [
                    [
                        "sku": "tea", "quantityMilli": 1000, "unitPrice": 1250, "discount": 0, "total": 1250,
                        "taxBasisPoints": 0,
                    ]
                ],
                "payments": [["method": "cash", "amount": 1250]], "total": 1250, "tax": 0, "change": 0,
                "memberId": memberId, "leases": .array(uses),
                "points": [
                    "earned": .integer(min(1, earned)), "spent": .integer(spent), "value": .integer(spent),
                ],
            ], by: till)
        guard earned > 1 else { return }
        mint("points.adjusted", ["memberId": memberId, "delta": .integer(earned - 1)], by: till)
    }

    private func mint(
        _ type: String, _ payload: JSONValue, entityId: String? = nil, by device: DeviceIdentity
    ) {
        var till = tills[device] ?? Till()
        till.sequence += 1
        let mutation = Mutation(
            id: ulid(), sequence: till.sequence, type: type, entity: "thing", entityId: entityId ?? ulid(),
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: till.previousHash,
            payload: payload)
        till.previousHash = mutation.hash
        till.waiting.append(mutation)
        tills[device] = till
    }

    /// - Parameter isSigned: whether the push says where the journal ends now.
    private func push(_ device: DeviceIdentity, at now: Int64, isSigned: Bool = false) async throws {
        guard var till = tills[device], till.sequence > 0, isSigned || !till.waiting.isEmpty else { return }
        let head = SignedHead(
            terminalId: device.terminalId, epoch: 1, sequence: till.sequence, hash: till.previousHash,
            orderCounter: 1, at: now
        ) { _ in "c2lnbmF0dXJl" }
        let response = try await ledger.ingest(
            IntakeRequest(
                device: device, epoch: 1, lowSequence: till.waiting.first?.sequence ?? till.sequence + 1,
                mutations: try till.waiting.map { try ReceivedMutation(json: $0.json) }, receivedAt: now,
                head: isSigned ? head.map { .signed($0) } : nil, limits: IntakeLimits().withoutQuotas))
        guard case .results(let batch) = response,
            batch.results.allSatisfy({ result in
                let flags = Set(result.json["flags"]?.array?.compactMap(\.string) ?? [])
                return result.outcome == .applied && flags.isDisjoint(with: Self.wrong)
            })
        else { throw HubChainError(description: "\(device.terminalId) at \(now): \(response)") }
        till.waiting = []
        tills[device] = till
    }

    private static let wrong: Set = ["lease_exceeded", "points_negative", "points_held", "points_limit"]

    private func ulid() -> String { ULID(milliseconds: 1_795_000_000_000, using: &generator).description }
}

/// The hub did not take what a till of a replay pushed.
struct HubChainError: Error, CustomStringConvertible {
    let description: String
}
