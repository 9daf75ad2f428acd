internal import HubCore
internal import HubProtocol
internal import HubServer
internal import HubStore

/// Moves closed days into a file, or goes on where a command before it was ended: every step is durable
/// before the next one begins, and does nothing where it was done.
struct ArchiveRun {
    let service: any AdminService
    /// The first day that stays.
    let before: String
    /// Absolute.
    let file: String

    /// Entries, and documents, that one transaction removes: some ten milliseconds of a store's writer. Twice
    /// as many let a push wait twice as long; half of them take half again as long for all.
    var removedAtOnce = 100

    /// - Returns: the archive as the hub has it, with what keeps further days; without `archive` nothing may
    ///   go.
    func perform() async throws -> JSONValue {
        let known = try await call(.list)["archives"]?.array ?? []
        let isBegun = known.contains { ListRow<ArchiveMember>($0).text(.file) == file }
        guard isBegun || !ArchiveFile.exists(file) else {
            throw CommandFailure.refused("there is a file \(file) already; name a new one")
        }
        let begun = try await call(.begin(before: before, file: file))
        guard var archive = begun["archive"] else { return begun }
        func state() -> Archive.State? { .init(rawValue: ListRow<ArchiveMember>(archive).text(.state)) }
        if state() == .writing { archive = try await written(archive) }
        guard state() != .done else { return begun }
        var report = begun.object ?? [:]
        report["archive"] = try await removed(archive)
        return .object(report)
    }

    /// Writes the file where it is not there, and notes that it is.
    private func written(_ archive: JSONValue) async throws -> JSONValue {
        let row = ListRow<ArchiveMember>(archive)
        let id = row.number(.id)
        let header = try ArchiveHeader(row[.header] ?? .null, .own)
        if !ArchiveFile.exists(file) {
            let draft = try ArchiveFile.Draft(file)
            try await write(id, header, to: draft)
            try await draft.complete()
        }
        let read = try await checked()
        guard read.header == header else {
            throw CommandFailure.refused(
                "\(file) is not the archive \(id) that was begun; nothing was removed from the store. Move the "
                    + "file away and run the command again")
        }
        // A command that was ended between the name and this place did not sync the name.
        try ArchiveFile.settle(file)
        return try await call(.written(id, hash: read.hash, read.counts))
    }

    private func write(_ id: Int64, _ header: ArchiveHeader, to draft: ArchiveFile.Draft) async throws {
        var tally = ArchiveTally()
        func append(_ lines: JSONValue?) throws {
            for text in lines?.array?.compactMap(\.string) ?? [] {
                switch try ArchiveLine(text: Array(text.utf8)) {
                case .entry(let entry): _ = tally.add(entry)
                case .document(_, let document): tally.add(document: document)
                case .header, .day, .end: break
                }
                try draft.append(text)
            }
        }
        try draft.append(.header(header))
        var place: String?
        repeat {
            let part = try await call(.entries(id, after: place))
            try append(part["lines"])
            place = part["next"]?.string
        } while place != nil
        var number: Int64? = header.above
        while let after = number {
            let part = try await call(.documents(id, after: after))
            try append(part["lines"])
            number = part["next"]?.integer
        }
        for day in tally.days { try draft.append(.day(day)) }
        try draft.append(.end(tally.end))
    }

    /// Removes what is read from the file, after all of it was found to be what was written.
    private func removed(_ archive: JSONValue) async throws -> JSONValue {
        let row = ListRow<ArchiveMember>(archive)
        let id = row.number(.id)
        guard try await checked().hash == row.text(.hash) else {
            throw CommandFailure.refused(
                "\(file) is not the file whose days are being removed; bring that one back to \(file) and run "
                    + "the command again")
        }
        var (keys, numbers): ([String], [Int64]) = ([], [])
        func remove(atLeast count: Int) async throws {
            if keys.count >= count, !keys.isEmpty {
                _ = try await call(.removeEntries(id, keys: keys))
                keys = []
            }
            if numbers.count >= count, !numbers.isEmpty {
                _ = try await call(.removeDocuments(id, numbers: numbers))
                numbers = []
            }
        }
        try await ArchiveFile.read(file) { line in
            switch line {
            case .entry(let entry): keys.append(entry.place.key)
            case .document(let number, _): numbers.append(number)
            case .header, .day, .end: return
            }
            try await remove(atLeast: removedAtOnce)
        }
        try await remove(atLeast: 0)
        return try await call(.finish(id))
    }

    private func checked() async throws -> ArchiveReader {
        do {
            return try await ArchiveFile.read(file)
        } catch let damage as ArchiveDamage {
            throw CommandFailure(damage, in: file)
        }
    }

    private func call(_ call: ArchiveCall) async throws -> JSONValue {
        try await service.perform(.archive(call))
    }
}
