internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubStore

/// Where the hub's keys are kept: the private ones in a file or in the database, the public ones always in
/// the store too, so that a lost or foreign file is noticed before it does harm.
actor HubKeyVault {
    typealias Store = any Ledger

    /// What the process uses; every change here is a change there.
    nonisolated let keys: HubKeys
    private let ledger: Store
    /// Nil: the database holds the private keys.
    private let file: HubKeyFile?
    private let isFileShared: Bool
    private let now: @Sendable () -> Int64
    private var isOpen = false
    private var isPublic = false

    /// How long before its first use a new key is made known, in milliseconds: more than three of the pulls
    /// by which other processes read it. Half of it would refuse tokens under load, twice as much only
    /// makes a rotation slower.
    private static let leadMilliseconds: Int64 = 10_000
    /// A process that loses this often against others has other trouble.
    private static let attempts = 5
    /// 4 s of 50 ms: what another process writes takes milliseconds. Half is enough on a good disk, twice as
    /// long keeps a person waiting.
    private static let lockAttempts = 80

    /// - Parameter isFileShared: whether other processes write the file too, as those of a database do.
    init(ledger: Store, file: HubKeyFile?, isFileShared: Bool = false, now: @escaping @Sendable () -> Int64) {
        self.ledger = ledger
        self.file = file
        self.isFileShared = isFileShared
        self.now = now
        keys = HubKeys(now: now)
    }

    init(ledger: Store, configuration: HubConfiguration, now: @escaping @Sendable () -> Int64) {
        let isFileShared = if case .postgresql = configuration.store { true } else { false }
        self.init(
            ledger: ledger, file: HubKeyFile(configuration), isFileShared: isFileShared, now: now)
    }

    private var place: String { file?.path ?? "the database" }

    /// Reads the keys once; makes those that are missing in a store without terminals.
    ///
    /// - Throws: ``HubKeyError/lost(ids:place:)`` beside a store that knows others.
    @discardableResult
    func opened() async throws -> HubKeys {
        if !isOpen { try await change { ring throws(HubKeyError) in ring } }
        isOpen = true
        return keys
    }

    /// Reads the public halves alone, for a process that only verifies.
    ///
    /// - Throws: ``HubStartError/notPublished(path:)`` before a process with the order store ran.
    func openedPublicly() async throws -> HubKeys {
        let record = try await ledger.keyRecord()
        guard record.publicKeys != nil else {
            throw HubStartError.notPublished(path: "the list of the hub's public keys in the database")
        }
        isPublic = true
        try await refresh()
        return keys
    }

    /// Reads what another process changed. Of a key that is not in this machine's file yet the public half
    /// does: tokens of the other process are verified with it.
    func refresh() async throws {
        let record = try await ledger.keyRecord()
        let known = try Self.ring(record.publicKeys, place: "the database")
        let ring = isPublic ? known : known.holding(try held(record))
        keys.replace(with: ring)
    }

    /// Puts a new key of each kind in the place of the present ones.
    ///
    /// - Parameter overlap: how long what the retired keys signed goes on to count, in milliseconds.
    /// - Returns: the new keys' ids.
    func rotate(_ kinds: [HubKeyEntry.Kind], overlap: Int64) async throws -> [String] {
        let time = now()
        let usableFrom = time + min(Self.leadMilliseconds, overlap)
        let minted = kinds.map { HubKeyEntry.minted($0, at: time, usableFrom: usableFrom) }
        try await change { ring throws(HubKeyError) in
            var ring = ring
            let signer = ring.current(.signing, at: time)
            for entry in minted {
                ring.rotate(to: entry.signed(by: signer), overlapEnd: time + overlap)
            }
            return ring
        }
        return minted.map(\.id)
    }

    /// Gives up the keys that are gone and makes new ones.
    func replaceLost() async throws {
        try await change(givingUpLost: true) { ring throws(HubKeyError) in ring }
        isOpen = true
    }

    /// Takes exported keys in beside those that are here.
    ///
    /// - Returns: their ids.
    func take(_ added: HubKeyRing) async throws -> [String] {
        try await change(adding: added) { ring throws(HubKeyError) in ring }
        isOpen = true
        return added.entries.map(\.id)
    }

    /// Changes the keys by `edit`; a file is written, then the store, and what is in neither is not used.
    private func change(
        givingUpLost: Bool = false, adding added: HubKeyRing = HubKeyRing(),
        _ edit: @Sendable (HubKeyRing) throws(HubKeyError) -> HubKeyRing
    ) async throws {
        let lock = try await fileLock()
        defer { withExtendedLifetime(lock) {} }
        for _ in 0..<Self.attempts {
            let old = try await ledger.keyRecord()
            let known = try Self.ring(old.publicKeys, place: "the database")
            let held = try held(old)
            var ring = held
            for entry in added.entries { ring.add(entry) }
            if !givingUpLost { try await refuseLost(ring, known) }
            ring = try edit(completed(ring))
            var record = KeyRecord(publicKeys: ring.json(isPrivate: false).canonicalText)
            if let file {
                if try file.read() != .keys(ring) { try file.write(ring) }
            } else {
                record.privateKeys = ring.json(isPrivate: true).canonicalText
            }
            if record == old ? true : try await ledger.keep(record, insteadOf: old) {
                keys.replace(with: ring)
                return
            }
        }
        throw HubKeyError.raced
    }

    /// Two processes of one database that share the file do not write it at once.
    private func fileLock() async throws -> StoreLock? {
        guard let file, isFileShared else { return nil }
        for _ in 0..<Self.lockAttempts {
            if let lock = try StoreLock.taken(of: file.path) { return lock }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw HubKeyError.raced
    }

    private static func ring(_ text: String?, place: String) throws -> HubKeyRing {
        guard let text else { return HubKeyRing() }
        do {
            return try HubKeyRing(json: try JSONParser.parse(text.utf8))
        } catch {
            throw HubKeyError.damaged(path: place, reason: "\(error)")
        }
    }

    /// The keys with their private halves, as far as they are there.
    private func held(_ record: KeyRecord) throws -> HubKeyRing {
        switch try file?.read() ?? .missing {
        case .keys(let ring): return ring
        case .missing: break
        }
        // Also where a file is to hold them from now on: they move out of the database.
        if let text = record.privateKeys { return try Self.ring(text, place: "the database") }
        return HubKeyRing()
    }

    private func refuseLost(_ ring: HubKeyRing, _ known: HubKeyRing) async throws {
        let missing = ring.missing(of: known)
        // A store without a list of keys: its terminals show that there were some.
        var isEmptied = ring.entries.isEmpty
        if isEmptied { isEmptied = try await !ledger.terminals().isEmpty }
        if !missing.isEmpty || isEmptied { throw HubKeyError.lost(ids: missing, place: place) }
    }

    /// The keys with one of each kind.
    private func completed(_ ring: HubKeyRing) -> HubKeyRing {
        let time = now()
        var ring = ring
        for kind in [HubKeyEntry.Kind.signing, .sealing, .token, .secret]
        where ring.current(kind, at: time) == nil {
            let entry = HubKeyEntry.minted(kind, at: time, usableFrom: time)
            ring.add(entry.signed(by: ring.current(.signing, at: time)))
        }
        return ring
    }
}
