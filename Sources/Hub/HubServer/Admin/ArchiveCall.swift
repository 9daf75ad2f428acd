package import HubCore
internal import HubProtocol

/// The steps of `pos-hub archive` at a hub's store. The command has the file; the store, in whichever process
/// it is open, has the rows.
package enum ArchiveCall: Hashable, Sendable {
    /// All archives.
    case list
    /// Begins an archive into a file, or goes on with that of the same file; with what keeps further days.
    case begin(before: String, file: String)
    /// Lines of entries of an archive that is being written.
    case entries(Int64, after: ArchivePlaceText?)
    /// Lines of its documents.
    case documents(Int64, after: Int64)
    /// Its file is complete and on a disk.
    case written(Int64, hash: String, ArchiveCounts)
    /// Removes what was read from its file.
    case removeEntries(Int64, keys: [String])
    case removeDocuments(Int64, numbers: [Int64])
    case finish(Int64)

    /// The place of an entry as commands pass it on: terminal, epoch and sequence with dots between.
    package typealias ArchivePlaceText = String

    static let name = "archive"

    /// What the operators' log keeps; nil for a step that changes nothing, or only goes on.
    var act: (action: LoggedAction, subject: String, detail: String)? {
        switch self {
        case .begin(let before, let file): (.archive, file, "begun, days before \(before)")
        case .finish(let id): (.archive, String(id), "done")
        case .list, .entries, .documents, .written, .removeEntries, .removeDocuments: nil
        }
    }

    var json: JSONValue {
        switch self {
        case .list: ["step": "list"]
        case .begin(let before, let file):
            ["step": "begin", "before": .string(before), "file": .string(file)]
        case .entries(let id, let place):
            ["step": "entries", "id": .integer(id), "after": JSONValue(place)]
        case .documents(let id, let number):
            ["step": "documents", "id": .integer(id), "after": .integer(number)]
        case .written(let id, let hash, let counts):
            [
                "step": "written", "id": .integer(id), "hash": .string(hash), "counts": counts.json,
            ]
        case .removeEntries(let id, let keys):
            ["step": "remove-entries", "id": .integer(id), "keys": .array(keys.map(JSONValue.string))]
        case .removeDocuments(let id, let numbers):
            [
                "step": "remove-documents", "id": .integer(id),
                "numbers": .array(numbers.map(JSONValue.integer)),
            ]
        case .finish(let id): ["step": "finish", "id": .integer(id)]
        }
    }

    init(json: JSONValue) throws(ShapeError) {
        let step = try json.requiredString("step")
        if step == "list" {
            self = .list
            return
        }
        if step == "begin" {
            self = try .begin(before: json.requiredString("before"), file: json.requiredString("file"))
            return
        }
        let id = try json.requiredInteger("id")
        switch step {
        case "entries": self = .entries(id, after: json["after"]?.string)
        case "documents": self = try .documents(id, after: json.requiredInteger("after"))
        case "written":
            let counts = try ArchiveCounts(json["counts"] ?? .null, .own)
            self = .written(id, hash: try json.requiredString("hash"), counts)
        case "remove-entries": self = .removeEntries(id, keys: try json.strings("keys"))
        case "remove-documents":
            self = try .removeDocuments(
                id, numbers: json.requiredArray("numbers").compactMap(\.integer))
        case "finish": self = .finish(id)
        case _: throw ShapeError(path: "step", expected: "a step of an archive")
        }
    }
}
