internal import AgentAPI
package import Agent
package import Counter
internal import CounterTerminal
internal import Foundation
@preconcurrency internal import Dispatch
internal import Glibc

/// The full-screen counter: brings keys, the agent's responses, its status and the window's size to the
/// screen, and performs what the screen requests.
struct CounterSession {
    private enum Input: Sendable {
        case bytes([UInt8])
        case end
        case news(StatusNews)
        case banner
        case resized
        case response(id: Int, CounterResponse)
        case second
        case carts(CartNews)
        case cartRefused(AgentFailure)
        /// The wait for the rest of a key is over; of the wait with this number.
        case undecided(Int)
    }

    private let connection: FrontEndConnection
    private let keeper: CartKeeper
    private let window: CursesScreen
    private let inputs = AsyncStream.makeStream(of: Input.self)
    private let watch = BannerWatch()
    private var screen: CounterScreen
    private var keys = KeyDecoder()
    private var latest: StatusResponse
    /// ``latest`` is of an agent that has ended.
    private var isAgentGone = false
    private var hasEnded = false
    private var undecided = 0
    private var clock: Task<Void, Never>?

    /// Nil where there is no terminal that can show a screen: the line dialogue works there.
    init?(connection: any AgentConnection) async throws(TerminalError) {
        guard CursesScreen.isPossible else { return nil }
        latest = try await connection.send(StatusCall())
        guard let window = CursesScreen() else { return nil }
        let named = FrontEndConnection(connection, program: "pos sell")
        self.connection = named
        keeper = CartKeeper(named) { [inputs] in inputs.continuation.yield(.cartRefused($0)) }
        self.window = window
        let size = CursesScreen.size
        screen = CounterScreen(
            language: StatusText.language(latest), columns: size.columns, rows: size.rows,
            secondsFromUTC: { zone, milliseconds in
                let moment = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
                return Int64(TimeZone(identifier: zone)?.secondsFromGMT(for: moment) ?? 0)
            },
            mintKey: SaleKey.mint)
        screen.frontEnd = named.frontEnd
    }

    mutating func run() async throws {
        defer { window.end() }
        let tasks = try followers()
        defer { for task in tasks { task.cancel() } }
        signal(SIGWINCH, SIG_IGN)
        let resizes = DispatchSource.makeSignalSource(signal: SIGWINCH)
        resizes.setEventHandler { [inputs] in inputs.continuation.yield(.resized) }
        resizes.resume()
        defer { resizes.cancel() }
        watch.show(latest)
        take(.news(.status(latest)))
        window.show(screen.frame())
        for await input in inputs.stream {
            take(input)
            if hasEnded { break }
            window.show(screen.frame())
        }
        clock?.cancel()
        await keeper.leave()
    }

    private func followers() throws -> [Task<Void, Never>] {
        let (connection, watch, inputs) = (connection, watch, inputs.continuation)
        let loop = try ProgramLoop.get()
        return [
            Task {
                var lines = InputLines(loop: loop)
                while let bytes = await lines.nextBytes() { inputs.yield(.bytes(bytes)) }
                inputs.yield(.end)
            },
            Task {
                for await news in connection.statusNews() { inputs.yield(.news(news)) }
            },
            Task { await BannerFeed.follow(connection, watch) { _ in inputs.yield(.banner) } },
            Task { await CartNews.follow(connection) { inputs.yield(.carts($0)) } },
        ]
    }

    private mutating func take(_ input: Input) {
        switch input {
        case .bytes(let bytes):
            for key in keys.take(bytes) { handle(.key(key)) }
            awaitRest()
        case .undecided(let number):
            guard number == undecided else { return }
            for key in keys.expire() { handle(.key(key)) }
        case .end: hasEnded = true
        case .news(.agentGone):
            isAgentGone = true
            handle(.agentGone)
        case .news(.status(let status)):
            latest = status
            // What the agent before was about to say is not waited for.
            if isAgentGone { watch.show(status) }
            isAgentGone = false
            showStatus()
        case .banner: if !isAgentGone { showStatus() }
        case .resized:
            let size = CursesScreen.size
            handle(.resized(columns: size.columns, rows: size.rows))
        case .response(let id, let response): handle(.response(id: id, response))
        case .second: handle(.secondPassed)
        case .carts(.carts(let carts)): handle(.carts(carts))
        case .carts(.agentReturned): handle(.agentReturned)
        case .cartRefused(let failure): handle(.cartRefused(failure))
        }
        keepTime()
    }

