import Foundation
import HubCore
import HubProtocol
import HubStore

/// A ledger in a folder of its own, removed with this object.
final class TemporaryStore: Sendable {
    let folder: URL
    let path: String
    let ledger: SQLiteLedger

    init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("holdfast-store-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appendingPathComponent("hub.sqlite").path
        ledger = try SQLiteLedger(path: path)
    }

    deinit {
        ledger.close()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Takes a push in and gives its results; nil when the journal was refused.
    func take(_ request: IntakeRequest) async throws -> MutationBatchAnswer? {
        guard case .results(let answer) = try await ledger.takeIn(request) else { return nil }
        return answer
    }

    /// The outcomes of a push in words, `refused` for a journal that is not gone on with.
    func outcomes(_ request: IntakeRequest) async throws -> [String] {
        guard let answer = try await take(request) else { return ["refused"] }
        return answer.results.map { result in
            let code = result.problem?["code"]?.string.map { " \($0)" } ?? ""
            return result.outcome.rawValue + code
        }
    }
}
