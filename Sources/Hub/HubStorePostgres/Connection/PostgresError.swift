internal import CPostgres
internal import HubStore

/// How a command failed, by what its caller does next.
enum PostgresError: Error, Equatable {
    /// The server cannot be reached, or the connection broke before its response. Try on another one.
    case unreachable(String)
    /// Another transaction came first (a serialization failure, a deadlock, a key taken meanwhile). Run the
    /// whole transaction again.
    case collided(state: String)
    /// Another transaction kept a lock for too long. The client has to retry.
    case locked(state: String)
    /// A push took longer than it may keep others waiting.
    case overBudget
    /// A statement was ended since it took longer than it may; its call took `elapsed`.
    case timedOut(elapsed: Duration)
    /// A value cannot be kept as it is. The same one fails again.
    case unfit(state: String, message: String)
    /// The server's disk is full, or it has no more room for connections.
    case full
    /// Anything else; a fault of the hub's or of the server's set-up.
    case refused(state: String, message: String)

    /// The error for a server that did not respond within ``PostgresDeadlines/longest``.
    static let tooLate = PostgresError.unreachable("the database did not respond in time")

    static func unexpected(column: String) -> PostgresError {
        .refused(state: "-----", message: "the column \(column) is not what was asked for")
    }

    /// Runs what speaks with the server through what both stores share.
    static func translating<Value>(_ body: () throws -> Value) throws(PostgresError) -> Value {
        do {
            return try body()
        } catch let error as PostgresError {
            throw error
        } catch is TransactionCollision {
            throw .collided(state: "-----")
        } catch {
            throw .refused(state: "-----", message: "\(error)")
        }
    }

    /// What a result that is an error means, by its SQLSTATE.
    /// (postgresql.org/docs/current/errcodes-appendix.html)
    init(result: OpaquePointer, connection: OpaquePointer) {
        func field(_ code: Int) -> String? {
            cpostgres_result_field(result, Int32(code)).map { String(cString: $0) }
        }
        guard let state = field(CPG_FIELD_SQLSTATE) else {
            self = .unreachable(Self.message(of: connection))
            return
        }
        self.init(state: state, message: field(CPG_FIELD_MESSAGE) ?? "")
    }

    init(state: String, message: String) {
        switch state {
        case "40001", "40P01", "23505": self = .collided(state: state)
        case "57014": self = .timedOut(elapsed: .zero)
        case "55P03": self = .locked(state: state)
        case "53100": self = .full
        case "57P01", "57P02", "57P03", "53300", "25006": self = .unreachable(message)
        case _ where state.hasPrefix("08"): self = .unreachable(message)
        case _ where ["22", "23", "54"].contains(state.prefix(2)):
            self = .unfit(state: state, message: message)
        case _: self = .refused(state: state, message: message)
        }
    }

    /// The last message of the connection itself, on one line.
    static func message(of connection: OpaquePointer) -> String {
        let message = cpostgres_error(connection).map { String(cString: $0) } ?? ""
        return message.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// The port's error for it.
    var ledgerError: LedgerError {
        switch self {
        case .unreachable(let message): .unavailable(message)
        case .collided, .locked: .busy
        case .overBudget: .tooCostly
        case .timedOut: .unavailable("a statement took too long")
        case .full: .full
        case .unfit(let state, let message), .refused(let state, let message):
            .failed("PostgreSQL \(state): \(message)")
        }
    }
}
