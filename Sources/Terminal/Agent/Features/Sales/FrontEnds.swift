import Base

internal import HubProtocol
internal import Logging
internal import MachineRuntime
internal import Retail
internal import Synchronization

/// The front ends of this terminal, by the request that each of them holds, and the news about carts.
final class FrontEnds: Sendable {
    private let carts: Carts
    private let logger: Logger
    private let driver: MachineDriver<FrontEndPresence>
    private let news: StatusRevisions
    private let bootId: String
    /// Carts on screens whose begin was news already: a further line is none.
    private let known = Mutex<Set<ULID>>([])
    /// Who wants a cart that is on another screen, until something becomes of it.
    private let wanted = Mutex<[ULID: String]>([:])

    /// As a status that does not change; a caller's own limit is longer.
    private static let longestWatch = Duration.seconds(25)

    init(carts: Carts, time: any SystemTime, logger: Logger) {
        self.carts = carts
        self.logger = logger
        driver = MachineDriver(FrontEndPresence(), time: time) { [.timeAdvanced] }
        news = StatusRevisions(time: time)
        bootId = time.bootId
    }

    /// The number of the last news.
    var revision: Int64 { news.current }

    /// To be called once, before the first request: those of the last run have some seconds to come back.
    /// What ran inside the agent's process ended with it, and some others cannot come back either.
    func restore() async {
        do throws(CartRefusal) {
            try await carts.leave(nil)
            var waitedFor: [FrontEnd] = []
            for cart in try await carts.list() {
                guard case .open(let frontEnd) = cart.state else { continue }
                if frontEnd.process?.hasEnded(now: bootId, find: PeerProcess.find) == true {
                    try await carts.leave(frontEnd)
                } else {
                    waitedFor.append(frontEnd)
                }
            }
            driver.post(.restarted(waitedFor))
        } catch {
            logger.error("the carts of the last run were not read: \(error.message)")
        }
    }

    /// Leaves the carts of front ends that are gone, until the task is cancelled.
    func run() async {
        await withDiscardingTaskGroup { group in
            await driver.run(in: &group) { _, effects, _ in
                effects
            } perform: { effect, _ in
                switch effect {
                case .leaveCart(let frontEnd): await self.leave(frontEnd)
                }
            }
        }
    }

    /// Returns with the next news behind `seen`, nil: behind those of now, or after some seconds. Cancelled
    /// once the caller's connection has closed, which ends its presence.
    func watch(by frontEnd: FrontEnd?, after seen: Int64?) async {
        if let frontEnd { driver.post(.watchBegan(frontEnd)) }
        await news.wait(after: seen ?? news.current, limit: Self.longestWatch)
        if let frontEnd { driver.post(Task.isCancelled ? .watchCutOff(frontEnd) : .watchEnded(frontEnd)) }
    }

    /// A front end has sent what is on its screen.
    func noteKept(_ cart: ULID, by frontEnd: FrontEnd) {
        driver.post(.cartKept(frontEnd))
        if known.withLock({ $0.insert(cart).inserted }) { news.advance() }
    }

    /// Somebody was refused a cart that is on another screen, which shows that.
    func noteWanted(_ cart: ULID, by frontEnd: FrontEnd?) {
        wanted.withLock { $0[cart] = frontEnd?.name ?? "pos cart resume" }
        news.advance()
    }

    /// The name of who wants a cart; nil: nobody.
    func wanting(_ cart: ULID) -> String? { wanted.withLock { $0[cart] } }

    /// Somebody else has a cart now, or nobody any more.
    func noteChanged(_ cart: ULID? = nil) {
        known.withLock { known in
            if let cart { known.remove(cart) } else { known = [] }
        }
        wanted.withLock { wanted in
            if let cart { wanted[cart] = nil } else { wanted = [:] }
        }
        news.advance()
    }

    private func leave(_ frontEnd: FrontEnd) async {
        do throws(CartRefusal) {
            let count = try await carts.leave(frontEnd)
            guard count > 0 else { return }
            logger.notice(
                "a front end ended with a cart, which is kept", metadata: ["name": "\(frontEnd.name)"])
            noteChanged()
        } catch {
            logger.error("the cart of \(frontEnd.name) was not left: \(error.message)")
        }
    }
}
