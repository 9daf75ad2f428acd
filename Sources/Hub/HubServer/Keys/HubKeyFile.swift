internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore

/// The file with the hub's private keys, as JSON.
struct HubKeyFile: Sendable {
    enum Content: Equatable {
        case missing
        case keys(HubKeyRing)
    }

    let path: String

    init(path: String) {
        self.path = path
    }

    /// The file of a configuration: in its folder for keys, else beside the store.
    init(configured folder: String?, beside paths: StorePaths) {
        path = folder.map { $0 + "/" + Self.name } ?? paths.key
    }

    /// The file of a configuration; nil where the database holds the keys.
    init?(_ configuration: HubConfiguration) {
        switch (configuration.keysFolder, configuration.store) {
        case (let folder?, _): self.init(path: folder + "/" + Self.name)
        case (nil, .sqlite(let path)): self.init(path: StorePaths(ledger: path).key)
        case (nil, .postgresql): return nil
        }
    }

    private static let name = "hub-keys.json"

    /// What a database holds in the place of this file.
    func record() throws -> KeyRecord {
        switch try read() {
        case .missing: throw HubKeyError.lost(ids: [], place: path)
        case .keys(let ring):
            return KeyRecord(
                publicKeys: ring.json(isPrivate: false).canonicalText,
                privateKeys: ring.json(isPrivate: true).canonicalText)
        }
    }

    /// - Throws: ``HubKeyError/damaged(path:reason:)`` for a file that holds no keys.
    func read() throws -> Content {
        guard let bytes = try PrivateFile.read(path) else { return .missing }
        return .keys(try Self.ring(bytes, path: path))
    }

    /// The ids of its keys, by which two copies are known to be of one hub; none before the first start.
    func ids() throws -> [String] {
        switch try read() {
        case .missing: []
        case .keys(let ring): ring.entries.map(\.id).sorted()
        }
    }

    /// The keys in `bytes`, each looked at.
    static func ring(_ bytes: [UInt8], path: String) throws(HubKeyError) -> HubKeyRing {
        let ring: HubKeyRing
        do {
            ring = try HubKeyRing(json: try JSONParser.parse(bytes))
        } catch {
            throw .damaged(path: path, reason: "it holds no keys of a hub (\(error))")
        }
        if let bad = ring.entries.first(where: { !$0.isSound }) {
            throw .damaged(path: path, reason: "its key \(bad.id) is damaged")
        }
        return ring
    }

    func write(_ ring: HubKeyRing) throws(LedgerError) {
        try? FileManager.default.createDirectory(
            at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try PrivateFile.replace(path, with: ring.json(isPrivate: true).canonicalBytes + [10])
    }
}

/// Why a hub cannot use its keys.
package enum HubKeyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Keys that the store knows are not in `place`, or none are there beside a store with terminals.
    case lost(ids: [String], place: String)
    case damaged(path: String, reason: String)
    /// Other processes changed the keys at the same time, again and again. Try again.
    case raced

    /// One line for the operator, with the place of the keys and what to do next.
    package var description: String {
        switch self {
        case .lost(let ids, let place):
            "the hub's keys, which its terminals rely on, are not in \(place)"
                + (ids.isEmpty ? "" : " (\(ids.joined(separator: ", ")))")
                + "; name their folder with --keys, put the file of the last backup there, or import exported keys "
                + "with `pos-hub key import FILE`; where they are gone for good, `pos-hub key rotate --lost` "
                + "makes new ones"
        case .damaged(let path, let reason): "the key file \(path) cannot be used: \(reason)"
        case .raced: "other processes change the hub's keys; try again"
        }
    }
}
