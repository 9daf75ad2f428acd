import Base
import OfflineCore
import Testing

@Suite("The outbox machine on random walks")
struct OutboxWalkTests {
    @Test("no row is lost or accepted twice, one operation is pending, ordering keys keep their order")
    func walks() {
        for seed in UInt64(1)...25 {
            var walk = OutboxWalk(seed: seed)
            for _ in 0..<600 { walk.step() }
            walk.heal()
        }
    }
}

/// A disk, a hub and the machine between them, with random failures from a seed.
private struct OutboxWalk {
    private struct DiskRow {
        let entry: OutboxEntry
        var hasResult = false
    }

    private var machine: OutboxMachine
    private var random: SplitMix64
    private let seed: UInt64
    private var now = at(0)
    private var disk: [DiskRow] = []
    /// The mutations that the hub has accepted, in its order.
    private var taken: [String] = []
    /// The mutations that the hub had accepted and lost in a restore.
    private var lost: Set<String> = []
    /// What the machine waits for.
    private var inHand: OutboxEffect?
    private var isCalm = false
    /// How many measurements of the path are pending.
    private var measurements = 0
    /// Every second hub is sometimes restored; the reopened rows come out of order.
    private var hubForgets: Bool { seed.isMultiple(of: 2) }

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        machine = OutboxMachine(settings: OutboxSettings(batchLimit: 8, batchBytes: 1_500), seed: seed)
        feed(.rowsChanged)
    }

    mutating func step() {
        if random.below(3) == 0, let deadline = machine.deadline {
            now = max(now, deadline)
        } else {
            now = now + .milliseconds(Int64(random.below(500)))
        }
        if inHand != nil, random.below(2) == 0 { return finishWork() }
        feed(draw())
    }

    /// After all failures have ended, each row has its result and the hub has each once.
    mutating func heal() {
        isCalm = true
        for event in [OutboxEvent.manualOfflineChanged(isOn: false), .routeRestored, .identityRenewed] {
            feed(event)
        }
        for _ in 0..<5_000 {
            if inHand != nil {
                finishWork()
            } else if let deadline = machine.deadline {
                now = max(now, deadline)
                feed(.deadlineReached)
            } else {
                break
            }
        }
        let open = disk.filter { !$0.hasResult }
        #expect(open.isEmpty, "seed \(seed)")
        #expect(taken.count == Set(taken).count && taken.count == disk.count, "seed \(seed)")
        #expect(machine.status(at: now) == .idle, "seed \(seed)")
        for orderingKey in 0..<5 where !hubForgets {
            let order = taken.compactMap(Int.init).filter { $0 % 5 == orderingKey }
            #expect(order == order.sorted(), "seed \(seed)")
        }
    }

    private mutating func feed(_ event: OutboxEvent) {
        for effect in machine.handle(event, at: now) { take(effect) }
        let again = machine.handle(.deadlineReached, at: now)
        #expect(again.isEmpty, "an early wake did \(again), seed \(seed)")
        if let deadline = machine.deadline {
            #expect(deadline > now, "a wake that does nothing, seed \(seed)")
        }
    }

    private mutating func take(_ effect: OutboxEffect) {
        switch effect {
        case .load, .write, .push:
            #expect(inHand == nil, "two things in hand, seed \(seed)")
            inHand = effect
            if case .push(let ids) = effect { check(ids) }
        case .measurePath: measurements += 1
        case .announceResults(let results):
            for result in results {
                let isDurable = disk.contains { $0.entry.id == result.id && $0.hasResult }
                #expect(isDurable, "seed \(seed)")
            }
        case .useSmallSegments, .endWaits, .endAllWaits, .announceDelivery, .finishCanary, .finishSync: break
        }
    }

    /// A row is sent only after all earlier rows of its ordering key that have no result yet.
    private func check(_ ids: [String]) {
        #expect(ids.count == Set(ids).count && ids.count <= 8)
        for (position, id) in ids.enumerated() {
            guard let row = disk.first(where: { $0.entry.id == id }) else {
                Issue.record("a stranger \(id) was sent, seed \(seed)")
                continue
            }
            let ahead = disk.filter {
                $0.entry.orderingKey == row.entry.orderingKey && $0.entry.sequence < row.entry.sequence
                    && !$0.hasResult
            }
            let inOrder = ahead.allSatisfy { ids[..<position].contains($0.entry.id) }
            #expect(inOrder, "seed \(seed)")
        }
    }

    private mutating func finishWork() {
        guard let work = inHand else { return }
        inHand = nil
        if !isCalm, random.below(8) == 0 {
            guard case .push = work else { return feed(.storeFailed) }
        }
        switch work {
        case .load(let after, let limit):
            let rest = disk.filter { !$0.hasResult && $0.entry.sequence > after }.map(\.entry)
            feed(.loaded(Array(rest.prefix(limit)), reachedEnd: rest.count <= limit))
        case .push(let ids): feed(.pushFinished(hubResponse(to: ids)))
        case .write(let write):
            apply(write)
            feed(.written)
        case .announceResults, .announceDelivery, .measurePath, .useSmallSegments, .endWaits, .endAllWaits,
            .finishCanary,
            .finishSync:
            break
        }
    }

    private mutating func apply(_ write: OutboxWrite) {
        switch write {
        case .record(let results, _):
            for result in results where result.outcome.isFinal { setResult(of: result.id, true) }
        case .reopen(let sequences): for sequence in sequences { setResult(of: String(sequence), false) }
        case .note, .adopt, .keep: break
        }
    }

    private mutating func setResult(of id: String, _ hasResult: Bool) {
        for index in disk.indices where disk[index].entry.id == id { disk[index].hasResult = hasResult }
    }

    private mutating func hubResponse(to ids: [String]) -> PushOutcome {
        if !isCalm {
            switch random.below(12) {
            case 0: return .hubTrouble(.network(.connect), retryAfter: nil)
            case 1: return .hubTrouble(.throttle(retryAfter: nil), retryAfter: .seconds(3))
            case 2: return .refused(status: 400, code: "bad", detail: "")
            case 3: return .signInNeeded(code: "token_expired")
            case 4: return .journalForked(epoch: 2, headSequence: 1, headHash: "", headOrderNumber: nil)
            case 5:
                // The hub accepted them and its response was lost.
                _ = intake(ids)
                return .hubTrouble(.network(.silent), retryAfter: nil)
            case 6: if let victim = taken.randomElement(using: &random) { lose(victim) }
            default: break
            }
        }
        let results = intake(ids)
        let missing = lost.compactMap(Int64.init).sorted()
        return .results(results, acknowledgedThrough: 0, missing: missing)
    }

    private mutating func intake(_ ids: [String]) -> [PushResult] {
        ids.map { id in
            var outcome = PushResult.Outcome.applied
            if taken.contains(id) {
                outcome = .applied
            } else if !isCalm, random.below(5) == 0 {
                outcome = random.below(2) == 0 ? .deferred : .retry(after: .seconds(2))
            } else if ahead(of: id) {
                outcome = .deferred
            } else {
                taken.append(id)
                lost.remove(id)
            }
            return PushResult(id: id, outcome: outcome, document: "{}")
        }
    }

    /// Whether an earlier row of its ordering key is not with the hub yet.
    private func ahead(of id: String) -> Bool {
        guard let number = Int(id) else { return false }
        return disk.contains {
            $0.entry.sequence < Int64(number) && $0.entry.orderingKey == String(number % 5)
                && !taken.contains($0.entry.id) && !lost.contains($0.entry.id)
        }
    }

    private mutating func lose(_ id: String) {
        guard hubForgets, disk.contains(where: { $0.entry.id == id && $0.hasResult }) else { return }
        taken.removeAll { $0 == id }
        lost.insert(id)
    }

    private mutating func draw() -> OutboxEvent {
        switch random.below(16) {
        case 0, 1, 2, 3:
            let sequence = disk.count + 1
            let bytes = Int(random.below(600))
            disk.append(DiskRow(entry: .row(sequence, orderingKey: String(sequence % 5), bytes: bytes)))
            return .rowAdded
        case 4: return .routeLost(byService: random.below(2) == 0)
        case 5: return .routeRestored
        case 6: return .syncRequested
        case 7: return .canaryRequested
        case 8: return .manualOfflineChanged(isOn: random.below(3) == 0)
        case 9: return .paced(ResumePace(after: .seconds(1), ratePerMinute: Int64(random.below(600))))
        case 10: return .identityRenewed
        case 11: return .rowsChanged
        case 12: return .linkQualityChanged(isDegraded: random.below(2) == 0)
        case 13: return random.below(4) == 0 ? .accountRefused : .hubResponded(toProbe: random.below(2) == 0)
        case 14:
            guard measurements > 0 else { return .deadlineReached }
            measurements -= 1
            return .pathMeasured(largePacketsPass: [nil, false, true][Int(random.below(3))])
        default: return .deadlineReached
        }
    }
}
