import ArgumentParser
import Base
import Foundation

/// Plants known bugs and has to find them: one that is not found is a check that lacks.
struct PlantCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plant",
        abstract: "Plants a known bug in worlds until one of them fails; exit 1 if one was not found.")

    @Argument(help: ArgumentHelp("A bug that --list names.", valueName: "NAME"))
    var name: String?
    @Flag(help: "Prints the names of all bugs.")
    var list = false
    @Flag(help: "Plants all of them, one after the other.")
    var all = false
    @Option(help: ArgumentHelp("Worlds for each bug at most.", valueName: "N"))
    var seeds: UInt64 = 200
    @Option(help: ArgumentHelp("The first seed.", valueName: "SEED"))
    var from: UInt64 = 1
    @Option(help: ArgumentHelp("Days that a shop is open; by default the seed decides.", valueName: "D"))
    var days: Int?
    @Flag(help: "Prints a JSON document.")
    var json = false

    func validate() throws {
        guard (name != nil ? 1 : 0) + (list ? 1 : 0) + (all ? 1 : 0) == 1 else {
            throw ValidationError("Give one of NAME, --list and --all.")
        }
        if let name, PlantedBug(rawValue: name) == nil {
            throw ValidationError("There is no bug \(name); --list names all.")
        }
        guard seeds > 0 else { throw ValidationError("--seeds must be 1 or more.") }
    }

    /// What became of one bug.
    private struct Finding: Encodable {
        let name: String
        let caught: Bool
        /// Nil where it was not found.
        let invariant: String?
        /// Worlds up to the one that failed, that one too; nil where none did.
        let seedsToDetection: UInt64?
    }

    private struct Document: Encodable {
        let plants: [Finding]
    }

    func run() throws {
        if list { return PlantedBug.allCases.forEach { print($0.rawValue) } }
        guard PlantedBug.canBePlanted else {
            throw ValidationError(
                "This build has no bugs to plant. Use a debug build, or build with HOLDFAST_PLANTS=1.")
        }
        let chosen = name.flatMap(PlantedBug.init(rawValue:)).map { [$0] } ?? PlantedBug.allCases
        let findings = chosen.map { bug in
            let finding = find(bug)
            if !json { print(line(finding)) }
            fflush(nil)
            return finding
        }
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(Document(plants: findings)), as: UTF8.self))
        }
        guard findings.allSatisfy(\.caught) else { throw ExitCode(1) }
    }

    /// A world that fails without the bug too shows nothing of it.
    private func find(_ bug: PlantedBug) -> Finding {
        var next = from
        while let (seed, invariant) = firstFailure(of: bug, from: next) {
            if Shrinking.invariant(of: Schedule(seed: seed, days: days)) == nil {
                return Finding(
                    name: bug.rawValue, caught: true, invariant: invariant, seedsToDetection: seed - from + 1)
            }
            next = seed + 1
        }
        return Finding(name: bug.rawValue, caught: false, invariant: nil, seedsToDetection: nil)
    }

    private func firstFailure(of bug: PlantedBug, from first: UInt64) -> (seed: UInt64, invariant: String)? {
        var found: (seed: UInt64, invariant: String)?
        let schedules = (first..<from + seeds).lazy.map { seed in
            var schedule = Schedule(seed: seed, days: days)
            schedule.plant = bug.rawValue
            return schedule
        }
        WorldProcess().run(schedules) { result, _ in
            if let failure = result.failures.first, result.seed < found?.seed ?? .max {
                found = (result.seed, failure.invariant)
            }
            return found == nil
        }
        return found
    }

    private func line(_ finding: Finding) -> String {
        guard let worlds = finding.seedsToDetection, let invariant = finding.invariant else {
            return "\(finding.name): not found in \(seeds) worlds"
        }
        return "\(finding.name): found in world \(worlds): \(invariant)"
    }
}
