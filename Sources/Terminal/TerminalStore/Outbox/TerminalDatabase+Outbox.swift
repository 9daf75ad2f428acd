internal import GRDB
internal import OfflineMode

/// The database with the errors of the outbox's port, which attachments share.
extension TerminalDatabase {
    func readOutbox<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(OutboxStorageError) -> Value {
        do throws(StoreFailure) {
            return try await read(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }

    func writeOutbox<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(OutboxStorageError) -> Value {
        do throws(StoreFailure) {
            return try await write(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }
}
