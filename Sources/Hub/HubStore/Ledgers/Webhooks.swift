package import HubCore

/// The receivers of the journal feed.
extension Ledger {
    /// All, the first that was added first.
    package func webhooks() async throws(LedgerError) -> [Webhook] {
        try await read { session in
            try session.rows("SELECT \(WebhookRow.columns) FROM webhooks ORDER BY added_at, id")
                .map(WebhookRow.webhook)
        }
    }

    /// One conditional statement; of two hubs that add the last one at once, both may.
    ///
    /// - Returns: false where there are ``Webhook/most`` already.
    package func add(_ webhook: Webhook) async throws(LedgerError) -> Bool {
        let kinds = webhook.kinds?.map(\.rawValue).sorted().joined(separator: ",") ?? ""
        let place = webhook.delivery.through
        let secret = webhook.secret
        return try await change { session in
            try session.first(
                "INSERT INTO webhooks (id, url, kinds, secret, added_at, life, number, failures, held_until) "
                    + "SELECT $1, $2, $3, $4, $5, $6, $7, 0, 0 "
                    + "WHERE (SELECT COUNT(*) FROM webhooks) < \(Webhook.most) RETURNING 1",
                [webhook.id, webhook.url, kinds, secret, webhook.addedAt, place.life, place.number]) != nil
        }
    }

    /// One statement.
    ///
    /// - Returns: whether there was one.
    package func removeWebhook(_ id: String) async throws(LedgerError) -> Bool {
        try await change { session in
            try session.first("DELETE FROM webhooks WHERE id = $1 RETURNING 1", [id]) != nil
        }
    }

    /// One statement.
    ///
    /// - Returns: whether there is one.
    package func setWebhookSecret(_ secret: String, of id: String) async throws(LedgerError) -> Bool {
        try await change { session in
            try session.first("UPDATE webhooks SET secret = $2 WHERE id = $1 RETURNING 1", [id, secret])
                != nil
        }
    }

    /// Takes a webhook for one process, so that no other delivers to it meanwhile. One conditional statement.
    /// A time further away than it is taken for is of a clock that was set back.
    ///
    /// - Parameters:
    ///   - holder: the process, the same as long as it lives.
    ///   - now: milliseconds since 1970, by the process.
    /// - Returns: what is kept then; nil while another process has it, and for one that is gone.
    package func takeWebhook(
        _ id: String, by holder: String, at now: Int64
    ) async throws(LedgerError) -> Webhook? {
        try await change { session in
            try session.first(
                "UPDATE webhooks SET holder = $2, held_until = $3 WHERE id = $1 "
                    + "AND (holder = $2 OR held_until <= $4 OR held_until > $3) "
                    + "RETURNING \(WebhookRow.columns)",
                [id, holder, now + takenFor, now]
            ).map(WebhookRow.webhook)
        }
    }

    /// Keeps what came of a delivery, unless somebody else moved the place since. One conditional statement.
    ///
    /// - Parameters:
    ///   - place: where it was before.
    ///   - holder: the process that took it; nil: a person, who may always.
    package func keep(
        _ delivery: WebhookDelivery, ofWebhook id: String, insteadOf place: JournalCursor, by holder: String?
    ) async throws(LedgerError) -> Bool {
        try await change { session in
            try session.first(
                "UPDATE webhooks SET life = $4, number = $5, failures = $6, failing_since = $7, "
                    + "next_try = $8, problem = $9, delivered_at = $10 "
                    + "WHERE id = $1 AND life = $2 AND number = $3 "
                    + "AND (CAST($11 AS TEXT) IS NULL OR holder = $11) RETURNING 1",
                [
                    id, place.life, place.number, delivery.through.life, delivery.through.number,
                    delivery.failures, delivery.failingSince, delivery.nextTry, delivery.problem,
                    delivery.deliveredAt, holder,
                ]) != nil
        }
    }
}

/// Longer than one delivery takes, in milliseconds: a process that ended lets the others wait as long.
private let takenFor: Int64 = 30_000

private enum WebhookRow {
    static let columns =
        "id, url, kinds, secret, added_at, life, number, failures, failing_since, next_try, problem, "
        + "delivered_at"

    static func webhook(_ row: StoreRow) throws -> Webhook {
        let kinds: String = try row[2]
        return Webhook(
            id: try row[0], url: try row[1],
            kinds: kinds.isEmpty
                ? nil
                : Set(kinds.split(separator: ",").compactMap { JournalDocument.Kind(rawValue: "\($0)") }),
            secret: try row[3], addedAt: try row[4],
            delivery: WebhookDelivery(
                through: JournalCursor(life: try row[5], number: try row[6]), failures: try row[7],
                failingSince: try row[8], nextTry: try row[9], problem: try row[10],
                deliveredAt: try row[11]))
    }
}
