package import Base
package import HubProtocol
package import MachineRuntime
internal import Synchronization

/// Runs the requests of one card machine: it keeps each before it is sent, sends one at a time, and follows
/// what was lost until it is known. What is decided is in ``DeviceRequest``.
package actor CardDevice: CardMachine {
    package nonisolated let adapter: any DeviceAdapter
    private let ledger: any DeviceLedger
    private let time: any SystemTime
    private let changed: @Sendable () -> Void
    private let accepted: @Sendable (DeviceRequest) -> Void
    /// One dialogue at a time, as a machine has it.
    private let gate = SerialGate()
    /// Those whose result nobody knows, by key.
    private var undecided: [String: DeviceRequest] = [:]
    private var isLoaded = false
    /// Of the store, ISO 4217.
    private let storeCurrency: @Sendable () async -> String?
    /// The one that is being sent.
    private var running: DeviceRequest?
    private nonisolated let seen = Mutex(Seen())
    /// Ends the follower's sleep when a result is lost, and when a query is due.
    private nonisolated let wakeUp = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// What is read without a suspension.
    private struct Seen {
        /// How the machine showed itself where it took nothing, and until when that counts.
        var passed: (how: MachineReadiness, until: Instant)?
        var hidesAnother = false
        var progress: DeviceProgress?
        /// A booking of somebody else, which is the newest one, by its receipt number.
        var foreign: Int64?
    }

    /// How long a machine that took nothing is passed over where another way is open. Halved, each second
    /// sale in an outage waits for it; doubled, one that was switched on is not used for a minute.
    private static let awayTime = Duration.seconds(30)
    /// The same of one that is busy: with another till's shopper, who is soon done. Halved, a sale waits for
    /// nothing; doubled, the next card goes another way while the machine is free.
    private static let busyTime = Duration.seconds(5)
    /// How long a sale waits for the result of a lost response before it waits as a parked cart. Halved, a
    /// machine that restarts its connection is too late; doubled, the next customer stands longer.
    private static let resultBudget = Duration.seconds(10)

    /// - Parameters:
    ///   - currency: of the store, ISO 4217; nil inside: not known yet.
    ///   - changed: called when a result became known, or a state that people see.
    ///   - accepted: called with a charge without a sale whose void the machine took on.
    package init(
        _ adapter: any DeviceAdapter, ledger: any DeviceLedger, time: any SystemTime,
        currency: @escaping @Sendable () async -> String? = { nil },
        changed: @escaping @Sendable () -> Void = {},
        accepted: @escaping @Sendable (DeviceRequest) -> Void = { _ in }
    ) {
        (self.adapter, self.ledger, self.time, self.changed) = (adapter, ledger, time, changed)
        (storeCurrency, self.accepted) = (currency, accepted)
    }

    package nonisolated var readiness: MachineReadiness {
        seen.withLock { seen in
            if seen.hidesAnother { return .undecided }
            guard let passed = seen.passed, passed.until > time.now() else { return .ready }
            return passed.how
        }
    }

    /// What the machine wants of the shopper now; nil while no request runs.
    package nonisolated var progress: DeviceProgress? { seen.withLock { $0.progress } }

    /// The machine's newest booking where somebody else made it. Nil: it is
    /// one of this till, or not known.
    package nonisolated var foreignReceipt: Int64? { seen.withLock { $0.foreign } }

    /// A cancelled caller sends the machine's abort, and has the outcome that the machine says then.
    package func charge(_ request: DeviceRequest) async -> DeviceRequest {
        let giveUp = GiveUp()
        let work = Task { await charge(request, until: giveUp) }
        return await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            giveUp.request()
        }
    }

    private func charge(_ new: DeviceRequest, until giveUp: GiveUp) async -> DeviceRequest {
        func notSent(_ trouble: DeviceTrouble) -> DeviceRequest {
            var request = new
            _ = request.handle(.ended(.notSent(trouble)), at: time.now())
            return request
        }
        let charged = await gate.pass { () -> DeviceRequest in
            guard var request = await request(new.key, or: { _ in new }) else { return notSent(.notKept) }
            if request.state == .intent {
                if hides(another: request) { return notSent(.undecided) }
                // Given up while another request was at the machine.
                guard !giveUp.isRequested else { return notSent(.busy) }
                request = await send(request, of: nil, until: giveUp)
            } else {
                request = await apply(.wanted, to: request)
            }
            let budget = time.now() + Self.resultBudget
            while request.isUndecided, !giveUp.isRequested, let next = request.deadline, next < budget,
                (try? await time.sleep(until: next)) != nil
            {
                request = await apply(.timeAdvanced, to: request)
            }
            return request
        }
        return charged ?? notSent(.busy)
    }

    package func giveBack(key: String) async -> Bool {
        await gate.pass { () -> Bool in
            await load()
            do throws(StorageError) {
                // Without a row nothing was ever sent.
                guard let found = try await ledger.request(key) else { return isLoaded }
                let known = await apply(.wanted, to: undecided[key] ?? found)
                return await apply(.givenUp, to: known).isAtRest
            } catch {
                return false
            }
        } ?? false
    }

    package func refund(
        key: String, refundId: String, amount: Int64, currency: String, isAttended: Bool
    ) async -> MachineRefund {
        await gate.pass { () -> MachineRefund in
            let charge: DeviceRequest?
            do throws(StorageError) { charge = try await ledger.request(key) } catch {
                return .unknown(detail: "the request cannot be read")
            }
            guard let charge, charge.proof != nil else {
                return .refused(reason: "this till has no charge of this machine under the key")
            }
            let isWhole =
                amount == charge.amount && adapter.abilities.contains(.voidsCharge)
                && !adapter.abilities.contains(.refundsLinked)
            let keys = Self.returnKeys(of: key, by: refundId)
            // After the device's own end of day nothing is undone any more, and some begin again with numbers
            // of bookings that others have had. A reversal that was begun before is followed to its end.
            let isUndone: Bool
            do throws(StorageError) {
                let isBegun = try await ledger.request(keys[0]) != nil
                let isClosed = try await ledger.isDayClosed(behind: charge)
                isUndone = isWhole && (isBegun || !isClosed)
            } catch {
                return .unknown(detail: "the request cannot be read")
            }
            if isUndone {
                let first = await giveBack(.reversal, keys[0], of: charge, amount: amount)
                // It may have made an end of day by itself.
                guard case .refused = first, adapter.abilities.contains(.refundsUnlinked) else {
                    return first
                }
            }
            return await giveBack(
                .refund, keys[isWhole ? 1 : 0], of: charge, amount: amount, isAttended: isAttended)
        } ?? .unknown(detail: "the machine is busy")
    }

    /// Follows lost results, and takes what the machine sends by itself, until the task is cancelled. To be
    /// called once.
    package func follow() async {
        async let listening: Void = adapter.listen()
        await followResults()
        await listening
    }

    private func followResults() async {
        await load()
        await query(.wanted)
        if adapter.abilities.contains(.remembersLast) { _ = try? await isForeign(look()) }
        var sleeper = sleeper()
        for await _ in wakeUp.stream {
            sleeper?.cancel()
            await query(.timeAdvanced)
            sleeper = self.sleeper()
        }
        sleeper?.cancel()
    }

    private func query(_ event: DeviceRequest.Event) async {
        for key in undecided.keys.sorted() {
            await gate.pass {
                if let request = undecided[key] { _ = await apply(event, to: request) }
            }
        }
    }

    /// Wakes the follower at the next query; nil: none is due by time.
    private func sleeper() -> Task<Void, Never>? {
        undecided.values.compactMap(\.deadline).min().map { next in
            Task { [time, wakeUp] in
                if (try? await time.sleep(until: next)) != nil { wakeUp.continuation.yield() }
            }
        }
    }

    /// As it is on disk; nil: nothing was ever sent under the key.
    package func request(_ key: String) async throws(StorageError) -> DeviceRequest? {
        try await ledger.request(key)
    }

    /// What is not finished, for people.
    package func open() async throws(StorageError) -> [DeviceRequest] {
        try await ledger.open().map { undecided[$0.key] ?? $0 }
    }

    /// What people decided since the machine's end of day agreed with the till's last.
    package func unconfirmedDecisions() async throws(StorageError) -> [CardDecision] {
        try await ledger.unconfirmedDecisions()
    }

    /// Whether nothing can be sent to the machine any more.
    private nonisolated var isGone: Bool { adapter is FormerCardMachine }

    /// A person decides what nobody knows, with the machine's paper. Nothing counts as decided before it is
    /// on disk.
    ///
    /// - Returns: nil where no result of this key is open.
    package func decide(
        _ key: String, isDone: Bool, text: String, by act: DeviceAct
    ) async throws(StorageError) -> DeviceRequest? {
        let result = await gate.pass { () -> Result<DeviceRequest?, StorageError> in
            await load()
            do throws(StorageError) {
                let known = if let known = undecided[key] { known } else { try await ledger.request(key) }
                // What the hub's payment service has to say is its own.
                guard var request = known, request.origin?.kind.isMachine ?? true else {
                    return .success(nil)
                }
                // A machine that is there gives it back.
                if case .voiding = request.state, !isGone { return .success(nil) }
                // What a kill left as sent is a lost response.
                _ = request.handle(.wanted, at: time.now())
                let person = act.person.approverId ?? act.person.cashierId
                let decided = DeviceRequest.Event.decided(isDone: isDone, text: text, by: person)
                let effects = request.handle(decided, at: time.now())
                guard effects.contains(.keep) else { return .success(nil) }
                try await ledger.decide(request, isDone: isDone, text: text, by: act)
                note(request)
                guard isGone else { return .success(request) }
                // What is said of a charge's void is said of its reversal.
                if let reversal = undecided[Self.undoKey(of: request.key)] {
                    _ = await apply(decided, to: reversal)
                }
                return .success(effects.contains(.reverse) ? await apply(.givenUp, to: request) : request)
            } catch {
                return .failure(error)
            }
        }
        return try result?.get()
    }

    /// The machine's papers of a charge, the customer's and then the shop's, without card numbers; empty: it
    /// printed them itself, or none. What a person decided begins with their name.
    ///
    /// - Parameter refundId: by which the charge went back; then those of that. Nil: of the charge.
    package func papers(
        of key: String, backBy refundId: String? = nil, in language: Language
    ) async -> [[String]] {
        var papers: [[String]] = []
        for key in refundId.map({ Self.returnKeys(of: key, by: $0) }) ?? [key] {
            guard let proof = (try? await ledger.request(key))?.proof else { continue }
            let decided = proof.decidedBy.map { [language.reportTexts.decided(by: $0)] } ?? []
            papers += [decided + proof.customerPaper, proof.merchantPaper].filter { !$0.isEmpty }
        }
        return papers
    }

    /// The keys of the requests by which a refund gives money of a charge back: the first one, and the one
    /// that is sent where the machine refuses to undo the whole charge.
    package static func returnKeys(of key: String, by refundId: String) -> [String] {
        ["\(refundId).\(key)", "\(refundId).\(key).R"]
    }

    /// The key of the request by which a charge without a sale is undone.
    package static func undoKey(of key: String) -> String { "\(key).V" }

    /// What the machine shows of itself; one that is at work is busy.
    package func look() async -> DeviceLook {
        let look = await gate.passIfFree { await adapter.look(currency: await currency()) }
        guard let look else { return DeviceLook(trouble: .busy) }
        note(MachineReadiness(look.trouble))
        return look
    }

    /// Whether the newest booking of the machine is one that this till did not see, and none of its own is
    /// open.
    package func isForeign(_ look: DeviceLook) async throws(StorageError) -> Bool {
        guard adapter.abilities.contains(.remembersLast), !isHiding, let last = look.last, last.isApproved
        else { return false }
        return try await noteForeign(last.receipt, at: look.machineId)
    }

    /// - Parameter shown: of the machine's newest booking.
    private func noteForeign(_ shown: Int64?, at machineId: String?) async throws(StorageError) -> Bool {
        let known = try await ledger.lastReceipt(of: place(of: machineId))
        // A till that has made none knows none: whatever is there is somebody else's.
        let isForeign = shown != nil && known != shown
        let before = seen.withLock { seen in
            defer { seen.foreign = isForeign ? shown : nil }
            return seen.foreign
        }
        if before != (isForeign ? shown : nil) { changed() }
        return isForeign
    }

    private func place(of machineId: String?) -> DevicePlace {
        DevicePlace(address: adapter.address, machineId: machineId)
    }

    /// The machine's own end of day, not while the result of a request is open.
    package func closeDay(by act: DeviceAct) async -> Result<DeviceFigures, DeviceTrouble> {
        await gate.pass { () -> Result<DeviceFigures, DeviceTrouble> in
            await load()
            guard isLoaded else { return .failure(.notKept) }
            guard undecided.isEmpty else { return .failure(.undecided) }
            let currency = await currency()
            switch await adapter.closeDay(currency: currency) {
            case .failure(let trouble): return .failure(trouble)
            case .success(let closed):
                let known = try? await ledger.figures(of: place(of: closed.machineId))
                let till = known?.sum ?? 0
                // Sums that agree are of the same payments.
                let isSecond = closed.mayBeSecond && closed.sum != till
                var figures = DeviceFigures(
                    device: isSecond ? nil : closed.sum, till: till, currency: known?.currency ?? currency)
                if isSecond { figures.secondSum = closed.sum }
                let origin = DeviceRequest.Origin(
                    kind: adapter.kind, address: adapter.address, machineId: closed.machineId)
                let closing = DeviceRequest.closing(
                    key: "closing.\(act.madeAt)", sum: closed.sum ?? till, currency: figures.currency,
                    origin: origin, at: act.madeAt)
                // The machine's day is over whatever the disk takes: its sum is shown, and the next one has
                // both.
                try? await ledger.close(closing, figures, by: act)
                return .success(figures)
            }
        } ?? .failure(.busy)
    }
}

