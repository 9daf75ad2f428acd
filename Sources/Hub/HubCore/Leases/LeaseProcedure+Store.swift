import HubProtocol

/// Shares in advance in a chain of several stores: of the members and coupons of the terminal's store.
extension LeaseProcedure {
    /// Visitors, coupons and leases of each kind that one transaction looks at; of one moment up to
    /// ``AdvanceShares/mostOfMoment``.
    private static var customPortion: Int { 50 }

    /// What the advance of one terminal is judged by.
    private struct Judgement {
        let terms: LeaseTerms
        let active: ActiveTerminals
        /// Of members whose last visit was before it nothing is renewed, in milliseconds since 1970.
        let renewedSince: Int64
        /// Leases that the terminal may get.
        var room: Int64
        /// Counted where a coupon is looked at.
        var stores: Int64?
    }

    /// Of who was at the store since it was last looked at for the terminal, of what the store used, and of
    /// what expires.
    ///
    /// A lease is renewed once, as it enters the last three quarters of its time; what is not renewed then,
    /// since the store is none of the member's last ones, ends.
    ///
    /// - Parameter position: how far was looked, in milliseconds since 1970; nil: not yet.
    mutating func lendOfStore(
        to holder: LeaseHolder, by terms: LeaseTerms, among active: ActiveTerminals, after position: Int64?,
        _ form: String
    ) throws {
        let (storeId, limit) = (holder.device.storeId, Self.customPortion)
        let place = JournalPlace(terminalId: holder.device.terminalId, epoch: holder.epoch)
        // Whoever is not among the last visitors gets nothing, so a new terminal does not begin with them.
        let begin =
            try CustomWindow.known(position, at: now)
            ?? store.visitTime(of: AdvanceShares.mostOfTerminal, in: storeId)
        let window = CustomWindow(after: begin, at: now)
        var judgement = Judgement(
            terms: terms, active: active,
            renewedSince: min(
                now, try store.visitTime(of: AdvanceShares.mostOfTerminal / 2, in: storeId) ?? 0),
            room: AdvanceShares.mostOfTerminal - (try store.openShares(of: place, at: now)))
        var through = window.through
        let visitors =
            terms.kinds.contains(.points) ? try store.visitors(of: storeId, in: window, limit: limit) : []
        if visitors.count >= limit, let last = visitors.last { through = min(through, last.seenAt) }
        let served = terms.hasNeighbours ? place.terminalId : nil
        for visit in visitors.reversed() where served == nil || served == visit.terminalId {
            try advance(.points, visit.memberId, to: holder, &judgement)
        }
        if terms.kinds.contains(.points) {
            let again = try store.wanderers(through: storeId, servedBy: served, in: window, limit: limit)
            for visit in again { try advance(.points, visit.memberId, to: holder, &judgement) }
        }
        let coupons = try store.couponsUsed(in: storeId, in: window, limit: limit)
        if coupons.count >= limit, let last = coupons.last { through = min(through, last.usedAt) }
        for use in coupons { try advance(.coupon, use.couponId, to: holder, &judgement) }
        let ahead = terms.renewedBefore
        let first = max(now, window.after + ahead + 1)
        let expiring = try store.expiring(
            of: place, in: first...max(first, window.through + ahead), limit: limit)
        if expiring.count >= limit, let last = expiring.last {
            through = min(through, last.expiresAt - ahead)
        }
        for lease in expiring { try advance(lease.kind, lease.subject, to: holder, &judgement) }
        let ended = LeaseWindow(endedBy: try store.evidence(of: place), at: now)
        for lease in try store.due(of: place.terminalId, epoch: place.epoch, in: ended, limit: limit) {
            try advance(lease.kind, lease.subject, to: holder, &judgement)
        }
        try store.save(LeaseScan(form: form, position: through), of: place.terminalId)
    }

    private mutating func advance(
        _ kind: LeaseKind, _ subject: String, to holder: LeaseHolder, _ judgement: inout Judgement
    ) throws {
        guard var book = try openBook(kind, subject, by: judgement.terms) else { return }
        let isNew = !book.leases.contains { holder.holds($0, at: now) && !$0.isBrief }
        guard !isNew || judgement.room > 0 else { return }
        let part = try part(of: book, for: holder, &judgement)
        if let lease = book.lendAhead(part, to: holder, by: judgement.terms, at: now, mint: mint) {
            if isNew { judgement.room -= 1 }
            try save(lease)
        }
        for lease in book.recallAhead(part, for: holder, at: now) { try save(lease) }
    }

    private func part(
        of book: LeaseBook, for holder: LeaseHolder, _ judgement: inout Judgement
    ) throws -> AdvanceShares.Part {
        let storeId = holder.device.storeId
        switch book.kind {
        case .points:
            let visits = try store.visits(of: book.subject, at: now)
            let last = visits.first { $0.storeId == storeId && $0.seenAt >= judgement.renewedSince }
            guard let last else { return .none }
            let isOfOne = judgement.terms.hasNeighbours
            let part = AdvanceShares.points(
                at: storeId, visits: visits, balance: book.balance,
                terminals: isOfOne ? 1 : judgement.active.store, by: judgement.terms, at: now)
            return isOfOne ? book.ofOneTill(part, servedBy: last.terminalId, for: holder, at: now) : part
        case .coupon:
            let first = TerminalUsage.day(at: now - AdvanceShares.usesCount)
            let stores = try judgement.stores ?? store.activeStores(at: now)
            judgement.stores = stores
            return AdvanceShares.coupon(
                at: storeId, uses: try store.couponUses(of: book.subject, since: first), left: book.balance,
                stores: stores, terminals: judgement.active.store)
        case .card: return .none
        }
    }
}

extension LeaseWindow {
    /// What expired and ends; nothing is renewed.
    init(endedBy evidence: JournalEvidence?, at now: Int64) {
        self.now = now
        renewedBefore = now
        endedBefore = min(now, evidence?.complete ?? 0)
    }
}
