internal import ArgumentParser
internal import Base
internal import Foundation
internal import HubProtocol
internal import HubServer
internal import Pricing

/// `pos-hub shifts`: the day's money of the terminals.
struct ShiftsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "shifts",
        abstract: "Look at the shifts of the terminals and what the hub countersigned.",
        subcommands: [List.self, Show.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List shifts, the newest first.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var page: PageOptions

        @Option(help: "open, provisional, confirmed or disputed. Default: all.")
        var state: String?

        func run() async throws {
            let wanted = try state.map { text in
                guard let state = ShiftSettlement.State(rawValue: text) else {
                    throw CommandFailure.usage(
                        "--state is open, provisional, confirmed or disputed, not \(text)")
                }
                return state
            }
            try await options.showList(
                .listShifts(try page.page(), state: wanted), "shifts", line: ShiftText.line)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show one shift with its sums and the hub's statements.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The shift's id.")
        var id: String

        func run() async throws {
            try await options.show(.backOffice(.showShift(id)), asText: ShiftText.text)
        }
    }
}

private enum ShiftText {
    static func line(_ shift: JSONValue) -> String {
        "\(shift["shiftId"]?.string ?? "")  \(shift["businessDay"]?.string ?? "")  "
            + "\(shift["storeId"]?.string ?? "-")  terminal \(shift["terminalId"]?.string ?? "")  "
            + "\(shift["state"]?.string ?? "")  opened \(shift["openedAt"]?.string ?? "")  "
            + "closed \(shift["closedAt"]?.string ?? "-")"
    }

    static func text(_ shift: JSONValue) -> String {
        let isClosed = (shift["sales"] ?? .null) != .null
        let sums = isClosed ? sums(shift) + [drawer(shift)] : ["  not closed yet"] + soFar(shift)
        return ([line(shift)] + sums + lack(shift) + cardMachine(shift) + settlement(shift) + debts(shift))
            .joined(separator: "\n")
    }

    /// What the hub has of an open one.
    private static func soFar(_ shift: JSONValue) -> [String] {
        guard var soFar = shift[ShiftMember.soFar.rawValue]?.object else { return [] }
        soFar["currency"] = shift["currency"]
        return sums(.object(soFar))
    }

    /// Some say where to look; a page of hundreds says no more.
    private static let mostNamed = 20

    /// What keeps it from being settled.
    private static func lack(_ shift: JSONValue) -> [String] {
        guard let missing = shift[ShiftMember.missing.rawValue]?.array else { return [] }
        let heard = shift[ShiftMember.lastHeard.rawValue]?.string ?? "never"
        let numbers = missing.compactMap(\.integer).map(String.init)
        let named = (numbers.prefix(mostNamed) + (numbers.count > mostNamed ? ["…"] : []))
            .joined(separator: ", ")
        return ["  terminal last heard \(heard)"]
            + (numbers.isEmpty ? [] : ["  missing here: \(numbers.count) entries: \(named)"])
    }

    /// Cards that were taken offline in the shift and refused afterwards.
    private static func debts(_ shift: JSONValue) -> [String] {
        func amount(_ value: JSONValue?) -> String {
            AmountText.money(value?.integer ?? 0, shift["currency"]?.string ?? "")
        }
        let debts = shift["debts"]?.array ?? []
        let rows = debts.map { debt in
            "  debt: \(amount(debt["amount"])) of order \(debt["orderNumber"]?.string ?? "-"), "
                + "\(debt["reason"]?.string ?? "no reason given"), \(debt["state"]?.string ?? ""), "
                + "id \(debt["id"]?.string ?? "")"
        }
        return debts.isEmpty ? [] : rows + ["  debts open: \(amount(shift["debtTotal"]))"]
    }

    private static func sums(_ shift: JSONValue) -> [String] {
        let sums = ShiftSums(shown: shift)
        func amount(_ value: Int64) -> String {
            AmountText.text(value, currency: shift["currency"]?.string ?? "")
        }
        var rows = [("sales", sums.sales), ("refunds", sums.refunds), ("voids", sums.voids)].map {
            "  \($0)  \($1.count)  \(amount($1.total))"
        }
        rows += sums.tenders.map { "  \($0.method)  \($0.count)  \(amount($0.amount))" }
        rows += sums.taxes.map { tax in
            "  tax \(QuantityText.text(milli: tax.taxBasisPoints * 10)) % of \(amount(tax.paid))  \(amount(tax.tax))"
        }
        rows += CashMove.Kind.allCases.map { kind in
            let figure = sums.cashMoves[kind]
            return "  \(Language.english.sharedTexts.name(.cashMove(kind)))  "
                + (kind.hasAmount ? amount(figure) : "\(figure)")
        }
        rows.append("  points earned \(sums.pointsEarned)  spent \(sums.pointsSpent)")
        if sums.uncounted.count > 0 {
            rows.append(
                "  not counted, unreadable or too large: \(sums.uncounted.count) "
                    + "(\(sums.uncounted.ids.joined(separator: ", ")))")
        }
        return rows
    }