/// The steps of one request, behind the gate.
extension CardDevice {
    /// The one of the key, as it is known here or on disk, else a new one; nil: the disk cannot be read.
    private func request(
        _ key: String, or make: (String) -> DeviceRequest
    ) async -> DeviceRequest? {
        await load()
        guard isLoaded else { return nil }
        if let known = undecided[key] { return known }
        do throws(StorageError) { return try await ledger.request(key) ?? make(key) } catch { return nil }
    }

    private func load() async {
        guard !isLoaded, let open = try? await ledger.open() else { return }
        isLoaded = true
        for request in open where request.isUndecided {
            undecided[request.key] = undecided[request.key] ?? request
        }
        noteUndecided()
    }

    /// ISO 4217: of the store, as the machine gets it.
    package func currency() async -> String { await storeCurrency() ?? "EUR" }

    /// Whether the machine shows its last booking alone, and the result of one is open.
    private var isHiding: Bool {
        adapter.abilities.contains(.remembersLast) && !undecided.isEmpty
    }

    private func hides(another request: DeviceRequest) -> Bool {
        isHiding && undecided[request.key] == nil
    }

    /// - Returns: the request as it is then.
    private func send(
        _ request: DeviceRequest, of charge: DeviceRequest?, until giveUp: GiveUp = GiveUp()
    ) async -> DeviceRequest {
        running = request
        let response = await adapter.perform(
            request, original: charge?.proof,
            DeviceSteps(
                open: { [self] origin in await openRunning(at: origin, of: charge) },
                report: { [self] proof in await noteRunning(.reported(proof)) },
                show: { [self] progress in
                    seen.withLock { $0.progress = progress }
                    changed()
                },
                lastReceipt: { [self] in try? await ledger.lastReceipt(of: place(of: $0)) },
                giveUp: giveUp))
        let sent = running ?? request
        running = nil
        seen.withLock { $0.progress = nil }
        // Its own booking is the newest one now.
        if case .done = response { seen.withLock { $0.foreign = nil } }
        note(response)
        return await apply(.ended(response), to: sent)
    }

