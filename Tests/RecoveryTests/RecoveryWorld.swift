import Base
import Foundation
import GRDB
import HubCore
import HubProtocol
import HubServer
import HubStore
import HubStoreSQLite
import Synchronization
import TestKit

@testable import HubStorePostgres

/// What happens to a till or to its hub; sales come in between.
enum RecoveryStep: String, CaseIterable, Sendable {
    case hubBackup, hubRestore, tillCopy, copyPutBack, repair, damage, clone, newIdentity, exportAndIngest,
        kill
}

/// The wall clock of till and hub: a second passes before each step and another one after it.
final class StepClock: Sendable {
    private let milliseconds = Mutex<Int64>(1_795_234_567_000)

    var now: Int64 { milliseconds.withLock { $0 } }

    func advance() { milliseconds.withLock { $0 += 1_000 } }
}

/// A hub's store without its web server: the intake itself, which can be put back to what it was.
final class HubInWorld {
    let kind: HubStoreKind
    let clock: StepClock
    private(set) var ledger: any Ledger
    private let folder: String
    private let place: String
    private var close: () -> Void = {}
    private var hasBackup = false

    static let keys = HubKeyList(
        signing: [HubPublicKey(id: "s", publicKey: "c2lnbmluZw==", notAfter: "2031-01-01T00:00:00.000Z")],
        sealing: [])

    init(_ kind: HubStoreKind, in folder: String, clock: StepClock) throws {
        self.kind = kind
        self.folder = folder
        self.clock = clock
        switch kind {
        case .sqlite: place = folder + "/hub.sqlite"
        case .postgresql: place = try PostgresServer.shared.get().freshSchema()
        }
        (ledger, close) = try Self.open(kind, place)
    }

    private static func open(_ kind: HubStoreKind, _ place: String) throws -> (any Ledger, () -> Void) {
        switch kind {
        case .sqlite:
            let ledger = try SQLiteLedger(path: place)
            return (ledger, { ledger.close() })
        case .postgresql:
            // Beside hundreds of other tests on few cores the seven seconds of a hub can pass.
            let ledger = try PostgresLedger(url: place, budget: PushBudget(), longest: .seconds(60))
            return (ledger, { ledger.close() })
        }
    }

    func end() { close() }

    private var schema: String { String(place.split(separator: "D").last ?? "") }

    /// Copies everything that the store has at this moment.
    func backUp() throws {
        hasBackup = true
        switch kind {
        case .sqlite:
            // The file alone lacks what is in its log.
            try? FileManager.default.removeItem(atPath: place + ".backup")
            let queue = try DatabaseQueue(path: place)
            defer { try? queue.close() }
            try queue.vacuum(into: place + ".backup")
        case .postgresql:
            try loop(
                "DROP SCHEMA IF EXISTS \(schema)b CASCADE; CREATE SCHEMA \(schema)b;",
                "EXECUTE format('CREATE TABLE \(schema)b.%I AS TABLE \(schema).%I', t, t);")
        }
    }

    func restore() throws {
        guard hasBackup else { return }
        close()
        switch kind {
        case .sqlite:
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: place + suffix) }
            try FileManager.default.copyItem(atPath: place + ".backup", toPath: place)
        case .postgresql:
            try loop(
                "",
                "EXECUTE format('TRUNCATE \(schema).%I', t); EXECUTE format("
                    + "'INSERT INTO \(schema).%I OVERRIDING SYSTEM VALUE SELECT * FROM \(schema)b.%I', t, t);"
            )
        }
        (ledger, close) = try Self.open(kind, place)
    }

    private func loop(_ before: String, _ statement: String) throws {
        _ = try PostgresServer.shared.get().sql(
            "\(before) DO $$ DECLARE t text; BEGIN FOR t IN SELECT tablename FROM pg_tables "
                + "WHERE schemaname = '\(schema)' LOOP \(statement) END LOOP; END $$")
    }

    /// The ids of all entries that are here.
    func entries() throws -> Set<String> {
        switch kind {
        case .sqlite:
            let queue = try DatabaseQueue(path: place)
            defer { try? queue.close() }
            return try queue.read { Set(try String.fetchAll($0, sql: "SELECT id FROM mutations")) }
        case .postgresql:
            let text = try PostgresServer.shared.get().sql("SELECT id FROM mutations", on: place)
            return Set(text.split(separator: "\n").map(String.init))
        }
    }

    /// Enrols a till at the store, as an operator's code allows it.
    func enrol(publicKey: String) async throws -> TerminalRecord {
        let code = UUID().uuidString
        try await ledger.keepEnrolmentCodes([code], storeId: "S1", expiresAt: clock.now + 1_000_000)
        let applicant = EnrolmentApplicant(
            terminalId: ULID(random: clock.now).description, codeDigest: code, name: "till",
            publicKey: publicKey, tokenExpiresAt: clock.now * 2)
        guard let record = try await ledger.enrol(applicant, at: clock.now) else {
            throw WorldFault.notEnrolled
        }
        return record
    }

    /// Ingests a file of `pos sync export`, as the command does.
    func ingest(_ journal: JournalExport) async throws {
        let configuration = HubConfiguration(store: .sqlite(path: folder + "/unused.sqlite"))
        let service = LedgerService(ledger: ledger, configuration: configuration)
        var rest = journal.entries[...]
        var epoch = journal.heading.epoch
        while !rest.isEmpty {
            let part = JournalPart(
                terminalId: journal.heading.terminalId, epoch: epoch,
                lowSequence: journal.entries.first?.sequence ?? 1, entries: rest.prefix(200).map(\.json))
            rest = rest.dropFirst(200)
            epoch = try await service.perform(.ingest(part))["epoch"]?.integer ?? epoch
        }
    }
}

enum WorldFault: Error {
    case notEnrolled
    case refused(JournalRefusal)
    case doesNotEnd
    case damageNotFound
    case noDay
}

extension ULID {
    /// A new one of a moment in milliseconds since 1970.
    init(random milliseconds: Int64) {
        var generator = SystemRandomNumberGenerator()
        self.init(milliseconds: UInt64(milliseconds), using: &generator)
    }
}