    private static func drawer(_ shift: JSONValue) -> String {
        let cash = ShiftClosing.Cash(shown: shift["cash"])
        func amount(_ value: Int64) -> String {
            AmountText.text(value, currency: shift["currency"]?.string ?? "")
        }
        return "  drawer: float \(amount(shift["float"]?.integer ?? 0))  expected \(amount(cash.expected))  "
            + "counted \(amount(cash.counted))  difference \(amount(cash.difference))"
    }

    /// The card machine's own ends of day beside the terminal's sums, and what people decided of it.
    private static func cardMachine(_ shift: JSONValue) -> [String] {
        let said = ShiftCardMachine(shown: shift)
        let days = said.days.map { day in
            func amount(_ value: Int64?) -> String {
                value.map { AmountText.money($0, day.currency) } ?? "no sum"
            }
            return "  card machine's day: machine \(amount(day.machine)), terminal \(amount(day.till))"
                + (day.isDifferent ? ", differs by \(amount(day.difference))" : "")
        }
        let decisions = said.decisions.map { decision in
            "  \(words(of: decision)): "
                + "\(AmountText.money(decision.amount, decision.currency)), "
                + "\(decision.reference ?? decision.reason ?? "no reason given"), "
                + "by \(decision.approverId ?? decision.cashierId ?? "nobody named"), key \(decision.key)"
        }
        return days + decisions
    }

    private static func words(of decision: CardDecision) -> String {
        let isDone = decision.verdict == .charged
        return switch decision.purpose {
        case .charge: "card payment decided as " + (isDone ? "charged" : "not charged")
        case .reversal: "card void decided as " + (isDone ? "done" : "not done")
        case .refund: "card refund decided as " + (isDone ? "done" : "not done")
        }
    }

    private static func settlement(_ shift: JSONValue) -> [String] {
        let statements = (shift["statements"]?.array ?? []).map { json in
            let statement = ShiftStatement(shown: json)
            return "  statement of epoch \(statement.epoch): \(statement.sold) entries, "
                + "\(statement.received) received, gap \(statement.gap), key \(statement.keyId)"
        }
        let differences = (shift["differences"]?.array ?? []).map { json in
            let difference = ShiftSettlement.Difference(shown: json)
            let figure = ShiftFigure(difference.figure)
            func value(_ number: Int64) -> String {
                figure.isAmount
                    ? AmountText.text(number, currency: shift["currency"]?.string ?? "") : "\(number)"
            }
            let name = "  differs: \(Language.english.sharedTexts.name(figure))"
            return figure == .head
                ? name : name + ", terminal \(value(difference.terminal)), hub \(value(difference.hub))"
        }
        return statements + differences
    }
}

/// `pos-hub statement`: what the hub countersigned.
struct StatementCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statement", abstract: "Check statements of shifts.", subcommands: [Verify.self])

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that a hub's key signed a statement.",
            discussion:
                "FILE is a statement, or the document of a shift; of that every statement is checked, and that it is "
                + "the shift's. By the keys of this hub's store, or by those of --public-keys, which is what `pos-hub key list --json` writes: so anybody can "
                + "check it, without the hub. It ends with 1 where none of them signed it.")

        @OptionGroup var options: StoreOptions

        @Argument(help: "The file.")
        var file: String

        @Option(help: "A file with the hub's public keys. Default: those of the store.")
        var publicKeys: String?

        func run() async throws {
            let document = try Self.json(file, "a statement")
            let ring: JSONValue
            if let publicKeys {
                ring = try Self.json(publicKeys, "keys")
            } else {
                ring = try await options.perform(.listKeys)
            }
            let proof: ShiftProof
            do throws(ShapeError) {
                proof = try ShiftProof(json: document)
            } catch {
                throw CommandFailure.invalid("\(file) has no statement of a hub: \(error)")
            }
            let known = (ring["keys"]?.array ?? []).compactMap { try? HubPublicKey(json: $0) }
            guard let signers = proof.signers(among: known), let signer = signers.last else {
                let unsigned = proof.statements.first { $0.signer(among: known) == nil } ?? proof.last
                throw CommandFailure.invalid(
                    "none of the \(known.count) keys signed the statement of epoch \(unsigned.epoch) in "
                        + "\(file); it names the key \(unsigned.keyId)")
            }
            var response: JSONObject = [
                "valid": true, "keyId": .string(signer.id), "statement": proof.last.json,
            ]
            if signers.count > 1 { response["statements"] = .array(proof.statements.map(\.json)) }
            try options.show(.object(response)) { _ in
                zip(signers, proof.statements).map { signer, statement in
                    "signed by the key \(signer.id): shift \(statement.shiftId), \(statement.sold) entries, "
                        + "\(statement.received) received, gap \(statement.gap)"
                }.joined(separator: "\n") + "\n" + ShiftProof.extent
            }
        }

        private static func json(_ path: String, _ what: String) throws -> JSONValue {
            guard let data = FileManager.default.contents(atPath: path),
                let json = try? JSONParser.parse(Array(data))
            else { throw CommandFailure.usage("\(path) cannot be read as \(what)") }
            return json
        }
    }
}
