package import AgentAPI
internal import Foundation
internal import HubProtocol
internal import TerminalStore
internal import LinuxRuntime
internal import MachineRuntime

extension TerminalLaunch {
    /// Builds a fresh database from what can be read of the damaged one of the home.
    ///
    /// - Returns: what was brought over, exactly what was not, the new epoch, and where the old files lie.
    /// - Throws: kind `unusable` while an agent owns the home, for a home without a database and for one that
    ///   is not usable for another reason than damage: nothing was changed then; `notDurable` when the fresh
    /// one
    ///   cannot be written or put in its place: the next repair goes on from there.
    package func repair() async throws(TerminalError) -> RepairResult {
        try home.requireWritable()
        guard case .taken(let lock) = try HomeLock.attempt(home) else {
            throw TerminalError(.unusable, code: "agent_runs") {
                $0.agentOwns(home.path, command: StoreCondition.repairCommand)
            }
        }
        defer { withExtendedLifetime(lock) {} }
        let now = LinuxSystemTime().wallMilliseconds()
        let outcome: DatabaseRepair.Outcome
        do throws(DatabaseRepair.Failure) {
            outcome = try DatabaseRepair(home: home.path).run(at: now)
        } catch {
            switch error {
            case .notDamaged: return .notDamaged
            case .missing(let path):
                throw TerminalError(.unusable, code: "database_missing") { $0.databaseMissing(path) }
            case .unusable(let error):
                throw TerminalError(.unusable, code: "database_unusable") { $0.databaseUnusable("\(error)") }
            case .notWritten(let detail):
                throw TerminalError(.notDurable, code: "repair_not_written") {
                    $0.repairNotWritten(detail, command: StoreCondition.repairCommand)
                }
            }
        }
        do throws(ShapeError) {
            return .repaired(
                try RepairReport(json: outcome.report), epoch: outcome.epoch, quarantine: outcome.quarantine)
        } catch {
            throw TerminalError(.unusable, code: "internal_error") { $0.repairReportMalformed("\(error)") }
        }
    }
}

extension TerminalError {
    /// Why the database of a home was not opened.
    init(_ error: TerminalDatabaseError) {
        if error.isDamage {
            self.init(.unusable, code: "database_damaged") { $0.databaseDamaged("\(error)") }
        } else {
            self.init(.unusable, code: "database_unusable") { $0.databaseUnusable("\(error)") }
        }
    }

    var isDamage: Bool { code == "database_damaged" }
}
