import Foundation
import GRDB
import HubCore
import HubProtocol
import HubStore
@testable import HubStorePostgres
@testable import HubStoreSQLite
import TestKit
import Testing

/// Which store a test tries; the same suites hold for each.
enum StoreKind: String, CaseIterable, CustomTestStringConvertible {
    case sqlite = "SQLite"
    case postgresql = "PostgreSQL"

    /// PostgreSQL only where a server could be started; `PostgresServerTests` says why there is none.
    static let all: [StoreKind] = PostgresServer.isAvailable ? allCases : [.sqlite]

    var testDescription: String { rawValue }
}

/// A ledger of a test's own, removed with this object.
final class TemporaryStore: Sendable {
    let folder: TemporaryFolder
    let ledger: any Ledger
    /// The file's path or the database's URL.
    let place: String
    private let close: @Sendable () -> Void

    init(_ kind: StoreKind) throws {
        folder = try TemporaryFolder()
        switch kind {
        case .sqlite:
            place = folder.path("hub.sqlite")
            let ledger = try SQLiteLedger(path: place)
            close = { ledger.close() }
            self.ledger = ledger
        case .postgresql:
            place = try PostgresServer.shared.get().freshSchema()
            let ledger = try PostgresLedger.underLoad(url: place)
            close = { ledger.close() }
            self.ledger = ledger
        }
    }

    deinit { close() }

    /// Enrols a terminal, and gives its number.
    @discardableResult
    func enrol(
        _ terminalId: String, in storeId: String = "S1", key: String? = nil, tokenExpiresAt: Int64 = 500
    ) async throws -> Int64 {
        try await ledger.keepEnrolmentCodes([terminalId], storeId: storeId, expiresAt: 100)
        let record = try await ledger.enrol(
            EnrolmentApplicant(
                terminalId: terminalId, codeDigest: terminalId, name: "till", publicKey: key ?? terminalId,
                tokenExpiresAt: tokenExpiresAt), at: 50)
        return try #require(record).number
    }

    /// Accepts a push and gives its results; nil when the journal was refused.
    func take(_ request: IntakeRequest) async throws -> MutationBatchResponse? {
        guard case .results(let response) = try await ledger.ingest(request) else { return nil }
        return response
    }

    /// The outcomes of a push as text, `refused` for a journal that is not gone on with.
    func outcomes(_ request: IntakeRequest) async throws -> [String] {
        guard let response = try await take(request) else { return ["refused"] }
        return response.results.map { result in
            let code = result.problem?["code"]?.string.map { " \($0)" } ?? ""
            return result.outcome.rawValue + code
        }
    }
}

extension PostgresLedger {
    /// A ledger that waits a minute for the database: beside hundreds of other tests on few cores the seven
    /// seconds of a hub can pass without anything being wrong.
    static func underLoad(url: String) throws(LedgerError) -> PostgresLedger {
        try PostgresLedger(url: url, budget: PushBudget(), longest: .seconds(60))
    }
}

extension TemporaryStore {
    /// Marks the store as made of a backup at a moment, in milliseconds since 1970.
    func mark(restoredAt moment: Int64) async throws {
        let conflict = "ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        try await execute("INSERT INTO meta (key, value) VALUES ('restored_at', '\(moment)') \(conflict)")
    }

    /// Changes the store beside its ledger.
    func execute(_ sql: String) async throws {
        if ledger is SQLiteLedger {
            let queue = try DatabaseQueue(path: place)
            try await queue.write { try $0.execute(sql: sql) }
        } else {
            _ = try PostgresServer.shared.get().sql(sql, on: place)
        }
    }
}
