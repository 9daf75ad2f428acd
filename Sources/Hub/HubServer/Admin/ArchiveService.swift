import Base

internal import HubCore
internal import HubProtocol
internal import HubStore

/// Performs the steps of an archive on the store.
struct ArchiveService: Sendable {
    let ledger: any Ledger
    let now: @Sendable () -> Int64

    func perform(_ call: ArchiveCall) async throws -> JSONValue {
        switch call {
        case .list: return ["archives": .array(try await ledger.archives().map(\.json))]
        case .begin(let before, let file): return try await begin(before, file)
        case .entries(let id, let place):
            let archive = try await archive(id, in: .writing)
            let (entries, next) = try await ledger.entries(
                of: archive, after: try place.map(ArchivePlace.init(text:)))
            return [
                "lines": .array(entries.map { .string(ArchiveLine.entry($0).text) }),
                "next": JSONValue(next?.text),
            ]
        case .documents(let id, let number):
            let found = try await ledger.documents(of: try await archive(id, in: .writing), after: number)
            return [
                "lines": .array(
                    found.map { .string(ArchiveLine.document(number: $0.number, text: $0.text).text) }),
                "next": JSONValue(found.last?.number),
            ]
        case .written(let id, let hash, let counts):
            try await ledger.keepWritten(id, hash: hash, counts: counts)
            return try await archive(id, in: .written).json
        case .removeEntries(let id, let keys):
            try await ledger.removeEntries(keys, of: try await archive(id, in: .written).id)
            return [:]
        case .removeDocuments(let id, let numbers):
            try await ledger.removeDocuments(numbers, of: try await archive(id, in: .written).id)
            return [:]
        case .finish(let id):
            try await ledger.finish(id)
            return try await archive(id, in: .done).json
        }
    }

    private func archive(_ id: Int64, in state: Archive.State) async throws -> Archive {
        guard let archive = try await ledger.archives().first(where: { $0.id == id && $0.state == state })
        else { throw Problem.archiveOutOfStep(id, state) }
        return archive
    }

    /// Goes on where the same file was begun, and reports one that is done; another file is refused while
    /// rows may be gone already.
    private func begin(_ before: String, _ file: String) async throws -> JSONValue {
        guard SaleEntry.day(before) != nil else {
            throw Problem.malformed("\"\(before)\" is no day; write YYYY-MM-DD.")
        }
        let known = try await ledger.archives()
        if let open = known.first(where: { $0.state == .written }) {
            guard open.file == file else { throw Problem.archiveOpen(open) }
            return try await same(open, as: before)
        }
        if let done = known.first(where: { $0.file == file && $0.state == .done }) {
            return try await same(done, as: before)
        }
        // Its file may be complete already. What has become open since lets it begin anew.
        if let begun = known.first(where: { $0.file == file }) {
            let archivable = try await ledger.archivable(before: begun.before, at: now())
            if archivable.through >= begun.through, archivable.decision.firstKept >= begun.before {
                return try await same(begun, as: before)
            }
        }
        let archivable = try await ledger.archivable(before: before, at: now())
        let kept: JSONValue = .array(archivable.decision.obstacles.map(\.json))
        guard !archivable.isEmpty else {
            return ["archive": .null, "kept": kept, "before": .string(archivable.decision.firstKept)]
        }
        guard let archive = try await ledger.begin(archivable, file: file, at: now()) else {
            throw Problem.archiveRaced
        }
        return ["archive": archive.json, "kept": kept, "before": .string(archive.before)]
    }

    /// The archive that a command is given for again. It can have fewer days than were wanted, where
    /// something keeps the others; a command that wants other days is a mistake.
    private func same(_ archive: Archive, as before: String) async throws -> JSONValue {
        if before == archive.before { return ["archive": archive.json, "kept": []] }
        let rest = try await ledger.archivable(before: before, at: now())
        guard before > archive.before, rest.through <= archive.through else {
            throw Problem.archiveOfOtherDays(archive)
        }
        return ["archive": archive.json, "kept": .array(rest.decision.obstacles.map(\.json))]
    }
}

extension Archive {
    var json: JSONValue {
        ListRow<ArchiveMember>([
            .id: .integer(id), .file: .string(file), .state: .string(state.rawValue),
            .before: .string(before), .through: .integer(through), .hash: JSONValue(hash),
            .entries: .integer(entries), .documents: .integer(documents),
            .begunAt: .string(Timestamp.text(milliseconds: begunAt)), .header: header.json,
        ]).json
    }
}

extension ArchivePlace {
    fileprivate var text: String { "\(terminalId).\(epoch).\(sequence)" }

    fileprivate init(text: String) throws(Problem) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count >= 3, let epoch = Int64(parts[parts.count - 2]),
            let sequence = Int64(parts.last ?? "")
        else { throw .malformed("\"\(text)\" is no place in the journals.") }
        self.init(
            terminalId: parts.dropLast(2).joined(separator: "."), epoch: epoch, sequence: sequence)
    }
}

extension ArchiveDecision.Obstacle {
    fileprivate var json: JSONValue {
        [
            "day": .string(day), "kind": .string(kind.rawValue), "subject": .string(subject),
            "text": .string(text),
        ]
    }
}

extension Problem {
    fileprivate static func archiveOutOfStep(_ id: Int64, _ state: Archive.State) -> Problem {
        Problem(
            status: 409, code: .archiveOpen, title: "Another command works on the archive",
            detail: "The archive \(id) is not \(state.rawValue) any more; run the command again.")
    }

    fileprivate static func archiveOpen(_ archive: Archive) -> Problem {
        Problem(
            status: 409, code: .archiveOpen, title: "An archive is not finished",
            detail:
                "What is in \(archive.file) is being removed from the store. Finish it first: "
                + "`pos-hub archive --before \(archive.before) --output \(archive.file)`.")
    }

    fileprivate static func archiveOfOtherDays(_ archive: Archive) -> Problem {
        let finish =
            archive.state == .done
            ? "" : " Finish it with `pos-hub archive --before \(archive.before) --output \(archive.file)`."
        return Problem(
            status: 409, code: .archiveOpen, title: "The file has other days",
            detail: "\(archive.file) is the archive of the days before \(archive.before); nothing was done. "
                + "Name a new file for other days.\(finish)")
    }

    fileprivate static var archiveRaced: Problem {
        Problem(
            status: 409, code: .archiveOpen, title: "Another command archives",
            detail: "Another command began an archive meanwhile; nothing was done.")
    }
}
