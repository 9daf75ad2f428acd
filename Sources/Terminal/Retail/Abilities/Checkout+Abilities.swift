internal import HubProtocol
internal import OfflineCore
internal import OfflineMode

/// Gathers what ``TillAbilities`` decides by.
extension Checkout {
    /// What can be done now, by whoever is signed in.
    ///
    /// - Parameters:
    ///   - typed: the member whose points are meant: an id or a telephone number; nil: nobody.
    ///   - isFromHub: whether the hub is requested for the member, within the wait budget; else the
    ///     terminal's copy says it. Default: true.
    package func abilities(ofMember typed: String? = nil, isFromHub: Bool = true) async -> TillAbilities {
        var facts = await facts(
            clock: clockDifference(of: SaleRequest(lines: [])), of: await signedInRole(), isSelling: false)
        if let typed, !isFromHub {
            facts.points = await pointsFacts(of: await members.copied(typed, policy: policy))
        } else if let typed {
            let waiting = SaleWaiting(budget: ports.delivery.waitBudget)
            facts.points = await pointsFacts(
                of: await members.find(typed, policy: policy, within: waiting))
        } else {
            facts.points.scheme = policy.points
        }
        return TillAbilities(facts)
    }

    /// What would be possible if the network failed now: for readiness.
    package func abilitiesInOutage() async -> TillAbilities {
        var facts = modeFacts()
        (facts.isOnline, facts.causes) = (false, [.network])
        if facts.payment == nil { facts.payment = .network }
        await addPeople(to: &facts, await signedInRole())
        await addStore(to: &facts, isSelling: false, storesCards: true)
        // Nothing is lent then.
        return TillAbilities(facts)
    }

    /// What decides a sale of `request`, before anything of it is priced.
    func abilities(for request: SaleRequest) async -> TillAbilities {
        let kinds = Set(request.methods.compactMap { policy.tender($0)?.kind })
        return TillAbilities(
            await facts(
                clock: clockDifference(of: request), of: nil, isSelling: true,
                storesCards: kinds.contains(.card) || kinds.contains(.wallet)))
    }

    /// What decides the cards of a sale that is priced.
    ///
    /// - Parameter role: of whoever sells; nil in a store without cashiers.
    func cardFacts(of role: CashierRole?) async -> TillFacts {
        await facts(clock: nil, of: role, isSelling: true)
    }

    /// What decides a quote beside its lines.
    func abilities(ofQuote request: SaleRequest) async -> TillAbilities {
        TillAbilities(
            await facts(
                clock: clockDifference(of: request), of: await signedInRole(), isSelling: false,
                storesCards: false))
    }

    /// The mode and the way to the payment service, without a read.
    func modeFacts() -> TillFacts {
        let (policy, status) = (policy, ports.modes.status)
        var facts = TillFacts(
            tenders: policy.tenders.tenders,
            approvals: policy.approvals(hasManager: ports.counter.roster.hasManager))
        facts.unlistedTenders = policy.unlistedTenders
        (facts.isOnline, facts.causes) = (status.mode == .online, status.causes)
        facts.machine = ports.machine.map { machine in
            TillFacts.Machine(isFirst: policy.isCardMachineFirst, readiness: machine.readiness)
        }
        if !policy.takesCards {
            facts.payment = .noPayments
        } else if status.connectivity.state == .authBlocked {
            facts.payment = .notEnrolled
        } else if let obstacle = ports.cards.obstacle {
            facts.payment = obstacle
        } else if ports.modes.route(of: HubService.payment.rawValue) != .online {
            facts.payment = TillObstacle(status) ?? .service("payment")
        }
        return facts
    }

    /// - Parameter isSelling: whether room on the disk is kept for what is about to be recorded.
    private func facts(
        clock: SaleRefusal?, of role: CashierRole?, isSelling: Bool, storesCards: Bool = true
    ) async -> TillFacts {
        var facts = modeFacts()
        facts.clock = clock
        await addPeople(to: &facts, role)
        await addStore(to: &facts, isSelling: isSelling, storesCards: storesCards)
        return facts
    }

    private func addPeople(to facts: inout TillFacts, _ role: CashierRole?) async {
        facts.people.hasCashiers = ports.counter.roster.hasCashiers
        facts.people.hasManager = ports.counter.roster.hasManager
        facts.people.role = role
    }

    private func addStore(to facts: inout TillFacts, isSelling: Bool, storesCards: Bool) async {
        do throws(StorageError) {
            if isSelling {
                try await ports.ledger.checkReadiness()
            } else {
                try await ports.ledger.readiness()
            }
            let limits = storesCards ? await storedLimits(facts) : nil
            guard limits != nil || policy.requiresShift else { return }
            let shift = try await ports.ledger.openShift()
            facts.lacksShift = policy.requiresShift && shift == nil
            guard let limits, let cards = ports.offlineCards else { return }
            facts.storage = TillFacts.CardStorage(
                room: try await cards.room(within: limits, in: shift, policy.calendar),
                lease: try await cardLease(limits))
            facts.shift = shift
        } catch {
            facts.disk = SaleRefusal(error)
        }
    }

    /// The store's limits where something here gives tokens, and the hub is to forward them.
    private func storedLimits(_ facts: TillFacts) async -> OfflineCardLimits? {
        switch facts.payment {
        case nil, .noPayments, .notEnrolled: return nil
        case _: break
        }
        guard let limits = policy.offlineCards, let cards = ports.offlineCards, await cards.hasTokens else {
            return nil
        }
        return limits
    }

    /// Nil: the store has no limit of its own, or the hub lends more when it is needed.
    private func cardLease(_ limits: OfflineCardLimits) async throws(StorageError) -> Int64? {
        guard limits.perStore != nil, !inquiry.isAwaited(.lease) else { return nil }
        return try await held(.card, of: try await ports.wallet.storeId() ?? "").left
    }

    /// What is known of the points of a member who was looked up; nil: nobody was.
    func pointsFacts(of found: MemberService.Found?) async -> PointsFacts {
        var facts = PointsFacts()
        facts.scheme = policy.points
        guard let found, found.isKnown else { return facts }
        facts.isMemberKnown = true
        (facts.balance, facts.isBalanceFresh) = (found.member.points, found.isFromHub)
        // Where the hub has just not responded about the member it lends nothing, either: the leases are what
        // the till can certainly spend, also in the second in which the mode is still online.
        facts.isLending = !found.isHubAway && inquiry.isAwaited(.lease)
        facts.isShared = await ports.tills.canTake
        facts.held = (try? await held(.points, of: found.member.id).left) ?? 0
        return facts
    }

    private func signedInRole() async -> CashierRole? {
        guard ports.counter.roster.hasCashiers else { return nil }
        return ((try? await authority.signedIn()) ?? nil)?.signIn.cashier.role
    }
}

extension SaleRequest {
    /// What pays it; without a payment cash does.
    var methods: [String] { payments.isEmpty ? [Tender.cash.method] : payments.map(\.method) }
}

extension TillAbilities {
    /// Refuses a sale that is paid by `methods`; one that the store does not have is refused with the cart.
    func check(_ methods: [String]) throws(SaleRefusal) {
        if let refusal = self[.sale].refusal { throw refusal }
        for method in methods {
            if let refusal = self[method]?.refusal { throw refusal }
        }
    }
}
