import ArgumentParser
import CVirtualTime
import Foundation
import Glibc

/// The simulator: whole shops in virtual time.
@main
struct SimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pos-sim",
        abstract:
            "Runs whole shops in virtual time, with faults that a seed draws, and checks what has to hold.",
        subcommands: [
            RunCommand.self, PlantCommand.self, ShrinkCommand.self, ImagesCommand.self, LeasesCommand.self,
        ])

    static func main() {
        var arguments = CommandLine.arguments.map { strdup($0) } + [nil]
        virtual_time_fix_process(&arguments)
        self.main(nil)
    }
}

/// Runs worlds and checks them; exit 1 if anything did not hold.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs worlds; exit 1 if anything did not hold in one of them.")

    @Option(help: ArgumentHelp("How many worlds, one for each seed.", valueName: "N"))
    var seeds: UInt64?
    @Option(help: ArgumentHelp("The first seed.", valueName: "SEED"))
    var from: UInt64 = 1
    @Option(help: ArgumentHelp("The seed of one world.", valueName: "SEED"))
    var seed: UInt64?
    @Option(help: ArgumentHelp("Days that a shop is open; by default the seed decides.", valueName: "D"))
    var days: Int?
    @Option(help: ArgumentHelp("A schedule in place of a seed, as shrink writes it.", valueName: "FILE"))
    var schedule: String?
    @Flag(help: "Prints the hash of the world's trace alone.")
    var trace = false
    @Flag(help: "Prints the world's story, a line for each event.")
    var watch = false
    @Flag(help: "Prints a JSON document.")
    var json = false

    func validate() throws {
        guard (seeds != nil ? 1 : 0) + (seed != nil ? 1 : 0) + (schedule != nil ? 1 : 0) == 1 else {
            throw ValidationError("Give one of --seeds, --seed and --schedule.")
        }
        guard seeds != 0 else { throw ValidationError("--seeds must be 1 or more.") }
        if let days, !(1...7).contains(days) { throw ValidationError("--days must be from 1 to 7.") }
    }

    func run() throws {
        var report = Report()
        let begin = ContinuousClock.now
        WorldProcess(isShown: watch).run(try schedules()) { result, _ in
            report.add(result)
            for failure in result.failures where !json { show(failure, of: result.seed) }
            return true
        }
        if seeds ?? 0 >= Self.enough { report.requireEveryFault(from: from) }
        report.seconds = Double((ContinuousClock.now - begin).components.seconds)
        if trace {
            print(report.hash)
        } else {
            print(json ? try report.json() : report.text)
        }
        guard report.failures.isEmpty else { throw ExitCode(1) }
    }

    /// So many worlds that each kind of fault must have acted in one of them.
    private static let enough: UInt64 = 200

    private func show(_ failure: World.Failure, of seed: UInt64) {
        let line = "seed \(seed): \(failure.invariant): \(failure.detail) (at \(failure.at) ms)\n"
        (trace ? FileHandle.standardError : .standardOutput).write(Data(line.utf8))
    }

    private func schedules() throws -> [Schedule] {
        if let schedule {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: schedule))
            return [try JSONDecoder().decode(Schedule.self, from: bytes)]
        }
        if let seed { return [Schedule(seed: seed, days: days)] }
        return (from..<from + (seeds ?? 0)).map { Schedule(seed: $0, days: days) }
    }
}
