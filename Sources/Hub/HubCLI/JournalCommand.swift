internal import ArgumentParser
internal import Glibc
internal import HubProtocol
internal import HubServer

/// `pos-hub journal`: what happened, in the order in which the hub got it.
struct JournalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "Read the journal feed: what a back office books, in the order of arrival.",
        subcommands: [Export.self])

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write the documents of the journal feed, one a line.",
            discussion: """
                Sales, voids, refunds, cash, shifts, statements, debts and points, each as GET /v1/journal serves it. The \
                cursor behind the last one goes to standard error, or, with --json, into the report: with --after it \
                continues there the next time.
                """)

        @OptionGroup var options: StoreOptions

        @Option(help: "The cursor of the time before. Default: from the beginning.")
        var after: String?

        @Option(help: "Some types alone, with commas between, for example order,refund. Default: all.")
        var types: String?

        @Option(help: "One store's id. Default: all.")
        var storeId: String?

        @Option(help: "The file; what was there is replaced. Default: standard output.")
        var output: String?

        func run() async throws {
            guard let output else {
                guard !options.json else {
                    throw CommandFailure.usage("--json reports on a file; it needs --output FILE")
                }
                let (_, cursor) = try await write { Output.target.write($0, STDOUT_FILENO) }
                return Output.note("the next one begins with --after \(cursor)")
            }
            let (count, cursor) = try await CompleteFile.written(output) { file in
                try await write { try file.append($0) }
            }
            let report: JSONValue = [
                "file": .string(output), "documents": .integer(Int64(count)), "cursor": .string(cursor),
            ]
            try options.show(report) { _ in
                "\(count) documents in \(output); the next one begins with --after \(cursor)"
            }
        }

        /// - Returns: how many documents were written, and the place behind them.
        private func write(_ append: (String) throws -> Void) async throws -> (count: Int, cursor: String) {
            try await HubAccess(configuration: try options.configuration()).withService { service in
                var (count, place) = (0, after)
                while true {
                    let page = try await service.perform(
                        .readJournal(after: place, storeId: storeId, types: types))
                    let documents = page["documents"]?.array?.compactMap(\.string) ?? []
                    if !documents.isEmpty { try append(documents.joined(separator: "\n") + "\n") }
                    count += documents.count
                    place = page["cursor"]?.string
                    guard page["hasMore"]?.bool == true, place != nil else { return (count, place ?? "") }
                }
            }
        }
    }
}
