import Foundation
import OfflineCore
import TestKit
import Testing

/// The rule on top of docs/concepts/security.md: no input of one terminal changes what a terminal of another
/// store is sent, shown or able to do.
///
/// Each seed runs twice on a hub of its own: with a hostile terminal between the steps, and without. Members,
/// points and coupon uses belong to the whole chain; of them the measures are compared, and the way back.
@Suite("One bad terminal among many", .onStage, .serialized)
struct HostileTerminalTests {
    /// `HOLDFAST_HOSTILE=100` tries as many seeds on each store; two are enough to notice a rule that broke.
    private static let seeds: ClosedRange<UInt64> =
        1...(ProcessInfo.processInfo.environment["HOLDFAST_HOSTILE"].flatMap(UInt64.init) ?? 2)
    private static let steps = 40

    @Test("SQLite: honest terminals of other stores see no difference", arguments: seeds)
    func sqlite(seed: UInt64) throws {
        try compare(seed) { nil }
    }

    @Test(
        "PostgreSQL: honest terminals of other stores see no difference",
        .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"), arguments: seeds)
    func postgres(seed: UInt64) throws {
        try compare(seed) { try PostgresServer.shared.get().freshSchema() }
    }

    private func compare(_ seed: UInt64, _ store: () throws -> String?) throws {
        let quiet = try HonestShops(store: store(), seed: seed)
        for _ in 0..<Self.steps { try quiet.step() }
        let attacked = try HonestShops(store: store(), seed: seed)
        var hostile = HostileTerminal(seed: seed &+ 1000)
        for _ in 0..<Self.steps {
            for _ in 0..<3 { try hostile.attack(attacked) }
            try hostile.nameAnother(attacked)
            try attacked.step()
        }
        #expect(quiet.observations.count == attacked.observations.count)
        for (expected, seen) in zip(quiet.observations, attacked.observations) where expected != seen {
            Issue.record("seed \(seed)\nwithout: \(expected)\nwith:    \(seen)")
        }
        #expect(try quiet.audits() == attacked.audits())
        try MemberMeasures(quiet: quiet, attacked: attacked).compare()
        // Every kind of attack took place; a generator that is never reached would prove nothing.
        #expect(hostile.attacks.count >= 18, "\(hostile.attacks)")
        #expect(hostile.named >= HostileTerminal.namings.count)
        attacked.hub.stop()
    }
}