    /// - Parameter charge: whose money goes back.
    /// - Returns: whether it is on disk and may be sent.
    private func openRunning(at origin: DeviceRequest.Origin, of charge: DeviceRequest?) async -> Bool {
        _ = try? await noteForeign(origin.lastReceipt, at: origin.machineId)
        // A device that remembers its last booking alone knows bookings by their numbers.
        if running?.purpose == .reversal, let charge, adapter.abilities.contains(.remembersLast) {
            guard let later = try? await ledger.receipts(behind: charge) else { return false }
            if let obstacle = charge.obstacle(toReversalAt: origin, behind: later) {
                _ = await noteRunning(.ended(.declined(reason: obstacle)))
                return false
            }
        }
        return await noteRunning(.opened(origin))
    }

    /// - Returns: whether it is on disk.
    private func noteRunning(_ event: DeviceRequest.Event) async -> Bool {
        guard var request = running else { return false }
        let effects = request.handle(event, at: time.now())
        guard effects.contains(.keep), await keep(request) else { return false }
        running = request
        return true
    }

    private func note(_ response: DeviceResponse) {
        guard case .notSent(let trouble) = response else { return note(.ready) }
        note(MachineReadiness(trouble))
        changed()
    }

    private func note(_ found: MachineReadiness) {
        let before = readiness
        let until = time.now() + (found == .busy ? Self.busyTime : Self.awayTime)
        seen.withLock { $0.passed = found.isPassed ? (found, until) : nil }
        if readiness != before { changed() }
    }

