internal import AgentAPI
internal import ArgumentParser
internal import Agent
internal import Foundation
internal import HubProtocol

/// `pos shift open|cash|no-sale|report|close|list|show|verify`: the day's money.
struct ShiftCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shift",
        abstract: "The day's money: float, cash movements, counting, the hub's statement.",
        subcommands: [
            Open.self, Cash.self, NoSale.self, Report.self, Close.self, List.self, Show.self, Verify.self,
        ],
        defaultSubcommand: Report.self)

    struct Open: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Opens a shift with the cash that is in the drawer.")

        @OptionGroup var options: HomeOptions
        @Option(help: "The cash in the drawer, in minor units.") var float: Int64
        @OptionGroup var person: PersonOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let call = OpenShiftCall(float: float, person: try person.person())
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json) { shift, text in
                    let float = MoneyAmount(shift.float, shift.currency).text
                    return text.shiftOpened(shift.shiftId, float: float)
                }
            }
        }
    }

    struct Cash: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Puts cash into the drawer, takes it out, or takes it to the safe (drop).")

        /// The word of the command line.
        enum Direction: String, ExpressibleByArgument, CaseIterable {
            case `in`
            case out
            case drop
        }

        @OptionGroup var options: HomeOptions
        @Argument(help: "in, out or drop.") var direction: Direction
        @Argument(help: "The amount in minor units.") var amount: Int64
        @Option(help: "Why; it goes to the hub.") var reason: String
        @Option(help: "A ULID; the same one again moves nothing more.") var key: String?
        @Flag(help: "Takes out more than the drawer should have.") var confirmed = false
        @OptionGroup var person: PersonOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let kind: CashMove.Kind =
                switch direction {
                case .in: .in
                case .out: .out
                case .drop: .drop
                }
            var call = MoveCashCall(
                kind, amount: amount, reason: reason, key: key, person: try person.person())
            call.isConfirmed = confirmed
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json, render: ShiftText.move)
            }
        }
    }

    struct NoSale: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "no-sale", abstract: "Opens the drawer without a sale, and records it.")

        @OptionGroup var options: HomeOptions
        @Option(help: "Why; it goes to the hub.") var reason: String
        @OptionGroup var person: PersonOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            let call = MoveCashCall(.noSale, amount: 0, reason: reason, person: try person.person())
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json, render: ShiftText.move)
            }
        }
    }

    struct Report: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "What the open shift comes to so far (X); changes nothing.")

        @OptionGroup var options: HomeOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(
                    ShowShiftCall(id: nil), on: connection, json: json, render: ShiftText.report)
            }
        }
    }

    struct Close: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Closes the shift with what was counted (Z).",
            discussion: """
                The hub compares the report with its copy of the journal once it has every entry, and countersigns \
                it: the shift is confirmed, or disputed with the difference. Until then it is provisional.
                """)

        @OptionGroup var options: HomeOptions
        @Option(help: "The cash that was counted, in minor units.") var counted: Int64
        @Option(
            name: .customLong("by"),
            help: "What was counted of another tender, TENDER:AMOUNT in minor units. May be repeated.")
        var others: [String] = []
        @Flag(help: "It was counted again: closes with a difference above shift.toleratedDifference.")
        var confirmed = false
        @OptionGroup var person: PersonOptions
        @Flag(help: "One JSON object on standard output.") var json = false

        func validate() throws { _ = try Self.others(others) }

        static func others(_ texts: [String]) throws -> [ShiftClosing.Counted] {
            try texts.map { text in
                let parts = text.split(separator: ":", omittingEmptySubsequences: false)
                guard parts.count == 2, !parts[0].isEmpty, let amount = Int64(parts[1]) else {
                    throw ValidationError(.form(of: "--by", "TENDER:2000", not: text))
                }
                return ShiftClosing.Counted(method: String(parts[0]), amount: amount)
            }
        }

        func run() async throws {
            var call = CloseShiftCall(
                counted: counted, others: try Self.others(others), person: try person.person())
            if confirmed { call.isConfirmed = true }
            try await options.withAgent { connection in
                try await show(call, on: connection, json: json, render: ShiftText.report)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "The newest shifts; changes nothing.")

        @OptionGroup var options: HomeOptions
        @Option(help: "How many, newest first.") var limit = ShiftListCall.defaultLimit
        @Flag(help: "One JSON object on standard output.") var json = false

        func validate() throws {
            guard (1...1_000_000).contains(limit) else {
                throw ValidationError(.form(of: "--limit", "1 … 1000000", not: "\(limit)"))
            }
        }

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(
                    ShiftListCall(limit: limit), on: connection, json: json, render: ShiftText.list)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "One shift with its report and the hub's statement; changes nothing.")

        @OptionGroup var options: HomeOptions
        @Argument(help: "The shift's id.") var id: String
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            try await options.withAgent(reading: true) { connection in
                try await show(ShowShiftCall(id: id), on: connection, json: json, render: ShiftText.report)
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks the hub's signature of a statement by the keys that this terminal pinned.",
            discussion: """
                FILE is a statement, or the document of `pos shift show --json`; of that every statement is checked, \
                and that it is the shift's. It works offline and ends with 1 where no hub of this terminal signed it.
                """)

        @OptionGroup var options: HomeOptions
        @Argument(help: "The file.") var file: String
        @Flag(help: "One JSON object on standard output.") var json = false

        func run() async throws {
            guard let bytes = FileManager.default.contents(atPath: file) else {
                throw TerminalError(.usage, code: "file_not_readable") { $0.fileUnreadable(file) }
            }
            guard let document = try? JSONParser.parse([UInt8](bytes)) else {
                throw TerminalError(.refused, code: "statement_invalid") { $0.noJSON(file) }
            }
            let call = VerifyStatementCall(document)
            try await options.withAgent(reading: true) { connection in
                try await show(call, on: connection, json: json, render: ShiftText.verified)
            }
        }
    }
}

private enum ShiftText {
    static func report(_ shift: ShiftRecord, _ text: any PosTexts) -> String {
        shift.report ?? shift.shiftId
    }

    static func list(_ response: ShiftListCall.Response, _ text: any PosTexts) -> String {
        let rows = response.shifts.map { shift in
            let debts = MoneyAmount(shift.debtTotal, shift.currency)
            let parts: [String?] = [
                shift.shiftId, shift.businessDay, text.word(shift.state.rawValue),
                text.opened(shift.openedAt), shift.closedAt.map(text.closed),
                shift.difference.map { text.difference(MoneyAmount($0, shift.currency).text) },
                shift.debtTotal == 0 ? nil : text.debts(debts.text),
            ]
            return parts.compactMap(\.self).joined(separator: "  ")
        }
        return rows.isEmpty ? text.noShifts : rows.joined(separator: "\n")
    }

    static func move(_ move: MoveCashCall.Response, _ text: any PosTexts) -> String {
        let money = move.amount.text
        return switch move.kind {
        case .in: text.paidIn(money)
        case .out: text.paidOut(money)
        case .drop: text.toSafe(money)
        case .noSale: text.drawerOpened
        }
    }

    static func verified(_ response: VerifyStatementCall.Response, _ text: any PosTexts) -> String {
        response.statements.map { statement in
            text.verified(statement)
        }.joined(separator: "\n") + "\n" + ShiftProof.extent
    }
}
