internal import AgentAPI
internal import Base
internal import HubProtocol
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Retail

/// The terminal's own card machine, for people: what is open at it, its end of day, and decisions.
struct CardMachineHandler: RequestHandler {
    let machine: CardDevice?
    /// In the place of a machine: what is open of former ones.
    let former: CardDevice
    let storedCards: OfflineCardService
    let authority: Authority
    let drainer: OutboxDrainer
    let time: any SystemTime
    let calendar: @Sendable () -> BusinessCalendar

    var routes: [AgentRoute] {
        let path = AgentRoutes.cardMachine
        return [
            AgentRoute("GET", path, status), AgentRoute("POST", path + "/test", test),
            AgentRoute("POST", path + "/last", last), AgentRoute("POST", path + "/close-day", closeDay),
            AgentRoute("POST", path + "/decide", decide),
        ]
    }

    private func configured() throws(TerminalError) -> CardDevice {
        guard let machine else {
            throw TerminalError(.refused, code: "no_card_machine") { $0.noCardMachine }
        }
        return machine
    }

    private func status(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        guard let machine else {
            var response = CardMachineCall.Response()
            response.waiting = try await open(former)
            return AgentResponse(response)
        }
        return AgentResponse(try await response(machine, await machine.look()))
    }

    private func test(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let machine = try configured()
        let look = await machine.look()
        try Self.check(look)
        return AgentResponse(try await response(machine, look))
    }

    private func last(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let machine = try configured()
        let look = await machine.look()
        try Self.check(look)
        var response = CardLastCall.Response()
        response.receipt = look.last?.receipt
        response.amount = look.last?.amount
        if response.amount != nil { response.currency = await machine.currency() }
        response.at = look.last?.at
        response.isReversal = look.last?.isReversal ?? false
        response.isApproved = look.last?.isApproved ?? false
        return AgentResponse(response)
    }

    private func closeDay(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let machine = try configured()
        let person = try TerminalError.reading { () throws(RequestRefusal) in
            try CardCloseDayCall(body: request.body).person
        }
        let act = try await act(person)
        // What the new end of day is compared with.
        let decided = (try? await machine.unconfirmedDecisions()) ?? []
        let figures: DeviceFigures
        switch await machine.closeDay(by: act) {
        case .success(let closed): figures = closed
        case .failure(let trouble):
            throw TerminalError(trouble == .refused ? .refused : .tryAgain, code: trouble.code) {
                $0.dayNotClosed(trouble)
            }
        }
        await storedCards.noteMachineClosed()
        drainer.nudge()
        var response = CardCloseDayCall.Response()
        (response.machine, response.till, response.currency) = (
            figures.device, figures.till, figures.currency
        )
        response.difference = figures.device.map { $0 - figures.till }
        response.secondSum = figures.secondSum
        if response.difference != 0 { response.decided = decided.map(\.json) }
        return AgentResponse(response)
    }

    private func decide(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let machine = machine ?? former
        let call = try TerminalError.reading { () throws(RequestRefusal) in
            try DecideCardCall(body: request.body)
        }
        guard !call.text.isEmpty, call.text.utf8.count <= TextBound.entered else {
            throw TerminalError(.usage, code: "text_missing") { $0.decisionNeedsText }
        }
        let act = try await act(call.person, [.cardDecision])
        let found: DeviceRequest?
        do throws(StorageError) {
            found = try await machine.decide(
                call.key, isDone: call.isCharged, text: call.text, by: act)
        } catch {
            throw TerminalError(SaleRefusal.notRecorded(detail: "\(error)"))
        }
        guard let decided = found else {
            throw TerminalError(.refused, code: "card_not_open") { $0.cardNotOpen(call.key) }
        }
        drainer.nudge()
        return AgentResponse(
            DecideCardCall.Response(key: decided.key, state: decided.stateName))
    }

    private func open(_ device: CardDevice) async throws(TerminalError) -> [CardMachineCall.Open] {
        do throws(StorageError) {
            return try await device.open().map(CardMachineCall.Open.init)
        } catch {
            throw TerminalError(SaleRefusal.notRecorded(detail: "\(error)"))
        }
    }

    private func act(
        _ person: AgentPerson, _ actions: [ApprovalAction] = []
    ) async throws(TerminalError) -> DeviceAct {
        do throws(AuthorityRefusal) {
            let person = try await authority.authorize(PersonClaim(person), actions)
            let now = time.wallMilliseconds()
            return DeviceAct(person: person, madeAt: now, businessDay: calendar().day(at: now))
        } catch {
            throw TerminalError(error)
        }
    }

    private func response(
        _ machine: CardDevice, _ look: DeviceLook
    ) async throws(TerminalError) -> CardMachineCall.Response {
        var response = CardMachineCall.Response()
        (response.kind, response.address) = (machine.adapter.kind.rawValue, machine.adapter.address)
        response.can = machine.adapter.abilities.map(\.rawValue).sorted()
        response.machineId = look.machineId
        response.lastReceipt = look.last?.receipt
        response.waiting = try await open(machine)
        do throws(StorageError) {
            response.isForeign = try await machine.isForeign(look)
        } catch {
            throw TerminalError(SaleRefusal.notRecorded(detail: "\(error)"))
        }
        response.state = machine.readiness == .undecided ? .undecided : Self.state(look.trouble)
        return response
    }

    private static func state(_ trouble: DeviceTrouble?) -> CardMachineCall.State {
        switch trouble {
        case nil: .ready
        case .busy: .busy
        case .unreachable: .unreachable
        case .undecided: .undecided
        case .refused, .notKept: .refused
        }
    }

    /// A machine that refuses the till does so until somebody changes something.
    private static func check(_ look: DeviceLook) throws(TerminalError) {
        guard let trouble = look.trouble else { return }
        guard trouble == .refused else { throw refusal(trouble) }
        throw TerminalError(.refused, code: trouble.code) { $0.machineRefuses(look.obstacle) }
    }

    private static func refusal(_ trouble: DeviceTrouble) -> TerminalError {
        TerminalError(SaleRefusal.cardMachine(trouble))
    }
}

extension CardMachineCall.Open {
    fileprivate init(_ request: DeviceRequest) {
        self.init(
            key: request.key, purpose: request.purpose.rawValue, state: request.stateName,
            amount: request.amount, currency: request.currency,
            since: Timestamp.text(milliseconds: request.openedAt), isForPerson: request.isForPerson)
    }
}
