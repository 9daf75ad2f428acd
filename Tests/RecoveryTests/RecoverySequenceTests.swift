import Base
import Crypto
import Foundation
import HubProtocol
import HubStore
import Retail
import TestKit
import Testing

/// Every short sequence of recoveries of a till and its hub, with sales in between: each recovery is right
/// alone, and no two of them together may lose a sale without a word.
///
/// `RECOVERY_SEQUENCES=all` tries the whole space instead of a part of it, and the names of some steps, with
/// spaces between, that one sequence.
@Suite("Recoveries one after the other")
struct RecoverySequenceTests {
    private static let wanted = ProcessInfo.processInfo.environment["RECOVERY_SEQUENCES"] ?? ""

    /// `RECOVERY_STORE=sqlite` leaves the other one out.
    private static let stores: [HubStoreKind] = {
        guard let name = ProcessInfo.processInfo.environment["RECOVERY_STORE"] else {
            return HubStoreKind.all
        }
        return HubStoreKind.all.filter { "\($0)".lowercased() == name }
    }()

    /// Sequences of up to four steps. One whose step has nothing to work on is a shorter one, and so is one
    /// that ends with a copy that nobody uses.
    private static let all: [[RecoveryStep]] = {
        var found: [[RecoveryStep]] = []
        var longest: [[RecoveryStep]] = [[]]
        for _ in 0..<4 {
            longest = longest.flatMap { before in
                RecoveryStep.allCases.filter { isPossible($0, after: before) }.map { before + [$0] }
            }
            found += longest.filter { ![.hubBackup, .tillCopy].contains($0.last) }
        }
        return found
    }()

    private static func isPossible(_ step: RecoveryStep, after before: [RecoveryStep]) -> Bool {
        switch step {
        case .hubRestore: before.contains(.hubBackup)
        case .copyPutBack: before.contains(.tillCopy)
        case .clone: !before.contains(.clone)
        case .hubBackup, .tillCopy: before.last != step
        case .repair, .damage, .newIdentity, .exportAndIngest, .kill: true
        }
    }

    /// The drawn part has every sequence that restores the hub and opens an epoch in it more often than
    /// others: these are what lost sales. About 150 ms each.
    private static func drawn(_ count: Int, seed: UInt64) -> [[RecoveryStep]] {
        if wanted == "all" { return all }
        let named = wanted.split(separator: " ").compactMap { RecoveryStep(rawValue: String($0)) }
        if !named.isEmpty { return [named] }
        var generator = SplitMix64(seed: seed)
        let opening: Set<RecoveryStep> = [.repair, .damage, .copyPutBack, .clone, .newIdentity]
        let double = all.filter { $0.contains(.hubRestore) && !opening.isDisjoint(with: $0) }
        return all.filter { $0.count <= 2 } + double.shuffled(using: &generator).prefix(count * 2 / 3)
            + all.shuffled(using: &generator).prefix(count / 3)
    }

    /// Longer ones, of which some step once erased the evidence of another: a copy that is put back twice is
    /// superseded by its first life, and a hub that is restored then has forgotten that life.
    private static let known: [[RecoveryStep]] = [
        [.hubBackup, .tillCopy, .copyPutBack, .copyPutBack, .hubRestore],
        [.tillCopy, .hubBackup, .copyPutBack, .copyPutBack, .hubRestore],
        [.tillCopy, .copyPutBack, .hubBackup, .copyPutBack, .hubRestore],
        [.hubBackup, .tillCopy, .copyPutBack, .copyPutBack, .copyPutBack, .hubRestore],
        [.hubBackup, .tillCopy, .copyPutBack, .copyPutBack, .newIdentity, .hubRestore],
        [.hubBackup, .tillCopy, .copyPutBack, .copyPutBack, .exportAndIngest, .hubRestore],
        [.hubBackup, .tillCopy, .copyPutBack, .copyPutBack, .hubRestore, .repair, .hubRestore],
        [.hubBackup, .clone, .tillCopy, .copyPutBack, .copyPutBack, .hubRestore],
        [.tillCopy, .hubBackup, .copyPutBack, .repair, .copyPutBack, .hubRestore],
        [.tillCopy, .hubBackup, .copyPutBack, .damage, .copyPutBack, .hubRestore],
        // Nothing is lost here: the entry that the till lost is the hub's, under the terminal's name before.
        [.damage, .hubBackup, .newIdentity, .hubRestore],
    ]

    @Test(
        "till and hub have the same entries in the end, or both say which are missing; no number repeats",
        arguments: stores)
    func sequences(_ kind: HubStoreKind) async throws {
        var sequences = Self.drawn(kind == .sqlite ? 240 : 30, seed: 20_261_125)
        if sequences.count > 1 { sequences += Self.known }
        var failures = 0
        for steps in sequences {
            do {
                let complaints = try await RecoveryRun(kind).run(steps)
                guard !complaints.isEmpty else { continue }
                failures += 1
                if failures <= 40 {
                    Issue.record("\(steps.map(\.rawValue).joined(separator: " ")): \(complaints)")
                }
            } catch {
                failures += 1
                if failures <= 40 {
                    Issue.record("\(steps.map(\.rawValue).joined(separator: " ")): \(error)")
                }
            }
        }
        #expect(failures == 0, "\(failures) of \(sequences.count)")
    }
}

