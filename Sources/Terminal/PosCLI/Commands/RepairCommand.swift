internal import AgentAPI
internal import ArgumentParser
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
        Output.line(Self.text(result))
    }

    private func acknowledge() async throws {
        try await options.withAgent { connection in
            try await show(AcknowledgeLossesCall(), on: connection, json: json) { response, text in
                response.acknowledged.map { text("acknowledged: ", "已确认：") + "\($0)" }
                    ?? text("there was nothing to acknowledge", "没有需要确认的内容")
            }
        }
    }

    /// The most lost entries that are listed for a person; `--json` has up to 1,000.
    private static let listed = 50

    private static func text(_ result: RepairResult) -> String {
        guard case .repaired(let report, let epoch, let quarantine) = result else {
            return "the database is whole; nothing was changed"
        }
        var lines = [
            "\(report.entries) entries were brought over, \(report.pending) of them wait to be sent, "
                + "\(report.refused) were refused by the hub"
        ]
        lines += quarantine.map { "kept      \($0)" }
        lines += lost(report)
        lines.append(
            report.identity == "kept"
                ? "The journal goes on under epoch \(epoch); start the agent."
                : "Who this terminal is could not be read; run `pos init --hub URL --enrol CODE` on this data "
                    + "folder, and what was brought over is sent under the new identity.")
        return lines.joined(separator: "\n")
    }

    private static func lost(_ report: RepairReport) -> [String] {
        var lines = report.lost.prefix(listed).map { entry in
            let name = entry.orderNumber ?? entry.id ?? "entry"
            let state = entry.isAtHub ? "the hub has it" : "the hub may not have it"
            return "lost      \(entry.sequence)  \(name): \(entry.reason), \(state)"
        }
        let count = report.lostCount
        if count > lines.count { lines.append("lost      and \(count - Int64(lines.count)) more") }
        if count == 0 { lines.append("lost      nothing that is known of") }
        if !report.isEndKnown {
            lines.append("lost      entries behind the last one cannot be ruled out; compare with the hub")
        }
        return lines
    }
}
