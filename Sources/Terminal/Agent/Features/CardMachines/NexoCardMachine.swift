import Base

internal import CurlHTTP
internal import HubProtocol
internal import MachineRuntime
internal import Nexo
internal import Retail
internal import Synchronization

/// A card machine that speaks nexo Retailer (JSON over HTTPS, on the shop's network).
///
/// Each request has an id of its own, by which the machine is queried after a lost response. What gives money
/// back is only accepted by the machine, and done later by its service.
final class NexoCardMachine: DeviceAdapter {
    let kind = DeviceKind.nexo
    let address: String
    let abilities: Set<DeviceAbility>
    private let place: NexoPlace
    private let saleId: String
    private let line: NexoLine
    private let limit: Duration
    private let time: any SystemTime
    private let isLoggedIn = Atomic(false)
    private let display: NexoDisplayServer?
    private let open = Mutex<OpenRequest?>(nil)
    private let ledger: any DevicePeriodKeeping
    /// As on disk; nil: not read yet.
    private let periods = Mutex<DevicePeriods?>(nil)

    /// The request that is being sent, and who shows what the machine does with it.
    private struct OpenRequest {
        let header: NexoHeader
        let show: @Sendable (DeviceProgress) -> Void
    }

    /// How long a request may take at which nobody does anything.
    private static let shortLimit = Duration.seconds(10)
    /// Between two aborts while a payment goes on: the first may arrive before the payment.
    private static let abortPause = Duration.seconds(2)
    /// How long after a lost response a machine that does not know the request cannot get it any more. Half
    /// of it is within the time that a payment may take at the machine.
    private static let settling = Duration.seconds(150)

    /// - Parameters:
    ///   - saleId: the till's name at the machine.
    ///   - limit: for a payment.
    ///   - ledger: where the period that the machine counts in outlives the agent.
    ///   - display: where the machine's notifications arrive; nil: nowhere.
    init(
        _ place: NexoPlace, saleId: String, line: NexoLine, limit: Duration,
        time: any SystemTime, ledger: any DevicePeriodKeeping, display: NexoDisplayServer? = nil
    ) {
        self.ledger = ledger
        self.display = display
        abilities = Set([.queriesByKey, .voidsCharge, .refundsLinked, .refundsUnlinked])
            .union(display == nil ? [] : [.showsProgress])
        (self.place, self.saleId, self.line, self.limit, self.time) = (place, saleId, line, limit, time)
        address = place.url.base
    }

    func perform(
        _ request: DeviceRequest, original: DeviceProof?, _ steps: DeviceSteps
    ) async -> DeviceResponse {
        let message = message(request, order(request), original)
        if let trouble = await logIn()?.trouble { return .notSent(trouble) }
        let (response, isLoggedOut) = await exchange(message, for: request, steps)
        // A machine that was restarted took nothing: the customer does not pay otherwise for that.
        guard isLoggedOut else { return response }
        if let trouble = await logIn()?.trouble { return .notSent(trouble) }
        return await exchange(message, for: request, steps).response
    }

    /// - Returns: also whether the machine took nothing, since it wants a login first.
    private func exchange(
        _ message: NexoRequest?, for request: DeviceRequest, _ steps: DeviceSteps
    ) async -> (response: DeviceResponse, isLoggedOut: Bool) {
        let header = header(message?.category ?? .reversal)
        let origin = DeviceRequest.Origin(
            kind: kind, address: address, machineId: place.poiId, requestId: header.serviceId,
            tillId: saleId)
        guard await steps.open(origin) else { return (.notSent(.notKept), false) }
        // A charge that a person decided has no number that the machine knows, and is not undone.
        guard let message else {
            return (.declined(reason: "the machine's number of the payment is not known"), false)
        }
        open.withLock { $0 = OpenRequest(header: header, show: steps.show) }
        defer { open.withLock { $0 = nil } }
        let work = Task { await line.send(message, header, within: limit) }
        let watch = Task { if await steps.giveUp.wait() { await abort(header.serviceId) } }
        defer { watch.cancel() }
        switch await work.value {
        case .notSent(let obstacle): return (.notSent(Self.trouble(obstacle)), false)
        case .lost(let detail, _):
            if message.category == .payment { await sendAbort(header.serviceId) }
            return (.lost(detail: detail), false)
        case .reply(let reply):
            if let period = reply.period, var known = await knownPeriods(), known.current != period {
                known.current = period
                await keep(known)
            }
            var isLoggedOut = false
            if case .failure(.loggedOut, _) = reply.result { isLoggedOut = true }
            let outcome = reply.outcome(of: order(request), isReversal: message.category == .reversal)
            return (self.response(outcome, to: request), isLoggedOut)
        }
    }

    private static func trouble(_ obstacle: DeviceObstacle?) -> DeviceTrouble {
        obstacle == nil ? .unreachable : .refused
    }

