internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub terminals`: which tills there are, and taking one's access back.
struct TerminalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "terminals", abstract: "Manage enrolled terminals.",
        subcommands: [List.self, Show.self, Revoke.self, AcceptRelayed.self, Confirm.self, Link.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show every terminal.")

        @OptionGroup var options: StoreOptions

        func run() async throws {
            try await options.show(.listTerminals) { response in
                (response["terminals"]?.array ?? []).map(TerminalsCommand.summary).joined(separator: "\n")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a terminal, and what other terminals handed in of its journal.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The terminal's id.")
        var id: String

        func run() async throws {
            try await options.show(.showTerminal(id: id)) { terminal in
                let relayed = (terminal["relayed"]?.array ?? []).map(TerminalsCommand.relayed)
                return ([TerminalsCommand.summary(terminal)] + relayed).joined(separator: "\n")
            }
        }
    }

    struct AcceptRelayed: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "accept-relayed",
            abstract: "Accept what other terminals handed in of a terminal, and what waits for you.",
            discussion:
                "Entries of a revoked or unconfirmed terminal wait, and those that conflict with others. See "
                + "`terminals show` first: a copy of a till's disk may have made them."
        )

        @OptionGroup var options: StoreOptions

        @Option(help: "Why they are accepted, 1 to 500 characters; the operators' log shows it.")
        var reason: String

        @Argument(help: "The terminal's id.")
        var id: String

        /// A piece that waits on, on a line of its own.
        private static func line(_ refused: JSONValue) -> String {
            let (first, last) = (refused["first"]?.integer ?? 0, refused["last"]?.integer ?? 0)
            return "\n\(first) to \(last) of epoch \(refused["epoch"]?.integer ?? 0) wait on: "
                + (refused["detail"]?.string ?? "").printable
        }

        func run() async throws {
            try await options.show(.acceptRelayed(id: id, reason: reason)) { response in
                "\(response["pieces"]?.integer ?? 0) pieces, \(response["applied"]?.integer ?? 0) new entries; "
                    + "missing: \((response["missing"]?.array ?? []).count)"
                    + (response["refused"]?.array ?? []).map(Self.line).joined()
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a terminal's access. Its unsent sales stay in its outbox.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The terminal's id.")
        var id: String

        func run() async throws {
            try await options.show(.revokeTerminal(id: id), asText: TerminalsCommand.summary)
        }
    }

    struct Confirm: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Confirm a terminal that is ahead of a restored hub.",
            discussion: "Until then it sells and its sales are accepted; it gets products and its own notes.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The terminal's id.")
        var id: String

        func run() async throws {
            try await options.show(.confirmTerminal(id: id), asText: TerminalsCommand.summary)
        }
    }

    struct Link: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say that a till that lost its key is one device with the terminal that it was before.",
            discussion:
                "Both belong to one store, and the earlier one is revoked. Then its entries, orders, cards and "
                + "lost journal count as those of the same till."
        )

        @OptionGroup var options: StoreOptions

        @Option(help: "The id of the terminal that the till was before.")
        var earlier: String

        @Argument(help: "The terminal's id.")
        var id: String

        func run() async throws {
            try await options.show(.linkTerminal(id: id, earlier: earlier), asText: TerminalsCommand.summary)
        }
    }

    private static func summary(_ terminal: JSONValue) -> String {
        let revoked =
            terminal["revokedAt"]?.string.map { "revoked \($0)" }
            ?? terminal["unconfirmedSince"]?.string.map { "unconfirmed since \($0)" } ?? "welcome"
        return "\(terminal["terminalId"]?.string ?? "")  \(terminal["storeId"]?.string ?? "")-"
            + "\(terminal["terminalNumber"]?.integer ?? 0)  \((terminal["name"]?.string ?? "").printable)  \(revoked)"
            + health(terminal)
    }

    private static func relayed(_ piece: JSONValue) -> String {
        let place = ["epoch", "first", "last"].map { String(piece[$0]?.integer ?? 0) }
        return "    epoch \(place[0]): \(place[1]) to \(place[2]), by \(piece["by"]?.string ?? ""), "
            + "\(piece["at"]?.string ?? "")" + (piece["held"]?.string.map { "  held: \($0)" } ?? "")
    }

    /// Its telemetry; empty for a terminal that never sent any.
    private static func health(_ terminal: JSONValue) -> String {
        guard let seen = terminal["lastSeenAt"]?.string else { return "" }
        guard terminal["outbox"] != nil else { return "\n    seen \(seen)" }
        let report = TelemetryReport(lenient: terminal)
        let age = report.oldestAgeMilliseconds.map { ", the oldest \($0 / 1000) s old" } ?? ""
        return "\n    \(terminal["appVersion"]?.string ?? "-")  seen \(seen)  "
            + "\(report.pending) pending\(age), \(report.rejected) rejected, \(report.conflicted) in conflict  "
            + "success \(percent(terminal["sync"]?["successRate"]))  "
            + "conflicts \(percent(terminal["conflictRate"]))"
    }

    private static func percent(_ rate: JSONValue?) -> String {
        switch rate {
        case .integer(let whole)?: return "\(whole * 100) %"
        case .double(let fraction)?:
            let perMille = Int((fraction * 1000).rounded())
            return "\(perMille / 10).\(perMille % 10) %"
        case _: return "-"
        }
    }
}
