internal import ArgumentParser
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubServer

/// `pos-hub archive`: closed days out of the store into a file, and what such files hold.
struct ArchiveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "archive", abstract: "Move closed days out of the store into a file.",
        subcommands: [Make.self, List.self, Verify.self, Show.self], defaultSubcommand: Make.self)

    struct Make: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Move the days before a day into a new file, beside a running hub. The default.",
            discussion:
                "Days go that are older than 180 days, with their shifts confirmed and nothing open; what keeps "
                + "a day is listed. Sums, order numbers and what refunds need stay in the store. A command that "
                + "was ended goes on when it is given again. The file is its owner's alone (0600).")

        @OptionGroup var options: StoreOptions

        @Option(help: "The first day that stays, YYYY-MM-DD.")
        var before: String

        @Option(help: "The file; it must not be there yet.")
        var output: String

        func run() async throws {
            let file = URL(fileURLWithPath: output).path
            let response = try await HubAccess(configuration: options.configuration()).withService {
                service in
                try await ArchiveRun(service: service, before: before, file: file).perform()
            }
            try options.show(response) { Self.text($0) }
            guard response["archive"] != nil else {
                throw CommandFailure.refused("no day goes; nothing was changed")
            }
        }

        private static func text(_ response: JSONValue) -> String {
            let kept = (response["kept"]?.array ?? []).compactMap { $0["text"]?.string }
            var lines =
                kept.isEmpty ? [] : ["What keeps days, and with them those behind:"] + kept.map { "  " + $0 }
            if let archive = response["archive"] {
                lines += [
                    ArchiveCommand.line(archive),
                    "Keep two copies of the file; name a new one for further days.",
                ]
            } else if kept.isEmpty {
                lines.append(
                    "There is nothing before \(response["before"]?.string ?? "that day") to archive.")
            }
            return lines.joined(separator: "\n")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the archives of this hub.")

        @OptionGroup var options: StoreOptions

        func run() async throws {
            try await options.show(.archive(.list)) { response in
                let archives = response["archives"]?.array ?? []
                return archives.isEmpty
                    ? "none" : archives.map(ArchiveCommand.line).joined(separator: "\n")
            }
        }
    }

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check a file by itself: every line, every hash, the sums of each day and all counts.",
            discussion: "Needs no hub. The hash is that of `pos-hub archive list`. Exit code 1: it is broken."
        )

        @Flag(help: "Print one JSON object and nothing else on standard output.")
        var json = false

        @Argument(help: "What `pos-hub archive` wrote.")
        var file: String

        func run() async throws {
            let read = try await ArchiveCommand.reading(file)
            let (header, counts) = (read.header ?? ArchiveHeader(), read.counts)
            if json {
                return Output.document([
                    "intact": true, "hash": .string(read.hash), "archive": header.json,
                    "counts": counts.json,
                ])
            }
            Output.line(
                "intact: \(counts.entries) entries and \(counts.documents) documents before \(header.before), "
                    + "archive \(header.number), \(read.hash)")
            if counts.breaks > 0 {
                Output.note(
                    "at \(counts.breaks) places the chain of a terminal's journal was broken before it was archived"
                )
            }
        }
    }

    /// Reads a file with all checks.
    fileprivate static func reading(
        _ file: String, _ body: (ArchiveLine) throws -> Void = { _ in }
    ) async throws -> ArchiveReader {
        do {
            return try await ArchiveFile.read(file) { try body($0) }
        } catch let damage as ArchiveDamage {
            throw CommandFailure(damage, in: file)
        }
    }

    private static func line(_ json: JSONValue) -> String {
        let archive = ListRow<ArchiveMember>(json)
        return
            "archive \(archive.number(.id))  days before \(archive.text(.before))  \(archive.text(.state))  "
            + "\(archive.number(.entries)) entries  \(archive.number(.documents)) documents  "
            + "\(archive.text(.file))  \(archive.text(.hash))"
    }
}

