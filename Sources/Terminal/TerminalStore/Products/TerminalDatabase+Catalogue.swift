internal import GRDB
internal import Retail

extension TerminalDatabase {
    /// ``read(_:)`` with the errors of the catalogue.
    func catalogueRead<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(CatalogueError) -> Value {
        do throws(StoreFailure) {
            return try await read(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }

    /// ``write(_:)`` with the errors of the catalogue.
    func catalogueWrite<Value: Sendable>(
        _ body: @escaping @Sendable (Database) throws -> Value
    ) async throws(CatalogueError) -> Value {
        do throws(StoreFailure) {
            return try await write(body)
        } catch {
            throw .unavailable(detail: "\(error)")
        }
    }
}