    private mutating func showStatus() {
        let shown = watch.shown
        let line = [shown.text, watch.countdown].compactMap(\.self).joined(separator: " · ")
        handle(
            .status(
                CounterStatus(
                    latest, banner: line, isOffline: shown.isOffline, level: shown.level,
                    command: shown.command, language: screen.language)))
    }

    private mutating func handle(_ event: CounterEvent) {
        for effect in screen.handle(event) {
            switch effect {
            case .request(let id, let request):
                let (connection, keeper, inputs) = (connection, keeper, inputs.continuation)
                Task {
                    if request.endsKeeping { await keeper.settle() }
                    inputs.yield(.response(id: id, await request.response(of: connection)))
                }
            case .keepCart(let call): Task { [keeper] in await keeper.keep(call) }
            case .bell: window.bell()
            case .leave: hasEnded = true
            }
        }
    }

    /// An Escape alone is decided once nothing has followed it.
    private mutating func awaitRest() {
        undecided += 1
        guard let wait = keys.wait else { return }
        let (number, inputs) = (undecided, inputs.continuation)
        Task {
            try? await Task.sleep(for: .milliseconds(wait))
            inputs.yield(.undecided(number))
        }
    }

    private mutating func keepTime() {
        guard screen.wantsSeconds else {
            clock?.cancel()
            clock = nil
            return
        }
        guard clock == nil else { return }
        clock = Task { [inputs] in
            while (try? await Task.sleep(for: .seconds(1))) != nil { inputs.continuation.yield(.second) }
        }
    }
}

extension CounterRequest {
    /// Whether it has the whole cart, so that lines which are still to be kept are not sent behind it.
    var endsKeeping: Bool {
        switch self {
        case .take, .handBack, .empty, .park, .sell, .resume, .takeCart, .fetchCart, .copyCart: true
        default: false
        }
    }

    /// Sends the request of the screen to the agent.
    package func response(of connection: any AgentConnection) async -> CounterResponse {
        do throws(TerminalError) {
            switch self {
            case .quote(let call): return .quote(try await connection.send(QuoteCall(call)))
            case .sell(let call): return .sold(try await connection.send(call))
            case .search(let text, let limit):
                let call = ProductSearchCall(text, limit: Int64(limit))
                return .products(try await connection.send(call).products)
            case .departments:
                return .departments(try await connection.send(DepartmentListCall()).departments)
            case .order(let id):
                return .order(try await connection.send(ShowOrderCall(id: id)).order)
            case .receiptLeft(let code):
                return .receiptLeft(try await connection.send(ReceiptLeftCall(receiptCode: code)))
            case .orders(let limit):
                return .orders(try await connection.orders(OrderListCall(limit: limit)).orders)
            case .refund(let call): return .refunded(try await connection.send(call))
            case .park(let call, let name):
                return .parked(try await connection.send(ParkCartCall(name: name, basket: call)))
            case .parkedCarts: return .parkedCarts(try await connection.send(CartListCall()).carts)
            case .resume(let id): return .resumed(try await connection.send(CartCall(id: id, .resume)))
            case .takeCart(let id, let person):
                return .resumed(try await connection.send(CartCall(id: id, .take(person))))
            case .fetchCart(let id): return .resumed(try await connection.send(CartCall(id: id, .fetch)))
            case .copyCart(let id, let person):
                return .resumed(try await connection.send(CartCall(id: id, .copy(person))))
            case .addMember(let call): return .member(try await connection.send(call))
            case .take(let call), .handBack(let call):
                guard let cart = try await connection.send(call).cart else { return .done }
                return .kept(cart)
            case .drop, .empty, .void, .unseenSales, .refusals, .resolve:
                return try await decision(connection)
            case .printer, .printAgain, .printTestPage, .printCopy: return try await paper(connection)
            case .shift, .openShift, .moveCash, .closeShift: return try await shift(connection)
            case .tenders(let member):
                let running = try await connection.send(StatusCall(member: member)).running
                return .tenders(
                    CounterTenders(tenders: running?.tenders ?? [], points: running?.points))
            case .signIn, .signOut, .setManual, .retry, .giveUp, .tills: return try await other(connection)
            }
        } catch {
            return error.code == "agent_gone" ? .gone : .refused(error.failure)
        }
    }