extension ArchiveCommand {
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read an order, or the documents of a day or all of them, out of a file.",
            discussion:
                "An order as `pos-hub orders show` has it, documents as `pos-hub journal export` writes them; "
                + "without any of it the sums of each day. Nothing is shown of a file that is broken.")

        @Option(help: "The order's number or id, or the id of its mutation.")
        var order: String?

        @Option(help: "A business day, YYYY-MM-DD.")
        var day: String?

        @Flag(help: "All documents in the order of the journal feed, for a back office that lacks them.")
        var documents = false

        @Flag(help: "Print one JSON object and nothing else on standard output.")
        var json = false

        @Argument(help: "What `pos-hub archive` wrote.")
        var file: String

        func run() async throws {
            guard [order != nil, day != nil, documents].count(where: { $0 }) <= 1 else {
                throw CommandFailure.usage("name one of --order, --day and --documents")
            }
            if let day, SaleEntry.day(day) == nil {
                throw CommandFailure.usage("--day is a day, YYYY-MM-DD, not \"\(day)\"")
            }
            if let order { return try await show(order: order) }
            if day != nil || documents { return try await showDocuments() }
            try await showDays()
        }

        private func show(order: String) async throws {
            var found: [ArchivedOrder] = []
            _ = try await ArchiveCommand.reading(file) { line in
                guard case .document(_, let text) = line else { return }
                let document = JournalDocument.shown(text)
                if ArchivedOrder.isNamed(order, document.common) {
                    found.append(ArchivedOrder(document.common, document.content))
                }
                for index in found.indices { found[index].add(document.common, document.content) }
            }
            guard let first = found.first else {
                throw CommandFailure.refused("\(file) has no order with the id, number or mutation \(order)")
            }
            let shown = first.json(in: file)
            if json { return Output.document(shown) }
            Output.line(OrdersCommand.Show.text(shown).printableLines)
        }

        /// Those of a day, or all. The file is read twice, since a broken one shows nothing and a large one
        /// does not fit into memory.
        private func showDocuments() async throws {
            _ = try await ArchiveCommand.reading(file)
            var shown: [JSONValue] = []
            _ = try await ArchiveCommand.reading(file) { line in
                guard case .document(_, let text) = line else { return }
                if let day, ArchiveDecision.day(of: JournalDocument.shown(text).common) != day { return }
                if json {
                    shown += (try? JSONParser.parse(text.utf8)).map { [$0] } ?? []
                } else {
                    Output.line(text)
                }
            }
            guard json else { return }
            Output.document(["day": JSONValue(day), "documents": .array(shown)])
        }

        private func showDays() async throws {
            var days: [ArchivedDay] = []
            let read = try await ArchiveCommand.reading(file) { line in
                if case .day(let day) = line { days.append(day) }
            }
            if json {
                return Output.document([
                    "archive": (read.header ?? ArchiveHeader()).json, "days": .array(days.map(\.json)),
                ])
            }
            for day in days {
                Output.line(
                    "\(day.day)  \(day.storeId)  \(day.currency)  orders \(day.orders)  gross \(day.gross)  "
                        + "discounts \(day.discounts)  refunds \(day.refunds)  tax \(day.tax)")
            }
        }
    }
}

/// An order of a file, with what came back of it there.
private struct ArchivedOrder {
    private typealias Document = (common: JournalCommons, content: SaleDocument)

    private let order: Document
    private var reversals: [Document] = []

    init(_ common: JournalCommons, _ content: JSONValue) {
        order = (common, SaleDocument(shown: content))
    }

    static func isNamed(_ name: String, _ common: JournalCommons) -> Bool {
        common.kind == .order && [common.orderNumber, common.orderId, common.id].contains(name)
    }

    mutating func add(_ common: JournalCommons, _ content: JSONValue) {
        guard common.kind == .void || common.kind == .refund, common.orderId == order.common.orderId,
            common.orderId != nil
        else { return }
        reversals.append((common, SaleDocument(shown: content)))
    }

    /// As `orders show` has it.
    func json(in file: String) -> JSONValue {
        let (common, sale) = order
        let refunded = reversals.reduce(0) {
            $1.common.kind == .refund ? Merging.add($1.content.total, to: $0) ?? .max : $0
        }
        let isVoided = reversals.contains { $0.common.kind == .void }
        let state =
            isVoided
            ? "voided" : refunded == 0 ? "completed" : refunded < sale.total ? "refundedInPart" : "refunded"
        let amounts = SaleFigures(of: sale, .sale).amounts
        let shown = sale.json
        return ListRow<OrderMember>([
            .orderId: JSONValue(common.orderId), .orderNumber: JSONValue(common.orderNumber),
            .mutationId: .string(common.id), .storeId: JSONValue(common.storeId),
            .terminalId: JSONValue(common.terminalId), .cashierId: JSONValue(sale.cashierId),
            .businessDay: JSONValue(common.businessDay),
            .soldAt: JSONValue(common.madeAtHub ?? common.madeAt), .receivedAt: .string(common.receivedAt),
            .state: .string(state), .currency: JSONValue(common.currency), .total: .integer(sale.total),
            .discounts: .integer(amounts.discounts), .tax: .integer(amounts.tax),
            .refunded: .integer(refunded),
            .lines: shown[OrderMember.lines.rawValue] ?? [],
            .payments: shown[OrderMember.payments.rawValue] ?? [],
            .change: .integer(sale.change), .cashRounding: .integer(sale.cashRounding),
            .memberId: JSONValue(sale.memberId), .approverId: JSONValue(sale.approverId),
            .reversals: .array(reversals.map(Self.reversal)),
            .flags: .array(sale.flags.map(JSONValue.string)), .archived: .string(file),
        ]).json
    }

    private static func reversal(_ document: Document) -> JSONValue {
        let (common, content) = document
        return ListRow<ReversalMember>([
            .kind: .string(common.kind.rawValue), .mutationId: .string(common.id),
            .storeId: JSONValue(common.storeId), .terminalId: JSONValue(common.terminalId),
            .cashierId: JSONValue(content.cashierId), .businessDay: JSONValue(common.businessDay),
            .receivedAt: .string(common.receivedAt), .currency: JSONValue(common.currency),
            .amount: .integer(content.total), .approverId: JSONValue(content.approverId),
        ]).json
    }
}
