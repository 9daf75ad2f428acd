internal import Foundation
public import HubProtocol
internal import TerminalStore

extension TerminalLaunch {
    /// Builds a fresh database from what can be read of the damaged one of the home.
    ///
    /// - Returns: what was brought over, exactly what was not, the new epoch, and where the old files lie.
    /// - Throws: kind `unusable` while an agent owns the home, for a home without a database and for one that
    ///   is not usable for another reason than damage: nothing was changed then; `notDurable` when the fresh
    /// one
    ///   cannot be written or put in its place: the next repair goes on from there.
    public func repair() async throws(TerminalError) -> JSONValue {
        try home.requireWritable()
        guard case .taken(let lock) = try HomeLock.attempt(home) else {
            throw TerminalError(
                .unusable, code: "agent_runs",
                "an agent owns \(home.path); end it, then run `\(StoreCondition.repairCommand)` again")
        }
        defer { withExtendedLifetime(lock) {} }
        let now = Int64(Date().timeIntervalSince1970 * 1000)
        do throws(DatabaseRepair.Failure) {
            let outcome = try DatabaseRepair(home: home.path).run(at: now)
            var members = outcome.report.object ?? [:]
            members["repaired"] = true
            members["epoch"] = .integer(outcome.epoch)
            members["quarantine"] = .array(outcome.quarantine.map(JSONValue.string))
            return .object(members)
        } catch {
            switch error {
            case .notDamaged: return ["repaired": false]
            case .missing(let path):
                throw TerminalError(
                    .unusable, code: "database_missing",
                    "there is no database at \(path) to repair; restore a copy, or run `pos init`")
            case .unusable(let error):
                throw TerminalError(.unusable, code: "database_unusable", "\(error)")
            case .notWritten(let detail):
                throw TerminalError(
                    .notDurable, code: "repair_not_written",
                    "the repair could not be finished: \(detail); nothing was lost, make room and run "
                        + "`\(StoreCondition.repairCommand)` again")
            }
        }
    }
}

extension TerminalError {
    /// Why the database of a home was not opened.
    init(_ error: TerminalDatabaseError) {
        self.init(.unusable, code: error.isDamage ? "database_damaged" : "database_unusable", "\(error)")
    }

    var isDamage: Bool { code == "database_damaged" }
}
