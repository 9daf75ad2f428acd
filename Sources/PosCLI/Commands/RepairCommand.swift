internal import ArgumentParser
internal import HubProtocol
internal import Terminal

/// `pos repair`: what can be read of a damaged database goes into a fresh one.
struct RepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Brings what can be read of a damaged database into a fresh one; the old one is kept.",
        discussion:
            "End the agent first. The damaged files go to <home>/quarantine. Entries keep their ids, so nothing "
            + "is sold or sent twice; what cannot be read is listed.")

    @OptionGroup var options: HomeOptions
    @Flag(help: "One JSON object on standard output.") var json = false

    func run() async throws {
        let answer = try await options.launch.repair()
        if json { return Output.document(answer) }
        Output.line(Self.words(answer))
    }

    /// The most lost entries that are listed for a person; `--json` has up to 1,000.
    private static let listed = 50

    private static func words(_ answer: JSONValue) -> String {
        guard answer["repaired"] == true else { return "the database is whole; nothing was changed" }
        var lines = [
            "\(answer["entries"]?.integer ?? 0) entries were brought over, "
                + "\(answer["pending"]?.integer ?? 0) of them wait to be sent, "
                + "\(answer["refused"]?.integer ?? 0) were refused by the hub"
        ]
        for path in (answer["quarantine"]?.array ?? []).compactMap(\.string) {
            lines.append("kept      \(path)")
        }
        lines += lost(answer)
        lines.append(
            answer["identity"] == "kept"
                ? "The journal goes on under epoch \(answer["epoch"]?.integer ?? 0); start the agent."
                : "Who this terminal is could not be read; run `pos init --hub URL --enrol CODE` on this data "
                    + "folder, and what was brought over is sent under the new identity.")
        return lines.joined(separator: "\n")
    }

    private static func lost(_ answer: JSONValue) -> [String] {
        let rows = answer["lost"]?.array ?? []
        let count = answer["lostCount"]?.integer ?? 0
        var lines = rows.prefix(listed).map { row in
            let name = row["orderNumber"]?.string ?? row["id"]?.string ?? "entry"
            let state = row["state"] == "acknowledged" ? "the hub has it" : "the hub may not have it"
            return
                "lost      \(row["sequence"]?.integer ?? 0)  \(name): \(row["reason"]?.string ?? "-"), \(state)"
        }
        if count > lines.count { lines.append("lost      and \(count - Int64(lines.count)) more") }
        if count == 0 { lines.append("lost      nothing that is known of") }
        if answer["isEndKnown"] == false {
            lines.append("lost      entries behind the last one cannot be ruled out; compare with the hub")
        }
        return lines
    }
}
