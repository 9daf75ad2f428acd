internal import Base
internal import DirectSQLite
internal import GRDB
internal import HubProtocol
internal import Retail

/// The table `leases`: what the hub lent this terminal, with what its own sales spent of each.
///
/// The spent counter is written in the sale's own transaction. A copy of it lies in the high-water file,
/// written ahead, so that a database that was restored from an old copy does not spend it again. The file has
/// which leases were given up, too.
struct LeaseTable {
    let database: Database

    /// How far the return of a lease has come. A lease never goes back to an earlier one.
    enum Stage: Int64 {
        /// Sales spend of it, and nobody else wants it.
        case held = 0
        /// Others want it; sales spend of it until it is given up.
        case recalled = 1
        /// Nothing more of it is spent, and the hub has not responded to its return.
        case givenUp = 2
        /// The hub has it back, or ended it.
        case over = 3
    }

    /// A terminal records nothing under a lease from this long before its end on, in milliseconds, so that no
    /// sale follows a head that says that nothing more will come. A clock drifts by some seconds in three
    /// days; half of it still holds, double only shortens a lease of 15 minutes.
    static let margin: Int64 = 60_000

    /// Those of a subject that can be spent at `now`, by the hub's clock, the next to expire first.
    func held(_ kind: LeaseKind, of subject: String, at now: Int64) throws -> [HeldLease] {
        try DirectStatement(
            """
            SELECT lease_id, amount - spent, expires_at FROM leases
            WHERE kind = ? AND subject = ? AND epoch = (SELECT epoch FROM terminal) AND spent < amount
                AND stage < 2 AND expires_at > ? ORDER BY expires_at, lease_id
            """, in: database
        ).all({ row in
            row.add(kind.rawValue)
            row.add(subject)
            row.add(now + Self.margin)
        }) { row in
            HeldLease(
                id: row.text(0), kind: kind, subject: subject, left: row.integer(1),
                expiresAt: row.integer(2))
        }
    }

    /// Keeps a lease, also as that of another member, with all that the hub signed of it. An older version
    /// than the known one changes nothing, and neither does one with a wrong signature of a key of the
    /// hub's, or another terminal's.
    ///
    /// - Parameters:
    ///   - received: the record as it came: the hub signs members of later versions too. Nil: there are none.
    ///   - marks: what the high-water file has.
    func keep(_ record: LeaseRecord, as received: JSONValue? = nil, _ marks: LeaseMarks) throws {
        let document = received ?? record.json
        guard try isOwn(record), try isSigned(document) != false else { return }
        let stage: Stage =
            marks.givenUp.contains(record.leaseId) ? .givenUp : record.isRecalled ? .recalled : .held
        try DirectStatement(
            """
            INSERT INTO leases
                (lease_id, kind, subject, amount, expires_at, version, epoch, spent, stage, signed)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (lease_id) DO UPDATE SET subject = excluded.subject, amount = excluded.amount,
                expires_at = excluded.expires_at, version = excluded.version, stage = excluded.stage,
                signed = excluded.signed
            WHERE excluded.version > leases.version AND leases.stage < 2
            """, in: database
        ).run { row in
            row.add(record.leaseId)
            row.add(record.kind.rawValue)
            row.add(record.subject)
            row.add(record.amount)
            row.add(record.expiresAt)
            row.add(record.version)
            row.add(record.epoch)
            row.add(marks.spent[record.leaseId] ?? 0)
            row.add(stage.rawValue)
            row.add(record.signature == nil ? nil : document.canonicalText)
        }
    }

    /// The signing keys of the hub that this terminal trusts.
    private func hubKeys() throws -> [HubPublicKey] {
        try SQLiteTerminalFacts.fact(SQLiteTerminalFacts.hubKeysName, in: database)
            .flatMap { try? JSONParser.parse($0.utf8) }.flatMap { try? HubKeyList(json: $0) }?.signing ?? []
    }

    /// A lease as a key of the hub's signed it; nil: there is none, or it has no such signature.
    func signed(_ id: String) throws -> JSONValue? {
        let text =
            try DirectStatement("SELECT signed FROM leases WHERE lease_id = ?", in: database)
            .first({ $0.add(id) }) { $0.optionalText(0) } ?? nil
        guard let document = text.flatMap({ try? JSONParser.parse($0.utf8) }),
            try isSigned(document) == true
        else { return nil }
        return document
    }

