internal import Base
internal import HubProtocol
internal import TerminalStore

/// The signed ends of other tills' journals on this till's disk: one object, a head under each till's id. It
/// is replaced as a whole and synced, so that a till that lost power still shows another one that its disk is
/// an older one.
actor WitnessFile {
    private let path: String

    /// Reads nothing yet.
    init(path: String) { self.path = path }

    /// What the file has; nothing where it is missing or no such document. Signatures are the reader's to
    /// check.
    func load() -> [String: SignedHead] {
        guard let bytes = (try? HomeFile.read(path)) ?? nil, let json = try? JSONParser.parse(bytes) else {
            return [:]
        }
        return (json.object ?? [:]).compactMapValues { try? SignedHead(json: $0) }
    }

    /// Durable when it returns.
    func save(_ heads: [String: SignedHead]) throws(FileError) {
        try DurableFile.replace(
            path, with: JSONValue.object(JSONObject(heads.mapValues(\.json))).canonicalBytes,
            temporaryName: "witnessed.new")
    }
}
