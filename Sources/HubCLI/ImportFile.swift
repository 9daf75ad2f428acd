internal import ArgumentParser
internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubServer

/// A format as a command: what it is called, and the hub's call for its records.
protocol ImportableFormat: ImportFormat {
    static var kind: ImportedList.Kind { get }
    static func list(of records: [Record]) -> ImportedList
}

/// `pos-hub import KIND FILE`.
struct ImportFile<Format: ImportableFormat>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Format.kind.rawValue,
            abstract: "Import \(Format.kind.rawValue). Known ones are changed, absent ones stay.",
            discussion: "Columns: " + Format.columns.joined(separator: ","))
    }

    @OptionGroup var options: StoreOptions

    @Argument(help: "The CSV file: UTF-8, header line, RFC 4180.")
    var file: String

    func run() async throws {
        let (records, lines) = try read()
        let answer: JSONValue
        do {
            answer = try await HubAccess(configuration: options.configuration())
                .perform(.importList(Format.list(of: records)))
        } catch let failure as CommandFailure {
            throw named(failure, lines)
        }
        try options.show(answer) { answer in
            func number(_ key: String) -> Int64 { answer[key]?.integer ?? 0 }
            return "\(number("imported")) \(Format.kind.rawValue): \(number("new")) new, "
                + "\(number("changed")) changed, \(number("unchanged")) as they were"
        }
    }

    /// The records with the lines that they stand on.
    private func read() throws(CommandFailure) -> (records: [Format.Record], lines: [Int]) {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw .unusable("\(file) cannot be read")
        }
        var progress = ProgressBar(label: Format.kind.rawValue)
        defer { progress.finish() }
        do throws(CSVError) {
            var reader = try ImportReader<Format>(Array(data))
            var (records, lines): ([Format.Record], [Int]) = ([], [])
            while let record = try reader.next() {
                records.append(record)
                lines.append(reader.line)
                progress.show(reader.progress)
            }
            return (records, lines)
        } catch {
            progress.finish()
            throw refused("\(error)")
        }
    }

    /// The hub knows a record by its place in the list, a person by its line.
    private func named(_ failure: CommandFailure, _ lines: [Int]) -> CommandFailure {
        guard let place = failure.place, lines.indices.contains(place) else { return failure }
        return refused("line \(lines[place]): \(failure.line)")
    }

    /// On one line, whatever a field held.
    private func refused(_ words: String) -> CommandFailure {
        let line = words.split(whereSeparator: \.isNewline).joined(separator: " ")
        return .refused("\(file), \(line); nothing was imported")
    }
}
