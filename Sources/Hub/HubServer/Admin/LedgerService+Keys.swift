import Base

internal import HubCore
internal import HubProtocol
internal import HubStore

/// The hub's keys, for its operators.
extension LedgerService {
    func listKeys() async throws -> JSONValue {
        let keys = try await vault.opened()
        return ["keys": .array(keys.ring.entries.map { sight($0, in: keys.ring) })]
    }

    /// How long what a retired key signed may go on to count: 0 to 400 days, the longest life of a token.
    private static let overlaps: ClosedRange<Int64> = 0...TerminalRecord.renewalGraceMilliseconds

    func rotateKeys(_ kinds: [HubKeyEntry.Kind], overlap: Int64) async throws -> JSONValue {
        guard Self.overlaps.contains(overlap), !kinds.isEmpty else {
            throw Problem.malformed("The overlap is 0 to 400 days.")
        }
        try await vault.opened()
        let ids = Set(try await vault.rotate(kinds, overlap: overlap))
        try await publish()
        let ring = vault.keys.ring
        return ["keys": .array(ring.entries.filter { ids.contains($0.id) }.map { sight($0, in: ring) })]
    }

    func replaceLostKeys() async throws -> JSONValue {
        try await vault.replaceLost()
        try await publish()
        return try await listKeys()
    }

    /// The private key of an id, or all of them.
    func exportKeys(_ id: String) async throws -> JSONValue {
        let ring = try await vault.opened().ring
        let entries = ring.entries.filter { id == "all" || $0.id == id }
        guard !entries.isEmpty else { throw Problem.notFound("This hub has no key \(id); `pos-hub key list` names them.") }
        return HubKeyRing(entries).json(isPrivate: true)
    }

    func importKeys(_ json: JSONValue) async throws -> JSONValue {
        let ids = Set(try await vault.take(try HubKeyFile.ring(json.canonicalBytes, path: "of the import")))
        try await publish()
        let ring = vault.keys.ring
        return ["keys": .array(ring.entries.filter { ids.contains($0.id) }.map { sight($0, in: ring) })]
    }

    /// A key without its private half.
    private func sight(_ entry: HubKeyEntry, in ring: HubKeyRing) -> JSONValue {
        let time = now()
        let isCurrent = ring.current(entry.kind, at: time)?.id == entry.id
        let isNext = entry.usableFrom > time
        let state =
            isCurrent ? "current" : isNext ? "next" : entry.isAccepted(at: time) ? "accepted" : "ended"
        return [
            "id": .string(entry.id), "kind": .string(entry.kind.rawValue), "state": .string(state),
            "publicKey": JSONValue(entry.publicKey),
            "createdAt": .string(Timestamp.text(milliseconds: entry.createdAt)),
            "usableFrom": .string(Timestamp.text(milliseconds: entry.usableFrom)),
            "notAfter": .string(Timestamp.text(milliseconds: entry.notAfter)),
            "acceptedUntil": JSONValue(entry.acceptedUntil.map(Timestamp.text(milliseconds:))),
        ]
    }
}
