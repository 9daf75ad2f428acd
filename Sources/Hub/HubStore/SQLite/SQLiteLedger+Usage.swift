internal import GRDB
internal import HubCore

extension Database {
    func usage(of terminalId: String, on day: Int64) throws -> TerminalUsage {
        try first(
            "SELECT mutations, bytes, attachments, points FROM terminal_usage "
                + "WHERE day = ? AND terminal_id = ?", [day, terminalId]
        ).map { TerminalUsage(mutations: $0[0], bytes: $0[1], attachments: $0[2], points: $0[3]) }
            ?? TerminalUsage()
    }

    func add(_ usage: TerminalUsage, of terminalId: String, on day: Int64) throws {
        guard usage != TerminalUsage() else { return }
        let sum = try self.usage(of: terminalId, on: day) + usage
        try run(
            "INSERT INTO terminal_usage (day, terminal_id, mutations, bytes, attachments, points) "
                + "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (day, terminal_id) DO UPDATE "
                + "SET mutations = excluded.mutations, bytes = excluded.bytes, "
                + "attachments = excluded.attachments, points = excluded.points",
            [day, terminalId, sum.mutations, sum.bytes, sum.attachments, sum.points])
    }
}