    /// Gives the event to the request and performs what it says. A result that cannot be kept is known to
    /// this process and found again by the next one; nothing is given back before that is on disk.
    private func apply(_ event: DeviceRequest.Event, to known: DeviceRequest) async -> DeviceRequest {
        var request = known
        let effects = request.handle(event, at: time.now())
        if effects.contains(.keep), await !keep(request), effects.contains(.reverse) { return known }
        note(request)
        if effects.contains(.query) { return await apply(.found(await find(request)), to: request) }
        guard effects.contains(.reverse), case .voiding(let proof) = request.state else { return request }
        let ended = await apply(.reversed(await undo(request, proof)), to: request)
        if case .voidRequested = ended.state { accepted(ended) }
        return ended
    }

    /// What is on disk of it now.
    private func note(_ request: DeviceRequest) {
        let wasUndecided = undecided[request.key] != nil
        undecided[request.key] = request.isUndecided ? request : nil
        noteUndecided()
        if wasUndecided != request.isUndecided {
            changed()
            wakeUp.continuation.yield()
        }
    }

    private func find(_ request: DeviceRequest) async -> DeviceFinding {
        guard request.origin?.kind == adapter.kind else {
            return .undecidable(detail: "the request went to a machine of another kind")
        }
        let charge = request.purpose == .charge ? nil : try? await ledger.request(request.chargeKey)
        return await adapter.find(
            request, original: charge?.proof, silence: request.silence(at: time.now()) ?? .zero)
    }

