import ArgumentParser
import Base
import Foundation

/// Makes the smallest schedule that still fails as a seed does.
struct ShrinkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shrink",
        abstract: "Leaves out of a failing world what it can, and prints the schedule that still fails.")

    @Option(help: ArgumentHelp("The seed of the world that fails.", valueName: "SEED"))
    var seed: UInt64
    @Option(help: ArgumentHelp("Days that the shop is open; by default the seed decides.", valueName: "D"))
    var days: Int?
    @Option(help: ArgumentHelp("A known bug that is planted in it.", valueName: "NAME"))
    var plant: String?
    @Option(help: ArgumentHelp("Where the schedule is written to.", valueName: "FILE"))
    var output: String?

    func run() throws {
        var schedule = Schedule(seed: seed, days: days)
        schedule.plant = plant
        guard let invariant = Shrinking.invariant(of: schedule) else {
            throw ValidationError("The world of seed \(seed) does not fail.")
        }
        var shrinking = Shrinking(schedule, invariant)
        shrinking.run()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let document = try encoder.encode(shrinking.schedule) + Data("\n".utf8)
        if let output {
            try document.write(to: URL(fileURLWithPath: output))
            print("\(invariant): \(shrinking.schedule.faults.count) faults are left, in \(output)")
        } else {
            FileHandle.standardOutput.write(document)
        }
    }
}

/// Delta debugging of a schedule: whatever can be left out is, as long as the same thing does not hold.
struct Shrinking {
    private(set) var schedule: Schedule
    private let invariant: String

    init(_ schedule: Schedule, _ invariant: String) {
        (self.schedule, self.invariant) = (schedule, invariant)
    }

    /// What does not hold first in the world of a schedule; nil: everything holds.
    static func invariant(of schedule: Schedule) -> String? {
        var found: String?
        WorldProcess().run([schedule]) { result, _ in
            found = result.failures.first?.invariant
            return false
        }
        return found
    }

    mutating func run() {
        dropFaults()
        _ = takeFirst(fewerTills())
        if schedule.days > 1 { _ = takeFirst([changed { $0.days = 1 }]) }
        if schedule.stores > 1 { _ = takeFirst([changed { $0.stores = 1 }]) }
        if schedule.members != nil { _ = takeFirst([changed { $0.members = nil }]) }
        if schedule.hasCards {
            _ = takeFirst([
                changed { schedule in
                    (schedule.cards, schedule.zvt) = (nil, nil)
                    schedule.faults.removeAll(where: \.kind.isOfMachine)
                }
            ])
        }
        if schedule.people != nil { _ = takeFirst([changed { $0.people = nil }]) }
        if schedule.hasNeighbours {
            _ = takeFirst([
                changed { schedule in
                    schedule.neighbours = nil
                    schedule.faults.removeAll(where: \.kind.isOfNeighbours)
                }
            ])
        }
        while schedule.hours > 1, takeFirst([changed { $0.hours /= 2 }]) {}
        dropFaults()
        while schedule.pause < 600, takeFirst([changed { $0.pause *= 2 }]) {}
        for place in schedule.faults.indices {
            while schedule.faults[place].lasts > 2_000, takeFirst([changed { $0.faults[place].lasts /= 2 }]) {
            }
        }
    }

    /// Half of the faults at once, then a quarter, down to single ones.
    private mutating func dropFaults() {
        var part = max(1, schedule.faults.count / 2)
        while !schedule.faults.isEmpty {
            let starts = stride(from: 0, to: schedule.faults.count, by: part)
            let fewer = starts.map { start in
                changed { $0.faults.removeSubrange(start..<min(start + part, $0.faults.count)) }
            }
            guard !takeFirst(fewer) else {
                part = max(1, min(part, schedule.faults.count / 2))
                continue
            }
            guard part > 1 else { return }
            part /= 2
        }
    }

    /// With one till, with two, and so on: those of the lowest numbers.
    private func fewerTills() -> [Schedule] {
        (1..<max(1, schedule.tills)).map { count in
            changed { schedule in
                schedule.tills = count
                schedule.faults.removeAll { $0.till ?? 0 >= count }
            }
        }
    }

    private func changed(_ change: (inout Schedule) -> Void) -> Schedule {
        var changed = schedule
        change(&changed)
        return changed
    }

    /// Goes on with the first of `candidates` that fails in the same way.
    ///
    /// - Returns: whether one does.
    private mutating func takeFirst(_ candidates: [Schedule]) -> Bool {
        var taken: Schedule?
        WorldProcess().run(candidates) { [invariant] result, candidate in
            if taken == nil, result.failures.contains(where: { $0.invariant == invariant }) {
                taken = candidate
            }
            return taken == nil
        }
        if let taken { schedule = taken }
        return taken != nil
    }
}