    /// Leases of points and coupons of which a part can be given to another till at `now`, by the hub's
    /// clock, those with most left first: a lease itself, or those of a subject. None of a hub that signs
    /// no leases: it knows nothing of parts.
    func givable(_ right: String, at now: Int64) throws -> [(lease: HeldLease, spent: Int64)] {
        try DirectStatement(
            """
            SELECT lease_id, kind, subject, amount - spent, expires_at, spent FROM leases
            WHERE (lease_id = ?1 OR kind IN ('points', 'coupon') AND subject = ?1) AND kind <> 'card'
                AND epoch = (SELECT epoch FROM terminal) AND spent < amount AND stage < 2
                AND expires_at > ?2 AND signed IS NOT NULL ORDER BY amount - spent DESC, lease_id
            """, in: database
        ).all({ row in
            row.add(right)
            row.add(now + Self.margin)
        }) { row in
            let held = HeldLease(
                id: row.text(0), kind: LeaseKind(rawValue: row.text(1)) ?? .points, subject: row.text(2),
                left: row.integer(3), expiresAt: row.integer(4))
            return (held, row.integer(5))
        }.filter { try !LeaseRecord.isPart($0.lease.id) && signed($0.lease.id) != nil }
    }

    /// Keeps a part of another till's lease as a lease of this one; one that is here stays as it is. The hub
    /// sends its own version of it later.
    func insert(_ grant: GrantedRight, of lease: LeaseRecord, _ marks: LeaseMarks) throws {
        let stage: Stage = marks.givenUp.contains(grant.partId) ? .givenUp : .held
        try DirectStatement(
            """
            INSERT INTO leases (lease_id, kind, subject, amount, expires_at, version, epoch, spent, stage)
            VALUES (?, ?, ?, ?, ?, 0, (SELECT epoch FROM terminal), ?, ?) ON CONFLICT DO NOTHING
            """, in: database
        ).run { row in
            row.add(grant.partId)
            row.add(lease.kind.rawValue)
            row.add(lease.subject)
            row.add(grant.amount)
            row.add(min(lease.expiresAt, grant.endsAt ?? lease.expiresAt))
            row.add(marks.spent[grant.partId] ?? 0)
            row.add(stage.rawValue)
        }
    }

    /// A hub that signs no leases names no terminal.
    private func isOwn(_ record: LeaseRecord) throws -> Bool {
        guard let terminalId = record.terminalId else { return true }
        return try DirectStatement("SELECT 1 FROM terminal WHERE terminal_id = ?", in: database)
            .first({ $0.add(terminalId) }) { _ in true } ?? false
    }

    /// Whether one of the hub's keys signed a lease as it came. Nil: it names none of them.
    func isSigned(_ document: JSONValue) throws -> Bool? {
        try LeaseRecord.isSigned(document, by: hubKeys())
    }

    /// The hub ended leases, or has them back: nothing more of them is spent.
    func end(_ ids: [String]) throws {
        let update = try DirectStatement("UPDATE leases SET stage = 3 WHERE lease_id = ?", in: database)
        for id in ids { try update.run { $0.add(id) } }
    }

    /// The terminal is another one from now on, to which nobody lent anything.
    func endAll() throws { try DirectStatement("UPDATE leases SET stage = 3", in: database).run() }

    /// The leases of the journal's epoch that are recalled or given up, those that the hub waits for first.
    /// One of which a part is being given is returned once that is in the journal.
    func toReturn() throws -> [(id: String, stage: Stage, spent: Int64)] {
        try DirectStatement(
            """
            SELECT lease_id, stage, spent FROM leases WHERE stage IN (1, 2)
                AND epoch = (SELECT epoch FROM terminal) AND lease_id NOT IN
                    (SELECT right_id FROM grants WHERE kind = 'lease' AND is_noted = 0)
            ORDER BY stage DESC, lease_id
            """, in: database
        ).all { row in (row.text(0), Stage(rawValue: row.integer(1)) ?? .givenUp, row.integer(2)) }
    }

    /// Nothing more of these leases is spent from now on.
    func giveUp(_ ids: [String]) throws {
        if PlantedBug.returnedLeaseSpent.isPlanted { return }
        let update = try DirectStatement(
            "UPDATE leases SET stage = 2 WHERE lease_id = ? AND stage < 2", in: database)
        for id in ids { try update.run { $0.add(id) } }
    }

