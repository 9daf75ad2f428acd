internal import Agent
internal import ArgumentParser
internal import PosCLI

/// What `pos demo` and `pos replay` run, with the same arguments. A terminal sells without this program.
struct LabCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pos-lab",
        abstract: "The demo and replays of `pos`, a card machine to try it with, and leases on recorded sales.",
        version: "pos-lab \(TerminalVersion.current)",
        subcommands: [DemoCommand.self, ReplayCommand.self, CardMachineCommand.self, LeasesCommand.self])
}

/// Plays the demo; exit 1 if any of it did not happen.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Sales, an outage and the recovery on loopback in under a minute.")

    @OptionGroup var options: DemoOptions

    func run() async throws {
        let timeline = DemoTimeline(isSlow: options.slow)
        let stage = try DemoStage()
        do {
            try await DemoStory(stage: stage, timeline: timeline).play()
        } catch {
            await stage.strike()
            throw error
        }
        await stage.strike()
        guard timeline.failures.isEmpty else {
            throw TerminalError(
                .refused, code: "demo_failed",
                text: { _ in
                    "\(timeline.failures.count) of the demo did not happen: \(timeline.failures.joined(separator: "; "))"
                })
        }
    }
}

/// Replays recordings and compares settings on them.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Runs a recording through the same machines, with these or with other settings.")

    @OptionGroup var options: ReplayOptions

    func run() async throws {
        let request = try ReplayRequest(set: options.set, sweep: options.sweep)
        if options.link.isEmpty {
            let files = try RecordingFiles(trace: options.trace, home: options.home.terminalHome)
            try ReplayReport(files: files, request).show(json: options.json, svg: options.svg)
        } else {
            try LinkReplayReport(
                paths: options.link, request, salesPerHour: options.salesPerHour, seed: options.seed
            ).show(json: options.json, svg: options.svg)
        }
    }
}
