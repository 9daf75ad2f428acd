internal import ArgumentParser
internal import Glibc

/// `pos-bench`: runs the measures and prints a table. A missed aim is no failure; what could not be measured
/// is.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pos-bench",
        abstract: "Measure the programs, each figure beside a yardstick of the same run.",
        discussion: "Exit code 0 whatever the figures are, 1 when something could not be measured.")

    @Option(help: "Run one measure alone: \(MeasureName.all).")
    var only: MeasureName?

    @Option(help: "Folder for the databases of the run, on a real disk. Default: beside the programs.")
    var folder: String?

    @Option(help: "How long the idle programs are watched, in seconds.")
    var idleSeconds = 90

    @Option(
        help: "Repeats the random links, losses and jitter of an earlier run. Default: random, and printed.")
    var seed: UInt64?

    @Option(help: "How often the real agents of agent-detection are cut off; a round takes about 80 s.")
    var rounds = 2

    @Option(help: ArgumentHelp("Where the chart of detectors is drawn.", valueName: "file"))
    var svg: String?

    @Option(
        help: ArgumentHelp(
            "A folder of link recordings (*.csv, *.csv.gz) that detectors are compared on as well.",
            valueName: "folder"))
    var recordings: String?

    @Flag(help: .private)
    var doNothing = false

    func validate() throws {
        guard (5...3_600).contains(idleSeconds) else {
            throw ValidationError("--idle-seconds must be from 5 to 3600")
        }
        guard (1...100).contains(rounds) else { throw ValidationError("--rounds must be from 1 to 100") }
    }

    func run() throws {
        if doNothing { IdleProgram.run() }
        // A program that went away must end one measure, not all.
        signal(SIGPIPE, SIG_IGN)
        let workshop = try Workshop(parent: folder)
        defer { workshop.remove() }
        var isComplete = true
        let options = BenchOptions(
            idleSeconds: idleSeconds, seed: seed ?? .random(in: 0..<1 << 32), rounds: rounds, svg: svg,
            recordings: recordings)
        show("seed \(options.seed); --seed \(options.seed) draws the same again")
        show(Row.heading)
        for name in only.map({ [$0] }) ?? MeasureName.allCases {
            // What a build or the measure before left to be written would slow every commit down.
            sync()
            do throws(BenchFailure) {
                try name.measure(options).run(in: workshop, show: show)
            } catch .notHere(let reason) {
                show("\(name.rawValue): left out: \(reason)")
            } catch {
                isComplete = false
                show("\(name.rawValue): could not be measured: \(error)")
            }
        }
        if !isComplete { throw ExitCode(1) }
    }

    /// At once, also into a file: a run takes minutes.
    private func show(_ line: String) {
        print(line)
        fflush(nil)
    }
}
