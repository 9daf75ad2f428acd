internal import ArgumentParser
internal import Foundation
internal import HubProtocol
internal import HubServer

/// `pos-hub ingest`: accepts the journal of a dead till.
struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest", abstract: "Ingest a file of `pos sync export`; known entries are skipped."
    )

    @OptionGroup var options: StoreOptions

    @Argument(help: "The file.")
    var file: String

    @Flag(help: "Accept a file without a valid signature of the terminal's device key; needs --reason.")
    var unsigned = false

    @Option(help: "Why an unsigned file is accepted; the audit shows it.")
    var reason: String?

    @Flag(help: "Register the terminal of the file when the hub does not have it; it stays unconfirmed.")
    var register = false

    /// The sums over a whole file.
    private struct Totals {
        var outcomes: [String: Int64] = [:]
        var refused: [JSONValue] = []
        var last: JSONValue = .null

        mutating func add(_ response: JSONValue) {
            for (outcome, count) in response["outcomes"]?.object ?? [:] {
                outcomes[outcome, default: 0] += count.integer ?? 0
            }
            refused += response["refused"]?.array ?? []
            last = response
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
        guard unsigned == (reason != nil), (1...500).contains(reason?.unicodeScalars.count ?? 1) else {
            throw CommandFailure.usage("--unsigned and --reason of 1 to 500 characters belong together")
        }
        let access = HubAccess(configuration: try options.configuration())
        let journal = try await opened(by: access)
        for piece in journal.pieces { try await ingest(piece, of: journal, by: access) }
        let totals = try await ingest(journal, by: access)
        try options.show(totals.json(of: journal)) { response in
            "\(journal.entries.count) entries of \(journal.heading.terminalId): "
                + "\(response["applied"]?.integer ?? 0) ingested, "
                + "\(response["duplicate"]?.integer ?? 0) known before, \(totals.refused.count) refused"
        }
        guard totals.refused.isEmpty else {
            throw CommandFailure.refused(
                "\(totals.refused.count) entries were refused, the first because: "
                    + (totals.refused.first?["problem"]?["detail"]?.string ?? "it has no verdict"))
        }
    }

    /// The file in clear, with its signature checked, of a terminal that this hub knows.
    private func opened(by access: HubAccess) async throws -> JournalExport {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw CommandFailure.unusable("\(file) cannot be read")
        }
        let bytes = Array(data)
        let (_, heading, envelope) = try reading { () throws(JournalExport.Fault) in
            try JournalExport.opening(of: bytes)
        }
        let opening = try ExportOpening(heading: heading, registers: register)
        let response = try await access.perform(.openExport(opening))
        let journal = try reading { () throws(JournalExport.Fault) in
            guard envelope != nil else { return try JournalExport(bytes) }
            return try JournalExport(bytes, key: response["key"]?.string.flatMap(Base64.bytes) ?? []) {
                line in
                Data(base64Encoded: Data(line)).map { Array($0) }
            }
        }
        try checkSignature(of: journal, by: response["publicKey"]?.string)
        if response["isKnown"] != true { _ = try await access.perform(.registerTerminal(opening)) }
        return journal
    }

    private func reading<Value>(
        _ read: () throws(JournalExport.Fault) -> Value
    ) throws(CommandFailure) -> Value {
        do throws(JournalExport.Fault) {
            return try read()
        } catch {
            throw .refused("\(file), \(error); nothing was ingested")
        }
    }

    /// A signature that is there has to be right, with any options.
    private func checkSignature(of journal: JournalExport, by publicKey: String?) throws(CommandFailure) {
        guard journal.hasSignature else {
            if unsigned { return }
            throw .refused(
                "export_unsigned: no device key signed \(file), so anybody can have written it; "
                    + "`--unsigned --reason TEXT` ingests it all the same, and the audit shows it")
        }
        guard let publicKey, journal.isSigned(by: publicKey) else {
            throw .refused(
                "export_signature_invalid: \(file) was not written by the terminal "
                    + "\(journal.heading.terminalId); nothing was ingested")
        }
    }

    private func ingest(
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

    /// A journal of which another copy of the terminal used sequences goes on under the next epoch.
    private func ingest(_ journal: JournalExport, by access: HubAccess) async throws -> Totals {
        var totals = Totals()
        var epoch: Int64?
        var rest = journal.entries[...]
        var mark: JournalPart.Mark? = JournalPart.Mark(
            entries: Int64(journal.entries.count), reason: journal.hasSignature ? nil : reason)
        while !rest.isEmpty {
            let part = rest.prefix(MutationBatch.maximumCount)
            let response = try await access.perform(
                .ingest(
                    JournalPart(
                        terminalId: journal.heading.terminalId, epoch: epoch ?? journal.heading.epoch,
                        lowSequence: journal.entries.first?.sequence ?? 1, entries: part.map(\.json),
                        mark: mark)))
            mark = nil
            if let epoch, let now = response["epoch"]?.integer, now > epoch {
                rest = journal.entries[...]
                totals = Totals()
            } else {
                totals.add(response)
                rest = rest.dropFirst(part.count)
            }
            epoch = response["epoch"]?.integer ?? epoch
        }
        return totals
    }
}
