internal import Base
package import HubProtocol
package import OfflineMode

/// A change of a note: what is written, and what the hub gets of it.
package struct NoteChange: Sendable {
    /// The note's ULID.
    package let id: String
    /// The note's fields afterwards; nil: it is deleted.
    package let value: JSONValue?
    /// RFC 3339; nil unless it is deleted.
    package let deletedAt: String?
    /// Files that are sent with it.
    package let attachments: [Attachment]
    /// The fields that are changed here; the others are sent back as received. Nil: all.
    private let changed: [String]?
    /// Who deleted it; a change that writes fields names its cashier among them.
    private let deletedBy: String?

    /// The longest text in bytes of UTF-8. The hub refuses longer ones: doubled here, they would be recorded
    /// and come back refused; halved, people would split their notes.
    package static let longestText = 4096

    /// A new note. `madeAt` is in Unix milliseconds; a nil `author` or `cashierId` leaves the field out.
    package init(
        adding id: String, text: String, author: String?, by cashierId: String?, attachments: [Attachment],
        at madeAt: Int64
    ) {
        var fields: JSONObject = [
            "text": .string(text), "madeAt": .string(Timestamp.text(milliseconds: madeAt)),
        ]
        if let author { fields["author"] = .string(author) }
        if let cashierId { fields["cashierId"] = .string(cashierId) }
        self.id = id
        self.attachments = attachments
        value = .object(fields)
        (changed, deletedAt, deletedBy) = (nil, nil, nil)
    }

    /// Another text for `note`; the fields that this version does not use stay.
    package init(editing note: Note, text: String, by cashierId: String?, attachments: [Attachment]) {
        var fields = note.value?.object ?? [:]
        fields["text"] = .string(text)
        if let cashierId { fields["cashierId"] = .string(cashierId) }
        id = note.id
        self.attachments = attachments
        value = .object(fields)
        changed = ["text"] + (cashierId == nil ? [] : ["cashierId"])
        (deletedAt, deletedBy) = (nil, nil)
    }

    /// The deletion of `note` at `madeAt`, in Unix milliseconds.
    package init(deleting note: Note, by cashierId: String?, at madeAt: Int64) {
        id = note.id
        deletedAt = Timestamp.text(milliseconds: madeAt)
        deletedBy = cashierId
        (value, changed, attachments) = (nil, nil, [])
    }

    /// The type of the mutation that carries it.
    package var mutationType: String { value == nil ? "note.deleted" : "note.upserted" }

    /// The payload of that mutation.
    ///
    /// - Parameter baseVersion: the hub's version that the change is based on; nil when it is not known.
    package func payload(baseVersion: Int64?) -> JSONValue {
        var payload = value?.object ?? [:]
        if let deletedBy { payload["cashierId"] = .string(deletedBy) }
        if let deletedAt { payload["deletedAt"] = .string(deletedAt) }
        if let changed { payload["changed"] = .array(changed.map(JSONValue.string)) }
        payload["baseVersion"] = baseVersion.map(JSONValue.integer)
        return .object(payload)
    }

    /// The note's fields in a payload of ``payload(baseVersion:)``; nil for what is no object.
    package static func fields(in payload: JSONValue) -> JSONValue? {
        guard var fields = payload.object else { return nil }
        for key in ["baseVersion", "changed"] { fields[key] = nil }
        return .object(fields)
    }
}

extension Note {
    /// Whether people see it. The hub keeps a tombstone that it has.
    package var isListed: Bool { value != nil || state != .synced }

    /// The hub's version that a change of `note` is based on. After a change of this terminal that the hub's
    /// version does not contain yet, it is the version after that change's own, and not the feed's newest:
    /// what another terminal wrote in between is hidden by the change and was not seen here.
    ///
    /// - Parameters:
    ///   - note: nil for a new one.
    ///   - pendingBase: the version that the pending change of `note` is based on.
    package static func baseVersion(of note: Note?, pendingBase: () throws -> Int64?) rethrows -> Int64? {
        guard let note else { return 0 }
        guard note.state == .pending else { return note.version }
        return try pendingBase().map { $0 + 1 }
    }

    /// Whether the hub's version contains this terminal's change, which then hides it no longer: by its
    /// origin, or because it was written later than the change was applied.
    ///
    /// - Parameters:
    ///   - origin: the mutation that made the hub's version.
    ///   - written: the hybrid logical clock of the hub's version.
    ///   - applied: that of the hub's response to the change.
    package static func hubContains(
        change mutationId: String, _ sync: SyncState, origin: String?, written: String?, applied: String?
    ) -> Bool {
        if let origin, origin == mutationId { return true }
        guard sync == .acknowledged, let written, let applied else { return false }
        return written >= applied
    }

    /// What people see of a note whose change is in the state `sync`.
    package static func state(of sync: SyncState, isContained: Bool) -> State {
        if isContained { return .synced }
        return switch sync {
        case .rejected: .rejected
        case .conflicted: .conflicted
        case .pending, .acknowledged, .superseded, .discarded: .pending
        }
    }
}
