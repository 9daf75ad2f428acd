import Foundation
import HubProtocol
import TestKit
import Testing

/// Till, hub and both killed at seeded random moments, with responses cut short, again and again on the
/// same shop: in the end what was sold is what was received.
///
/// `HOLDFAST_KILLS` is how many kills each store gets, `HOLDFAST_SEED` repeats a run; without one the seed
/// is fresh and printed. `make kills` runs a thousand.
@Suite("Seeded kills", .onStage, .serialized)
struct SeededKillTests {
    private static let kills = KillVariables.kills ?? 24

    /// A shop takes so many; then the next seed gets a new one, or looking at all its orders again and again
    /// would take most of the time.
    private static let killsOfOneShop = 250

    private func run(_ name: String, store: () throws -> String?) throws {
        var seed = KillVariables.seed
        var left = Self.kills
        while left > 0 {
            print("kills on \(name): seed \(seed) begins")
            var shop = try KilledShop(seed: seed, store: store())
            print("kills on \(name): \(try shop.run(rounds: min(left, Self.killsOfOneShop)))")
            left -= Self.killsOfOneShop
            seed += 1
        }
    }

    @Test("On SQLite: sold is received and the chain is intact")
    func sqlite() throws {
        try run("SQLite") { nil }
    }

    @Test(
        "On PostgreSQL: sold is received and the chain is intact",
        .enabled(if: PostgresServer.isAvailable, "\(PostgresServer.obstacle ?? "")"))
    func postgresql() throws {
        try run("PostgreSQL") { try PostgresServer.shared.get().freshSchema() }
    }
}

/// What `make kills` passes on to the tests that draw.
enum KillVariables {
    static let kills = number("HOLDFAST_KILLS").map(Int.init)
    static var seed: UInt64 { number("HOLDFAST_SEED") ?? .random(in: 0..<1_000_000) }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}
