import Base

internal import ArgumentParser
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubServer

/// A format as a command: what it is called, and the hub's call for its records.
protocol ImportableFormat: ImportFormat {
    static var kind: ImportedList.Kind { get }
    static func list(of records: [Record]) -> ImportedList
    /// What a person should know of records that are imported all the same; nil: nothing.
    static func warning(about records: [Record]) -> String?
}

extension ImportableFormat {
    static func warning(about records: [Record]) -> String? { nil }
}

/// `pos-hub import KIND FILE`.
struct ImportFile<Format: ImportableFormat>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Format.kind.rawValue,
            abstract: "Import \(Format.kind.rawValue). Existing records are updated, others stay.",
            discussion: "Columns: " + Format.columns.joined(separator: ",")
                + (Format.hasStores ? "; optional: \(ImportColumn.storeId) (empty: every store)" : "")
                + "; optional: \(ImportColumn.withdrawn) (true: taken from every terminal).")
    }

    @OptionGroup var options: StoreOptions

    @Argument(help: "The CSV file: UTF-8, header line, RFC 4180.")
    var file: String

    func run() async throws {
        let access = HubAccess(configuration: try options.configuration())
        let content = try read()
        let response: JSONValue
        do {
            let list = try await Self.prepared(Format.list(of: content.records), by: access)
            response = try await access.perform(.importList(list, withdrawing: content.withdrawn))
        } catch let failure as CommandFailure {
            throw named(failure, content.lines)
        }
        let warnings =
            [Format.warning(about: content.records)].compactMap(\.self)
            + (response["warnings"]?.array ?? []).compactMap(\.string)
        for words in warnings { Output.warning("\(file): \(words)") }
        try options.show(response) { response in
            func number(_ key: String) -> Int64 { response[key]?.integer ?? 0 }
            let gone = number("withdrawn")
            // Each kind is a plural with an "s".
            let kind = Format.kind.rawValue
            let noun = number("imported") == 1 ? String(kind.dropLast()) : kind
            return "\(number("imported")) \(noun): \(number("new")) new, "
                + "\(number("changed")) changed, \(number("unchanged")) as they were"
                + (gone > 0 ? ", \(gone) withdrawn" : "")
        }
    }

    private func read() throws(CommandFailure) -> ImportContent<Format.Record> {
        // A pipe is read to its end, too.
        guard let handle = FileHandle(forReadingAtPath: file), let data = try? handle.readToEnd() ?? Data()
        else {
            throw .unusable("\(file) cannot be read; name a file that is there and that this user may read")
        }
        var progress = ProgressBar(label: Format.kind.rawValue)
        defer { progress.finish() }
        do throws(ImportMistakes) {
            return try ImportContent(Array(data), as: Format.self) { progress.show($0) }
        } catch {
            progress.finish()
            throw refused(error.mistakes.map(\.description))
        }
    }

    /// With the PINs of cashiers hashed. That is what takes the time of such an import, so it goes some at a
    /// time and shows how far it is.
    private static func prepared(
        _ list: ImportedList, by access: HubAccess
    ) async throws -> ImportedList {
        guard case .cashiers(var cashiers) = list else { return list }
        var progress = ProgressBar(label: "PINs")
        defer { progress.finish() }
        for start in stride(from: 0, to: cashiers.count, by: pinsAtOnce) {
            let portion = start..<min(start + pinsAtOnce, cashiers.count)
            let response = try await access.perform(.hashPINs(Array(cashiers[portion])))
            let hashes = try response.strings("hashes")
            guard hashes.count == portion.count else {
                throw CommandFailure.tryAgain("the hub hashed other PINs than it was given; try again")
            }
            for (place, hash) in zip(portion, hashes) { cashiers[place].pinHash = hash }
            progress.show(Double(portion.upperBound) / Double(cashiers.count))
        }
        return .cashiers(cashiers)
    }

    /// PINs of one call, a second or two of one core: the bar moves that often. With fewer the calls
    /// themselves begin to count, with more the bar seems to stand still.
    private static var pinsAtOnce: Int { 4 }

    /// The hub knows a record by its place in the list, a person by its line.
    private func named(_ failure: CommandFailure, _ lines: [Int]) -> CommandFailure {
        guard !failure.objections.isEmpty else {
            guard failure.code == .refused, !failure.line.contains(file) else { return failure }
            return refused([failure.line])
        }
        let placed = failure.objections.map { objection in
            (objection.place.flatMap { lines.indices.contains($0) ? lines[$0] : nil }, objection.message)
        }
        // In the file's order, those that no line can be named for last.
        let sorted = placed.sorted { ($0.0 ?? .max) < ($1.0 ?? .max) }
        return refused(sorted.map { line, words in (line.map { "line \($0): " } ?? "") + words })
    }

    /// Each mistake on one line, whatever a field held.
    private func refused(_ mistakes: [String]) -> CommandFailure {
        let lines = mistakes.map { words in
            "\(file), " + words.split(whereSeparator: \.isNewline).joined(separator: " ")
        }
        guard lines.count > 1 else { return .refused("\(lines.first ?? file); nothing was imported") }
        let count = lines.count < ImportObjection.most ? "\(lines.count)" : "at least \(lines.count)"
        return .refused("\(file) has \(count) mistakes; nothing was imported", mistakes: lines)
    }
}

/// `pos-hub import`: takes files of master data in, each whole or not at all.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import master data from CSV.",
        subcommands: [
            ImportFile<ProductFormat>.self, ImportFile<MemberFormat>.self, ImportFile<CashierFormat>.self,
            ImportFile<PromotionFormat>.self, ImportFile<CouponFormat>.self, ImportFile<PriceFormat>.self,
            ImportFile<ListingFormat>.self, ImportFile<StockFormat>.self,
        ])
}