/// One sequence on a world of its own.
private final class RecoveryRun {
    private let folder: String
    private let clock = StepClock()
    private let hub: HubInWorld
    private var tills: [TillInWorld] = []
    private var sold: [String: String] = [:]
    private var numbers: [String] = []
    /// What the hub had at some time.
    private var reached: Set<String> = []

    init(_ kind: HubStoreKind) throws {
        // In memory, since each sale is synced: what a disk forgets is the power cut's test.
        let memory = "/dev/shm"
        let base = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        folder = base + "/recovery-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        hub = try HubInWorld(kind, in: folder, clock: clock)
    }

    deinit {
        for till in tills { till.end() }
        hub.end()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// - Returns: what is wrong in the end; empty for nothing.
    func run(_ steps: [RecoveryStep]) async throws -> [String] {
        let home = folder + "/till"
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let till = try TillInWorld(home: home, key: Curve25519.Signing.PrivateKey(), clock: clock)
        tills = [till]
        try await till.enrol(at: hub)
        try await trade()
        reached = try hub.entries()
        for (place, step) in steps.enumerated() {
            clock.advance()
            try await perform(step, on: till, after: place)
            clock.advance()
            try await trade()
            reached.formUnion(try hub.entries())
        }
        try await settle()
        return try await complaints(after: steps)
    }

    /// Two sales at every till, sent as far as the hub takes them.
    private func trade() async throws {
        for till in tills {
            for _ in 0..<2 {
                try await sell(at: till)
                try await till.drain(to: hub)
            }
        }
    }

    private func sell(at till: TillInWorld) async throws {
        let sale = try await till.sell()
        sold[sale.mutationId] = sale.orderNumber.description
        numbers.append(sale.orderNumber.description)
        try await till.report(to: hub)
    }

    private func perform(_ step: RecoveryStep, on till: TillInWorld, after place: Int) async throws {
        switch step {
        case .hubBackup: try hub.backUp()
        case .hubRestore: try hub.restore()
        case .tillCopy: try till.copy(to: folder + "/copy")
        case .copyPutBack: try till.putBack(folder + "/copy")
        case .repair: try till.repair(losing: .none)
        case .damage: try till.repair(losing: place.isMultiple(of: 2) ? .beforeLast : .last)
        case .clone:
            try till.copy(to: folder + "/clone")
            tills.append(try TillInWorld(home: folder + "/clone", key: till.key, clock: clock))
        case .newIdentity: try await till.enrol(at: hub)
        case .exportAndIngest:
            try await sell(at: till)
            try await hub.ingest(try await till.exported(to: folder + "/journal"))
        case .kill:
            try await sell(at: till)
            try await till.drain(to: hub, losesResponses: true)
            try till.kill()
        }
    }

    /// Whoever stopped is enrolled anew, as its banner says.
    private func settle() async throws {
        for _ in 0..<2 {
            for till in tills {
                clock.advance()
                if try await till.drain(to: hub) == .drained { continue }
                try await till.enrol(at: hub)
                try await till.drain(to: hub)
            }
        }
    }

    private func complaints(after steps: [RecoveryStep]) async throws -> [String] {
        var complaints: [String] = []
        let here = try hub.entries()
        for (number, till) in tills.enumerated() {
            let only = try till.entries().subtracting(here)
            if !only.isEmpty { complaints.append("on till \(number) alone: \(named(only))") }
        }
        let lost = Set(sold.keys).subtracting(here)
        let audits = try await hub.ledger.audit(terminal: nil)
        let troubled = audits.filter(\.hasTrouble).map(\.json.canonicalText)
        var findings: [String] = []
        for till in tills { findings += try await till.findings() }
        // A sale that was never sent is gone with the data folder that an older copy replaced: then nobody
        // has anything that could name it.
        let nameable = steps.contains(.copyPutBack) ? lost.intersection(reached) : lost
        if !nameable.isEmpty {
            if troubled.isEmpty { complaints.append("lost and the audit is intact: \(named(nameable))") }
            if findings.isEmpty { complaints.append("lost and the doctor is silent: \(named(nameable))") }
        } else if lost.isEmpty, !troubled.isEmpty, tills.count == 1 {
            // Two live copies of one terminal are a finding, even where nothing is lost.
            complaints.append("nothing is lost, and the audit says: \(troubled)")
        }
        let repeated = Dictionary(grouping: numbers) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
        if !repeated.isEmpty { complaints.append("repeated numbers: \(repeated)") }
        return complaints
    }

    private func named(_ ids: Set<String>) -> [String] { ids.map { sold[$0] ?? $0 }.sorted() }
}
