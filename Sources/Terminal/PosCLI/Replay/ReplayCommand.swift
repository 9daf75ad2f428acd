internal import ArgumentParser
internal import Foundation
internal import HubProtocol
internal import OfflineCore
internal import Replay
internal import Agent

/// `pos replay`: reads files only, changes nothing, needs no agent.
struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Runs a recording through the same machines, with these or with other settings.",
        discussion: """
            Without --link the recording is a flight recording; exit code 1 when anything comes out otherwise \
            than it was recorded. With --link it is a link recording, on which the real machine is simulated.
            """)

    @OptionGroup var options: HomeOptions
    @Argument(help: "A flight recording (default: the two of the home, flight.old.log and flight.log).")
    var trace: String?
    @Option(
        help: ArgumentHelp(
            "A link recording (CSV), instead of a flight recording; may be repeated.", valueName: "file"))
    var link: [String] = []
    @Option(
        help: ArgumentHelp("What would have been with this key so; may be repeated.", valueName: "key=value"))
    var set: [String] = []
    @Option(
        help: ArgumentHelp("The same with each of several values, side by side.", valueName: "key=value,…"))
    var sweep: String?
    @Option(help: ArgumentHelp("Writes the comparison as a chart.", valueName: "file"))
    var svg: String?
    @Option(help: "Sales an hour on a link recording, drawn; 0 is an idle till.")
    var salesPerHour: UInt64 = 40
    @Option(help: "Which draw of sales, losses and jitter; the same one gives the same figures.")
    var seed: UInt64 = 1
    @Flag(help: "One JSON object on standard output.") var json = false

    func validate() throws {
        guard salesPerHour <= 3_600 else {
            throw ValidationError("--sales-per-hour must be from 0 to 3600")
        }
        guard trace == nil || link.isEmpty else {
            throw ValidationError("name a flight recording or --link files, not both")
        }
        guard svg == nil || link.count <= 1 else {
            throw ValidationError("--svg draws one recording; name one --link file")
        }
    }

    func run() async throws {
        let wish = try ReplayRequest(set: set, sweep: sweep)
        if link.isEmpty {
            let files = try RecordingFiles(trace: trace, home: options.terminalHome)
            try FlightReplayReport(files: files, wish).show(json: json, svg: svg)
        } else {
            try LinkReplayReport(paths: link, wish, salesPerHour: salesPerHour, seed: seed)
                .show(json: json, svg: svg)
        }
    }
}