    /// What waits for a person.
    private func decision(_ connection: any AgentConnection) async throws(TerminalError) -> CounterResponse {
        switch self {
        case .drop(let id, let reason, let isHandedBack):
            _ = try await connection.send(
                CartCall(id: id, .drop(reason: reason, isHandedBack: isHandedBack)))
        case .empty(let id, let isHandedBack):
            do throws(TerminalError) {
                _ = try await connection.send(
                    CartCall(id: id, .drop(reason: "emptied at the counter", isHandedBack: isHandedBack)))
            } catch {
                // A cart that was never kept is empty already.
                guard error.code == "unknown_cart" else { throw error }
            }
        case .void(let call): return .voided(try await connection.send(call))
        case .unseenSales(let seen):
            return .unseenSales(try await connection.send(UnseenSalesCall(seenOrderId: seen)).sales)
        case .refusals: return .refusals(try await connection.send(RefusalListCall()))
        case .resolve(let call): _ = try await connection.send(call)
        default: break
        }
        return .done
    }

    /// The drawer's shift.
    private func shift(_ connection: any AgentConnection) async throws(TerminalError) -> CounterResponse {
        switch self {
        case .shift:
            do throws(TerminalError) {
                let open = try await connection.send(ShowShiftCall(id: nil))
                return .shift(CounterShift(open, currency: open.currency))
            } catch {
                guard error.code == "shift_not_open" else { throw error }
                let departments = try await connection.send(DepartmentListCall()).departments
                return .shift(CounterShift(nil, currency: departments.first?.currency ?? ""))
            }
        case .openShift(let call):
            let shift = try await connection.send(call)
            return .shift(CounterShift(shift, currency: shift.currency))
        case .closeShift(let call):
            let shift = try await connection.send(call)
            return .shift(CounterShift(shift, currency: shift.currency))
        case .moveCash(let call): _ = try await connection.send(call)
        default: break
        }
        return .done
    }

    private func paper(_ connection: any AgentConnection) async throws(TerminalError) -> CounterResponse {
        switch self {
        case .printer: return .printer(try await connection.send(PrinterCall()))
        case .printAgain: _ = try await connection.send(PrinterRetryCall(id: nil))
        case .printTestPage: _ = try await connection.send(PrinterTestCall())
        case .printCopy(let id):
            _ = try await connection.send(ReceiptCall(id: id, isCopy: true, isPrinted: true))
        default: break
        }
        return .done
    }

    /// What changes neither a cart nor an order.
    private func other(_ connection: any AgentConnection) async throws(TerminalError) -> CounterResponse {
        switch self {
        case .signIn(let id, let pin):
            return .session(try await connection.send(SessionCall.signIn(cashierId: id, pin: pin)))
        case .signOut: return .session(try await connection.send(SessionCall.signOut))
        case .setManual(let call): _ = try await connection.send(call)
        case .retry: _ = try await connection.send(RetryCall())
        case .tills: return .tills(try await connection.send(NeighboursCall()))
        case .giveUp(let key): _ = try await connection.send(GiveUpCall(key: key))
        default: break
        }
        return .done
    }
}
