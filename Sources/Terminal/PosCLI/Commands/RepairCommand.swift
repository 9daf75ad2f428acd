internal import AgentAPI
internal import ArgumentParser
internal import Base
internal import Agent

/// `pos repair`: what can be read of a damaged database goes into a fresh one.
struct RepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Copies what can be read of a damaged database into a new one; the old one is kept.",
        discussion:
            "End the agent first. The damaged files go to <home>/quarantine. Entries keep their ids, so nothing "
            + "is sold or sent twice; what cannot be read is listed. Status, banner and `pos doctor` name what was "
            + "lost until `pos repair --seen`.")

    @OptionGroup var options: HomeOptions
    @Flag(help: "Repairs nothing: the receipts of what was lost were compared with the hub.")
    var seen = false
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        guard !seen else { return try await acknowledge() }
        let result = try await options.launch.repair()
        if json { return Output.document(result.json) }
        Output.line(Self.text(result, Output.words))
    }

    private func acknowledge() async throws {
        try await options.withAgent { connection in
            try await show(AcknowledgeLossesCall(), on: connection, json: json) { response, text in
                (response.texts?[text.language.rawValue] ?? response.acknowledged).map(text.acknowledged)
                    ?? text.nothingToAcknowledge
            }
        }
    }

    /// The most lost entries that are listed for a person; `--json` has up to 1,000.
    private static let listed = 50

    static func text(_ result: RepairResult, _ text: any PosTexts) -> String {
        guard case .repaired(let report, let epoch, let quarantine) = result else {
            return text.databaseWhole
        }
        let lines = [text.broughtOver(report)] + quarantine.map(text.kept) + lost(report, text)
        let next = report.identity == "kept" ? text.goesOn(epoch: epoch) : text.identityLost
        return (lines + [next]).joined(separator: "\n")
    }

    private static func lost(_ report: RepairReport, _ text: any PosTexts) -> [String] {
        var lines = report.lost.prefix(listed).map(text.lost)
        let more = report.lostCount - Int64(lines.count)
        if more > 0 { lines.append(text.lostMore(more)) }
        if report.lostCount == 0 { lines.append(text.lostNothing) }
        if !report.isEndKnown { lines.append(text.lostEndUnknown) }
        return lines
    }
}