    /// What each lease of `uses` has spent with them.
    ///
    /// - Parameter now: the hub's time.
    /// - Throws: `.leaseSpent` where another sale took it meanwhile, it ended or was given up while a card
    ///   was taken, or a new epoch made it void.
    func spent(with uses: [LeaseUse], at now: Int64) throws -> [String: Int64] {
        var spent: [String: Int64] = [:]
        for use in uses {
            let row = try DirectStatement(
                """
                SELECT amount, spent FROM leases
                WHERE lease_id = ? AND expires_at > ? AND epoch = (SELECT epoch FROM terminal) AND stage < 2
                """, in: database
            ).first({ row in
                row.add(use.leaseId)
                row.add(now + Self.margin)
            }) { ($0.integer(0), $0.integer(1)) }
            guard let (amount, before) = row else { throw StoreFailure.leaseSpent(use, left: 0) }
            let (after, overflows) = (spent[use.leaseId] ?? before).addingReportingOverflow(use.amount)
            guard !overflows, after <= amount else {
                throw StoreFailure.leaseSpent(use, left: max(0, amount - before))
            }
            spent[use.leaseId] = after
        }
        return spent
    }

    /// What was lent by a lease, and what was spent or given of it; nil: it is not here.
    func amounts(of id: String) throws -> (amount: Int64, spent: Int64)? {
        try DirectStatement("SELECT amount, spent FROM leases WHERE lease_id = ?", in: database)
            .first({ $0.add(id) }) { ($0.integer(0), $0.integer(1)) }
    }

    /// What the leases of `uses` have spent now; nothing of those that are gone.
    func spent(of uses: [LeaseUse]) throws -> [String: Int64] {
        let counter = try DirectStatement("SELECT spent FROM leases WHERE lease_id = ?", in: database)
        var spent: [String: Int64] = [:]
        for use in uses { spent[use.leaseId] = try counter.first({ $0.add(use.leaseId) }) { $0.integer(0) } }
        return spent
    }

    /// Writes the counters of ``spent(with:at:)``; in the sale's transaction.
    func write(spent: [String: Int64]) throws {
        let update = try DirectStatement("UPDATE leases SET spent = ? WHERE lease_id = ?", in: database)
        for (id, count) in spent {
            try update.run { row in
                row.add(count)
                row.add(id)
            }
        }
    }

    /// Gives back what a voided sale used; in the void's transaction.
    ///
    /// - Returns: what the terminal has again. Leases of another epoch, those that are gone, and those that
    ///   were given up or ended stay spent: what the void frees of them is free at the hub.
    func giveBack(_ uses: [LeaseUse]) throws -> [LeaseUse] {
        let update = try DirectStatement(
            """
            UPDATE leases SET spent = spent - ?1
            WHERE lease_id = ?2 AND spent >= ?1 AND stage < 2 AND epoch = (SELECT epoch FROM terminal)
            RETURNING 1
            """, in: database)
        return try uses.filter { use in
            try update.first({ row in
                row.add(use.amount)
                row.add(use.leaseId)
            }) { _ in true } != nil
        }
    }

    /// Takes over what the high-water file has more than a database that was restored.
    func raise(to marks: LeaseMarks) throws {
        let update = try DirectStatement(
            "UPDATE leases SET spent = max(spent, ?) WHERE lease_id = ?", in: database)
        for (id, count) in marks.spent {
            try update.run { row in
                row.add(count)
                row.add(id)
            }
        }
        try giveUp(Array(marks.givenUp))
    }

    /// Deletes leases that expired more than a day before `hubTime`, by the hub's clock, and of which nothing
    /// was spent at any time or which the hub ended or has back. What was spent of the others is kept: a hub
    /// that renews one would lend it anew, and a sale that is void by now may arrive after a return of it.
    ///
    /// - Parameter marks: what the high-water file has.
    /// - Returns: their ids.
    func erase(before hubTime: Int64, _ marks: LeaseMarks) throws -> [String] {
        let spent = JSONValue.array(marks.mostSpent.keys.sorted().map(JSONValue.string)).canonicalText
        return try DirectStatement(
            """
            DELETE FROM leases WHERE expires_at < ? AND (stage = 3
                OR spent = 0 AND lease_id NOT IN (SELECT value FROM json_each(?))) RETURNING lease_id
            """, in: database
        ).all({ row in
            row.add(hubTime - 86_400_000)
            row.add(spent)
        }) { $0.text(0) }
    }
}