    private func noteUndecided() {
        let hides = isHiding
        seen.withLock { $0.hidesAnother = hides }
    }

    private func keep(_ request: DeviceRequest) async -> Bool {
        (try? await ledger.keep(request)) == true
    }

    /// The reversal of a charge that no sale takes over, under a key of its own.
    private func undo(_ charge: DeviceRequest, _ proof: DeviceProof) async -> DeviceResponse {
        let key = Self.undoKey(of: charge.key)
        return switch await giveBack(.reversal, key, of: charge, amount: charge.amount) {
        case .refunded: .done(proof)
        case .requested: .accepted(proof)
        case .refused(let reason): .declined(reason: reason)
        case .needsCard: .lost(detail: "a reversal needs no card")
        case .unknown(let detail): .lost(detail: detail)
        }
    }

    /// - Parameter isAttended: whether somebody is there to present the card that a refund without a link to
    ///   its charge pays.
    private func giveBack(
        _ purpose: DeviceRequest.Purpose, _ key: String, of charge: DeviceRequest, amount: Int64,
        isAttended: Bool = false
    ) async -> MachineRefund {
        let openedAt = time.wallMilliseconds()
        let known = await request(key) {
            DeviceRequest(
                purpose, key: $0, chargeKey: charge.key, amount: amount, currency: charge.currency,
                openedAt: openedAt)
        }
        guard var request = known else { return .unknown(detail: "the request cannot be read") }
        request = await apply(.wanted, to: request)
        if request.state == .intent {
            let needsCard = purpose == .refund && charge.proof.map(adapter.isLinked) == false
            if needsCard, !isAttended { return .needsCard }
            guard !hides(another: request) else {
                return needsCard ? .needsCard : .unknown(detail: "the result of a payment is open")
            }
            request = await send(request, of: charge)
            if needsCard, request.state == .intent { return .needsCard }
        }
        switch request.state {
        case .charged: return .refunded
        case .requested: return .requested
        case .declined(let reason): return .refused(reason: reason)
        case .intent: return .unknown(detail: "the card machine cannot be used now")
        case .unknown(let detail): return .unknown(detail: detail)
        case .sent, .sold, .voiding, .voided, .voidRequested, .owed:
            return .unknown(detail: "the card machine did not respond")
        }
    }
}
