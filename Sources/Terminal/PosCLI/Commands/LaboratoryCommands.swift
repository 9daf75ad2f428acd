internal import Agent
package import ArgumentParser
internal import Foundation
internal import Glibc

/// `pos demo`: the whole story on loopback in under a minute; exit 1 if any of it did not happen.
struct DemoCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo", abstract: "Sales, an outage and the recovery on loopback in under a minute.")

    @OptionGroup var options: DemoOptions

    func run() throws { try LaboratoryProgram.run("demo") }
}

/// The options of the demo. `pos` checks them, `pos-lab` reads them again.
package struct DemoOptions: ParsableArguments {
    /// Whether it stops before each chapter and at each screen, for somebody who watches.
    @Flag(help: "Stops before each chapter and at each screen, to watch.") package var slow = false

    package init() {}
}

/// `pos replay`: reads files only, changes nothing, needs no agent.
struct ReplayCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Runs a recording through the same machines, with these or with other settings.",
        discussion: """
            Without --link the recording is a flight recording; exit code 1 when anything comes out otherwise \
            than it was recorded. With --link it is a link recording, on which the real machine is simulated.
            """)

    @OptionGroup var options: ReplayOptions

    func run() throws { try LaboratoryProgram.run("replay") }
}

/// The options of a replay. `pos` checks them, `pos-lab` reads them again.
package struct ReplayOptions: ParsableArguments {
    /// Where the terminal's own recording is.
    @OptionGroup package var home: HomeOptions
    /// A flight recording; nil for the two files of the home.
    @Argument(help: "An event recording. Default: flight.old.log and flight.log of the data folder.")
    package var trace: String?
    /// Link recordings; none for a flight recording.
    @Option(
        help: ArgumentHelp(
            "A link recording (CSV), instead of a flight recording; may be repeated.", valueName: "file"))
    package var link: [String] = []
    /// Changes of settings, each `KEY=VALUE`.
    @Option(
        help: ArgumentHelp("What would have been with this key so; may be repeated.", valueName: "key=value"))
    package var set: [String] = []
    /// Values to compare, `KEY=VALUE,VALUE,…`.
    @Option(
        help: ArgumentHelp("The same with each of several values, side by side.", valueName: "key=value,…"))
    package var sweep: String?
    /// Where the chart is written.
    @Option(help: ArgumentHelp("Writes the comparison as a chart.", valueName: "file"))
    package var svg: String?
    /// Random sales an hour on a link recording, 0 to 3600.
    @Option(help: "Random sales for each hour of a link recording; 0 is an idle terminal.")
    package var salesPerHour: UInt64 = 40
    /// The seed of sales, losses and jitter.
    @Option(help: "The seed of sales, losses and jitter; the same seed gives the same figures.")
    package var seed: UInt64 = 1
    /// Whether the report is a document for programs.
    @Flag(help: "One JSON object on standard output.") package var json = false

    package init() {}

    /// Refuses options that exclude each other.
    package func validate() throws {
        guard salesPerHour <= 3_600 else {
            throw ValidationError(.form(of: "--sales-per-hour", "0 … 3600", not: "\(salesPerHour)"))
        }
        guard trace == nil || link.isEmpty else {
            throw ValidationError(.excludes("TRACE", ["--link"]))
        }
        guard svg == nil || link.count <= 1 else {
            throw ValidationError(.form(of: "--svg", "--link FILE", not: "\(link.count) x --link"))
        }
    }
}

/// The program `pos-lab`, found beside this one. It holds what a terminal does not need to sell: the demo
/// with its faults, simulated links and charts.
private enum LaboratoryProgram {
    private static let name = "pos-lab"

    /// Goes on as `pos-lab` with this program's own arguments, so output and exit code are those of
    /// `pos-lab`.
    ///
    /// - Throws: kind `unusable` when it cannot be started.
    static func run(_ command: String) throws(TerminalError) -> Never {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let path = (own as NSString).deletingLastPathComponent + "/" + name
        let arguments = [path] + CommandLine.arguments.dropFirst()
        var pointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        // Returns only when it failed; the process is the same, so signals and terminals reach it as before.
        execv(path, &pointers)
        let reason = String(cString: strerror(errno))
        for pointer in pointers { free(pointer) }
        throw TerminalError(.unusable, code: "program_missing") {
            $0.programMissing(name, for: command, at: path, reason)
        }
    }
}