    func find(_ request: DeviceRequest, original: DeviceProof?, silence: Duration) async -> DeviceFinding {
        guard let origin = request.origin, origin.machineId == place.poiId, let id = origin.requestId else {
            return .undecidable(detail: "the machine is another one than the request went to")
        }
        let category = message(request, order(request), original)?.category ?? .reversal
        // By another name than then the machine would not find it.
        let header = header(.status, of: origin.tillId)
        switch await line.send(.status(of: category, serviceId: id), header, within: Self.shortLimit) {
        case .notSent, .lost: return .open(detail: "the card machine was not reached")
        case .reply(let reply):
            switch reply.result {
            case .failure(.notFound, _) where silence >= Self.settling:
                return .notDone(reason: "the machine does not know the request")
            case .failure, .partial: return .open(detail: "the machine does not know the result yet")
            case .success: break
            }
            guard
                let inner = reply.repeated(
                    category, serviceId: id, saleId: header.saleId, poiId: place.poiId)
            else {
                return .undecidable(detail: "the machine repeated another request")
            }
            return finding(inner.outcome(of: order(request), isReversal: category == .reversal))
        }
    }

    func listen() async {
        await display?.run { [self] bytes in response(toNotification: bytes) }
    }

    /// Empty: it wants none; nil: it is not about the request that is open.
    private func response(toNotification bytes: [UInt8]) -> [UInt8]? {
        guard let open = open.withLock({ $0 }),
            let notification = NexoNotification(bytes, about: open.header, sealedBy: place.cipher)
        else { return nil }
        if let progress = notification.progress { open.show(progress) }
        return notification.response(sealedBy: place.cipher, nonce: NexoLine.nonce()) ?? []
    }

    func look(currency: String) async -> DeviceLook {
        isLoggedIn.store(false, ordering: .releasing)
        if let look = await logIn() { return look }
        var look = DeviceLook(machineId: place.poiId)
        // Machines that show no newest payment are ready all the same.
        if case .reply(let reply) = await line.send(.newestPayment, header(.status), within: Self.shortLimit),
            case .success = reply.result, let newest = reply.newestPayment
        {
            let (amount, at) = newest.booked(currency: currency)
            look.last = DeviceBooking(
                receipt: nil, amount: amount, at: at, isReversal: false, isApproved: newest.result == .success
            )
        }
        return look
    }

    func closeDay(currency: String) async -> Result<ClosedDeviceDay, DeviceTrouble> {
        if let trouble = await logIn()?.trouble { return .failure(trouble) }
        guard let known = await knownPeriods() else { return .failure(.notKept) }
        if let period = known.ending {
            // What was closed already has the sum that the till has to compare, and the period behind it
            // nothing. A machine that refuses it did not close it.
            let closed = await closeLoggedIn(period, currency: currency)
            guard closed == .failure(.refused) else { return closed }
        }
        return await closeLoggedIn(nil, currency: currency)
    }

    /// As ``close(_:currency:)``, once more where the machine was restarted since the last login.
    private func closeLoggedIn(
        _ period: String?, currency: String
    ) async -> Result<ClosedDeviceDay, DeviceTrouble> {
        let end = await close(period, currency: currency)
        guard end == .failure(.refused), !isLoggedIn.load(ordering: .acquiring) else { return end }
        if let trouble = await logIn()?.trouble { return .failure(trouble) }
        return await close(period, currency: currency)
    }

    /// - Parameter period: one that may be closed already; nil: the one of now.
    private func close(
        _ period: String?, currency: String
    ) async -> Result<ClosedDeviceDay, DeviceTrouble> {
        guard let before = await knownPeriods() else { return .failure(.notKept) }
        // Ahead of the command: a response that is lost with the agent closes no second day.
        if before.ending == nil, before.current != nil {
            var ending = before
            ending.ending = before.current
            guard await keep(ending) else { return .failure(.notKept) }
        }
        let outcome = await reconcile(period, currency: currency)
        switch outcome {
        case .success: await keep(DevicePeriods())
        case .failure(.unreachable): break
        case .failure: await keep(before)
        }
        return outcome
    }

    private func reconcile(
        _ period: String?, currency: String
    ) async -> Result<ClosedDeviceDay, DeviceTrouble> {
        switch await line.send(.reconciliation(period: period), header(.reconciliation), within: limit) {
        case .notSent(let obstacle): return .failure(Self.trouble(obstacle))
        case .lost: return .failure(.unreachable)
        case .reply(let reply):
            switch reply.result {
            case .success:
                return .success(
                    ClosedDeviceDay(sum: reply.total(currency: currency), machineId: place.poiId))
            case .failure(.busy, _), .failure(.inProgress, _): return .failure(.busy)
            case .failure(.loggedOut, _):
                isLoggedIn.store(false, ordering: .releasing)
                return .failure(.refused)
            case .failure, .partial: return .failure(.refused)
            }
        }
    }

    /// Nil: the disk cannot be read.
    private func knownPeriods() async -> DevicePeriods? {
        if let known = periods.withLock({ $0 }) { return known }
        guard let read = try? await ledger.periods(at: address) else { return nil }
        periods.withLock { $0 = read }
        return read
    }

