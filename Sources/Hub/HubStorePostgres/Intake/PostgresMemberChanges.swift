internal import HubCore
internal import HubProtocol
internal import HubStore

/// What members were before terminals changed them, as rows of the database.
enum PostgresMemberChanges {
    static func insertion(of changes: [MemberChange]) -> PostgresStatement? {
        guard !changes.isEmpty else { return nil }
        return PostgresStatement(
            "INSERT INTO member_changes (terminal_id, member_id, at, is_new, delta, fields) SELECT * FROM "
                + "unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])",
            [
                .texts(of: changes) { $0.terminalId }, .texts(of: changes) { $0.memberId },
                .integers(of: changes) { $0.at }, .integers(of: changes) { $0.isNew ? 1 : 0 },
                .integers(of: changes) { $0.delta }, .texts(of: changes) { $0.fields.canonicalText },
            ])
    }
}

extension PostgresIntake: MemberReversalTransaction {
    func note(_ change: MemberChange) { draft.unwritten.memberChanges.append(change) }
}
