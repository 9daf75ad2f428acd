internal import ArgumentParser
internal import Foundation
internal import Glibc
internal import HubProtocol
internal import HubServer
internal import HubStore

extension OrdersCommand {
    /// `pos-hub orders export`: orders with their lines for another program.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Write orders, voids and refunds with their lines and payments as CSV, JSON or ARTS POSLog XML.",
            discussion: "The file gets its name when it is complete; until then it is FILE.part-<process>.")

        @OptionGroup var options: StoreOptions
        @OptionGroup var list: ListOptions

        @Option(help: "csv (a row for each line), json or poslog.")
        var format: OrderFormat

        @Option(help: "The file; what was there is replaced. Default: standard output.")
        var output: String?

        @Option(help: "A second CSV file with a row for each payment.")
        var paymentsOutput: String?

        func run() async throws {
            guard let paymentsOutput else { return try await run(payments: nil) }
            try await CompleteFile.written(paymentsOutput) { file in
                try file.append(OrderFormat.paymentsHead)
                try await run(payments: file)
            }
        }

        private func run(payments: CompleteFile?) async throws {
            guard let output else {
                guard !options.json else {
                    throw CommandFailure.usage("--json reports on a file; it needs --output FILE")
                }
                _ = try await write(payments) { Output.target.write($0, STDOUT_FILENO) }
                return
            }
            let count = try await CompleteFile.written(output) { file in
                try await write(payments) { try file.append($0) }
            }
            try options.show(["file": .string(output), "orders": .integer(Int64(count))]) { _ in
                "\(count) orders, voids and refunds in \(output)"
            }
        }

        /// - Returns: how many entries were written.
        private func write(
            _ payments: CompleteFile?, _ append: (String) throws -> Void
        ) async throws -> Int {
            let first = BackOfficeCall.Page(try list.filter(), limit: BackOfficeCall.Page.maximumLimit)
            try append(format.head)
            let count = try await HubAccess(configuration: try options.configuration()).withService {
                service in
                var count = 0
                var response: JSONValue? = try await service.perform(.backOffice(.exportOrders(first)))
                while let page = response {
                    // The hub reads the next page while this one is written.
                    async let following = Self.page(after: page, like: first, by: service)
                    var text = ""
                    let entries = (page["orders"]?.array ?? []).map(ExportedEntry.init)
                    for entry in entries {
                        text += format.text(of: entry, isFirst: count == 0)
                        count += 1
                    }
                    try append(text)
                    try payments?.append(entries.map(OrderFormat.paymentRows).joined())
                    response = try await following
                }
                return count
            }
            try append(format.tail(count: count))
            try await noteArchives()
            return count
        }

        /// An export has lines, and those of archived days are in files.
        private func noteArchives() async throws {
            let response = try await options.perform(.archive(.list))
            let archives = (response["archives"]?.array ?? []).map(ListRow<ArchiveMember>.init)
            for archive in archives where archive.text(.state) != Archive.State.writing.rawValue {
                let before = archive.text(.before)
                guard (list.from ?? "") < before else { continue }
                Output.note(
                    "orders before \(before) are in \(archive.text(.file)), not in this export")
            }
        }

        /// Nil behind the last page.
        private static func page(
            after response: JSONValue, like first: BackOfficeCall.Page, by service: any AdminService
        ) async throws -> JSONValue? {
            guard let cursor = response["cursor"]?.string else { return nil }
            var next = first
            next.cursor = cursor
            return try await service.perform(.backOffice(.exportOrders(next)))
        }
    }
}

/// A file that has its name only once it is complete and on the disk: what a reader finds under the name is
/// never half of it.
final class CompleteFile {
    private let path: String
    private let part: String
    private let handle: FileHandle

    /// Opens the part beside the file, for its owner alone.
    init(_ path: String) throws(CommandFailure) {
        self.path = path
        part = "\(path).part-\(getpid())"
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unusable("\(part) cannot be written: \(String(cString: strerror(errno)))")
        }
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Writes a file of this name; what fails leaves none.
    static func written<Value>(_ path: String, by body: (CompleteFile) async throws -> Value) async throws
        -> Value
    {
        let file = try CompleteFile(path)
        do {
            let value = try await body(file)
            try file.complete()
            return value
        } catch {
            file.discard()
            throw error
        }
    }

    func append(_ text: String) throws(CommandFailure) {
        do {
            try handle.write(contentsOf: Data(text.utf8))
        } catch {
            throw .unusable("\(part) cannot be written: \(error.localizedDescription)")
        }
    }

    func complete() throws(CommandFailure) {
        do {
            try handle.synchronize()
            try handle.close()
        } catch {
            throw .unusable("\(part) cannot be written: \(error.localizedDescription)")
        }
        guard rename(part, path) == 0 else {
            throw .unusable("\(path) cannot be written: \(String(cString: strerror(errno)))")
        }
    }

    /// Removes what was written.
    func discard() {
        unlink(part)
    }
}