    /// - Returns: whether that is on disk.
    @discardableResult
    private func keep(_ known: DevicePeriods) async -> Bool {
        guard periods.withLock({ $0 }) != known else { return true }
        guard (try? await ledger.keep(known, at: address)) != nil else { return false }
        periods.withLock { $0 = known }
        return true
    }
}

extension NexoCardMachine {
    /// - Parameter till: its name at the machine; nil: that of now.
    private func header(_ category: NexoHeader.Category, of till: String? = nil) -> NexoHeader {
        NexoHeader(
            category, serviceId: NexoHeader.serviceId(from: SystemRandomNumberGenerator()),
            saleId: till ?? saleId, poiId: place.poiId)
    }

    private func moment() -> String { Timestamp.text(milliseconds: time.wallMilliseconds()) }

    private func order(_ request: DeviceRequest) -> NexoOrder {
        NexoOrder(
            key: request.key, amount: request.amount, currency: request.currency,
            moment: Timestamp.text(milliseconds: request.openedAt))
    }

    /// Nil for what cannot be requested.
    private func message(
        _ request: DeviceRequest, _ order: NexoOrder, _ original: DeviceProof?
    ) -> NexoRequest? {
        switch request.purpose {
        case .charge: .payment(order)
        case .reversal: transaction(original).map { .reversal(order, of: $0) }
        // Without the machine's number of the charge the customer presents the card again.
        case .refund: transaction(original).map { .reversal(order, of: $0) } ?? .refund(order)
        // An end of day is a dialogue of its own.
        case .closing: nil
        }
    }

    /// Of a charge that the machine made; nil of one that a person decided.
    private func transaction(_ charge: DeviceProof?) -> NexoTransaction? {
        charge.flatMap { NexoTransaction(reference: $0.reference) }
    }

    /// - Returns: why the machine takes no request now; nil: it does.
    private func logIn() async -> DeviceLook? {
        if isLoggedIn.load(ordering: .acquiring) { return nil }
        var look = DeviceLook(machineId: place.poiId)
        switch await line.send(.login(at: moment()), header(.login), within: Self.shortLimit) {
        case .notSent(let obstacle): (look.trouble, look.obstacle) = (Self.trouble(obstacle), obstacle)
        case .lost(_, let isSilent):
            look.trouble = isSilent ? .unreachable : .refused
            look.obstacle = isSilent ? nil : .unreadable
        case .reply(let reply):
            switch reply.result {
            // It has no login, and would say more to a payment.
            case .success, .partial, .failure(.notAllowed, _), .failure(.unavailableService, _),
                .failure(.messageFormat, _):
                isLoggedIn.store(true, ordering: .releasing)
                return nil
            case .failure(.busy, _), .failure(.inProgress, _): look.trouble = .busy
            case .failure(_, let reason): (look.trouble, look.obstacle) = (.refused, .said(reason))
            }
        }
        return look
    }

    /// Until the payment's own response says how it ended.
    private func abort(_ serviceId: String) async {
        while !Task.isCancelled {
            await sendAbort(serviceId)
            guard (try? await Task.sleep(for: Self.abortPause)) != nil else { return }
        }
    }

    private func sendAbort(_ serviceId: String) async {
        _ = await line.send(.abort(serviceId: serviceId), header(.abort), within: Self.shortLimit)
    }

    private func response(_ outcome: NexoOutcome, to request: DeviceRequest) -> DeviceResponse {
        switch outcome {
        case .done(let payment): return .done(proof(payment))
        case .accepted(let payment): return .accepted(proof(payment))
        case .busy: return .notSent(.busy)
        case .unavailable(let reason):
            isLoggedIn.store(false, ordering: .releasing)
            // What gives money back is sent again, and a payment may be paid otherwise.
            return request.purpose == .charge ? .declined(reason: reason) : .notSent(.busy)
        case .declined(let reason): return .declined(reason: reason)
        case .unknown(let detail): return .lost(detail: detail)
        }
    }

    private func finding(_ outcome: NexoOutcome) -> DeviceFinding {
        switch outcome {
        case .done(let payment): .done(proof(payment))
        case .accepted(let payment): .requested(proof(payment))
        case .busy, .unavailable: .notDone(reason: "the machine did not begin")
        case .declined(let reason): .notDone(reason: reason)
        case .unknown(let detail): .undecidable(detail: detail)
        }
    }

    private func proof(_ payment: NexoPayment) -> DeviceProof {
        var proof = DeviceProof(reference: payment.transaction.reference)
        proof.approvalCode = payment.approvalCode
        proof.machineId = place.poiId
        (proof.brand, proof.last4) = (payment.brand, payment.last4)
        proof.isOffline = payment.isOffline
        (proof.customerPaper, proof.merchantPaper) = (payment.customerPaper, payment.merchantPaper)
        return proof
    }
}
