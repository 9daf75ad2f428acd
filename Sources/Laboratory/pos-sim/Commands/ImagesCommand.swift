import ArgumentParser
import Base
import Foundation

/// Makes images of what power cuts could leave of databases; exit 1 if one of them has a fault.
struct ImagesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "images",
        abstract: "Makes what a power cut could leave at each write of a till or the hub, and opens it; "
            + "exit 1 if one has a fault.")

    @Option(help: ArgumentHelp("How many images at least.", valueName: "N"))
    var count = 10_000
    @Option(help: ArgumentHelp("How many images of one world at most.", valueName: "N"))
    var each = 5_000
    @Option(help: ArgumentHelp("The seed of the first world.", valueName: "SEED"))
    var from: UInt64 = 1
    @Option(help: ArgumentHelp("A known bug that is planted in the worlds.", valueName: "NAME"))
    var plant: String?
    @Flag(help: "Prints a JSON document.")
    var json = false

    func validate() throws {
        guard count > 0, each > 0 else { throw ValidationError("--count and --each must be 1 or more.") }
    }

    private struct Document: Encodable {
        var images = 0
        var worlds = 0
        var seconds = 0.0
        var failures: [Report.Failure] = []
    }

    func run() throws {
        var document = Document()
        let begin = ContinuousClock.now
        let schedules = (from...).lazy.map { Schedule(imagesOf: $0, each: each, plant: plant) }
        WorldProcess().run(schedules) { result, _ in
            document.images += result.images
            document.worlds += 1
            document.failures += result.failures.map {
                .init(seed: result.seed, invariant: $0.invariant, at: $0.at, detail: $0.detail)
            }
            return document.images < count && document.failures.isEmpty && document.worlds < 10_000
        }
        document.seconds = Double((ContinuousClock.now - begin).components.seconds)
        if json {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            print(String(decoding: try encoder.encode(document), as: UTF8.self))
        } else {
            for failure in document.failures {
                print("seed \(failure.seed): \(failure.invariant): \(failure.detail)")
            }
            print("\(document.images) images of \(document.worlds) worlds in \(Int(document.seconds)) s")
        }
        guard document.failures.isEmpty else { throw ExitCode(1) }
    }
}

extension Schedule {
    /// A small world for images of power cuts: what ends processes and cuts the line, and nothing that takes
    /// away what a till or the hub had.
    fileprivate init(imagesOf seed: UInt64, each: Int, plant: String?) {
        self.init(seed: seed, days: 1)
        (tills, stores, hours, neighbours, images) = (1, 1, 1, nil, each)
        pause = min(pause, 60)
        self.plant = plant
        let kept: Set<FaultKind> = [
            .silence, .refusal, .unplugged, .loss, .lostResponse, .duplicate, .hubKill, .tillKill,
            .tillRestart, .priceChange,
        ]
        faults.removeAll { !kept.contains($0.kind) || $0.till ?? 0 >= tills || $0.at > 3_600_000 }
    }
}
