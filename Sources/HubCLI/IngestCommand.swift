internal import ArgumentParser
internal import Foundation
internal import HubProtocol
internal import HubServer

/// `pos-hub ingest`: takes in the journal of a dead till.
struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Take in what `pos sync export` wrote; what is known stays as it is."
    )

    @OptionGroup var options: StoreOptions

    @Argument(help: "The file.")
    var file: String

    /// The sums over a whole file.
    private struct Totals {
        var outcomes: [String: Int64] = [:]
        var refused: [JSONValue] = []
        var last: JSONValue = .null

        mutating func add(_ answer: JSONValue) {
            for (outcome, count) in answer["outcomes"]?.object ?? [:] {
                outcomes[outcome, default: 0] += count.integer ?? 0
            }
            refused += answer["refused"]?.array ?? []
            last = answer
        }

        func json(of journal: JournalExport) -> JSONValue {
            [
                "terminalId": .string(journal.heading.terminalId),
                "entries": .integer(Int64(journal.entries.count)),
                "attachments": .integer(Int64(Set(journal.pieces.map(\.attachment.id)).count)),
                "applied": .integer(outcomes["applied"] ?? 0),
                "duplicate": .integer(outcomes["duplicate"] ?? 0), "refused": .array(refused),
                "acknowledgedThrough": last["acknowledgedThrough"] ?? 0, "missing": last["missing"] ?? [],
            ]
        }
    }

    func run() async throws {
        let journal = try read()
        let access = HubAccess(configuration: try options.configuration())
        for piece in journal.pieces { try await takeIn(piece, of: journal, by: access) }
        let totals = try await takeIn(journal, by: access)
        try options.show(totals.json(of: journal)) { answer in
            "\(journal.entries.count) entries of \(journal.heading.terminalId): "
                + "\(answer["applied"]?.integer ?? 0) taken in, "
                + "\(answer["duplicate"]?.integer ?? 0) known before, \(totals.refused.count) refused"
        }
        guard totals.refused.isEmpty else {
            throw CommandFailure.refused(
                "\(totals.refused.count) entries were refused, the first because: "
                    + (totals.refused.first?["problem"]?["detail"]?.string ?? "it has no verdict"))
        }
    }

    private func read() throws(CommandFailure) -> JournalExport {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw .unusable("\(file) cannot be read")
        }
        do throws(JournalExport.Fault) {
            return try JournalExport(Array(data))
        } catch {
            throw .refused("\(file), \(error); nothing was taken in")
        }
    }

    private func takeIn(
        _ piece: JournalExport.Piece, of journal: JournalExport, by access: HubAccess
    ) async throws {
        guard let data = Data(base64Encoded: piece.base64), !data.isEmpty else {
            throw CommandFailure.refused(
                "\(file): a piece of the attachment \(piece.attachment.id) is no base64")
        }
        _ = try await access.perform(
            .ingestAttachment(
                AttachmentPart(
                    terminalId: journal.heading.terminalId, info: piece.attachment,
                    firstByte: piece.firstByte, bytes: Array(data))))
    }

    /// A journal that another life of the till took sequences of goes on under the next epoch.
    private func takeIn(_ journal: JournalExport, by access: HubAccess) async throws -> Totals {
        var totals = Totals()
        var epoch = journal.heading.epoch
        var rest = journal.entries[...]
        while !rest.isEmpty {
            let part = rest.prefix(MutationBatch.maximumCount)
            let answer = try await access.perform(
                .ingest(
                    JournalPart(
                        terminalId: journal.heading.terminalId, epoch: epoch,
                        lowSequence: journal.entries.first?.sequence ?? 1, entries: part.map(\.json))))
            if let next = answer["epoch"]?.integer, next > epoch {
                epoch = next
                rest = journal.entries[...]
                totals = Totals()
                continue
            }
            totals.add(answer)
            rest = rest.dropFirst(part.count)
        }
        return totals
    }
}
