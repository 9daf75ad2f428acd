internal import Agent
internal import AgentAPI
internal import Base
internal import Glibc
internal import HubProtocol

/// A connection of a checkout that names itself with every request, and keeps what is on its screen at the
/// agent.
final class FrontEndConnection: AgentConnection {
    /// `<ULID of the start>;<name>`.
    let frontEnd: String
    private let base: any AgentConnection

    /// - Parameter program: what people call it, with the terminal that it runs on behind it.
    init(_ base: any AgentConnection, program: String) {
        self.base = base
        let place = ttyname(STDIN_FILENO).map { String(cString: $0) }
        let name = [program, place].compactMap(\.self).joined(separator: " ")
        frontEnd = SaleKey.mint() + ";" + name.prefix(60)
    }

    func call(_ request: AgentRequest) async throws(TerminalError) -> AgentResponse {
        var request = request
        request.frontEnd = frontEnd
        return try await base.call(request)
    }

    /// Goes on with the next agent when one ends: a checkout outlives a restart, and what it shows has to be
    /// of the agent that sells.
    func watchStatus() -> AsyncStream<StatusResponse> {
        AsyncStream { continuation in
            let watcher = Task {
                for await case .status(let status) in statusNews() { continuation.yield(status) }
                continuation.finish()
            }
            continuation.onTermination = { _ in watcher.cancel() }
        }
    }

    /// As ``watchStatus()``, with the end of each agent in its place: nothing of before is behind it.
    func statusNews() -> AsyncStream<StatusNews> {
        AsyncStream { continuation in
            let watcher = Task {
                var isGone = false
                while !Task.isCancelled {
                    for await status in base.watchStatus() {
                        isGone = false
                        continuation.yield(.status(status))
                    }
                    if !isGone, !Task.isCancelled, await !hasAgent {
                        isGone = true
                        continuation.yield(.agentGone)
                    }
                    try? await Task.sleep(for: CartNews.retry)
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in watcher.cancel() }
        }
    }

    /// An agent that has too many watchers ends a stream, too.
    private var hasAgent: Bool {
        get async { (try? await base.call(PingCall().request)) != nil }
    }

    func close() async { await base.close() }
}

/// The next status of the agent, or that there is none.
enum StatusNews: Sendable {
    case status(StatusResponse)
    /// The agent has ended; the next status is of another one.
    case agentGone
}

/// News about the carts of the terminal for one checkout. The request that waits for them is its presence.
enum CartNews {
    case carts([CartSummary])
    /// The agent responds again after it was gone.
    case agentReturned

    /// How often an agent that is gone is tried; it keeps the cart of a front end for ten seconds after its
    /// start.
    fileprivate static let retry = Duration.milliseconds(500)

    /// Calls `take` with the list of now and with every later one, until the task is cancelled.
    static func follow(
        _ connection: any AgentConnection, _ take: @escaping @Sendable (CartNews) -> Void
    ) async {
        var (seen, isGone) = (Int64(0), false)
        while !Task.isCancelled {
            do throws(TerminalError) {
                // The first response after a gap comes at once: revisions begin anew with an agent.
                let news = try await connection.send(OpenCartsCall(watch: isGone ? 0 : seen))
                if isGone { take(.agentReturned) }
                (seen, isGone) = (news.revision, false)
                take(.carts(news.carts))
            } catch {
                guard !Task.isCancelled else { return }
                (seen, isGone) = (0, true)
                try? await Task.sleep(for: retry)
            }
        }
    }
}

/// Sends what is on a screen to the agent, the newest alone and one after the other.
actor CartKeeper {
    /// Lines are on disk within 100 ms. A scan that is priced meanwhile does not wait for the disk; doubled,
    /// a kill could cost the last line.
    private static let delay = Duration.milliseconds(50)

    private let connection: FrontEndConnection
    private let refused: @Sendable (AgentFailure) -> Void
    private var next: KeepCartCall?
    private var waiting: Task<Void, Never>?
    private var sending: Task<Void, Never>?

    init(_ connection: FrontEndConnection, refused: @escaping @Sendable (AgentFailure) -> Void) {
        (self.connection, self.refused) = (connection, refused)
    }

    /// Keeps a cart soon.
    func keep(_ call: KeepCartCall) {
        // Effects of a screen come in order, tasks may not.
        guard call.revision > next?.revision ?? 0 else { return }
        next = call
        guard waiting == nil else { return }
        waiting = Task {
            try? await Task.sleep(for: Self.delay)
            await self.send()
        }
    }

    /// Waits until nothing is on its way, and forgets what still waited: what comes next says it all.
    ///
    /// - Parameter isKept: what still waits is sent first.
    func settle(isKept: Bool = false) async {
        if isKept { await send() }
        next = nil
        waiting?.cancel()
        waiting = nil
        await sending?.value
    }

    /// The checkout ends: what is on its screen is left for the next counter.
    func leave() async {
        await settle(isKept: true)
        let leaving = Task { [connection] in _ = try? await connection.send(KeepCartCall(nil, revision: 0)) }
        // An agent that does not respond learns it from the connection that closes.
        let limit = Task {
            try? await Task.sleep(for: .seconds(2))
            leaving.cancel()
        }
        await leaving.value
        limit.cancel()
    }

    private func send() async {
        waiting = nil
        await sending?.value
        guard let call = next else { return }
        next = nil
        let task = Task { [connection, refused] in
            do throws(TerminalError) {
                _ = try await connection.send(call)
            } catch {
                // An agent that is gone gets the cart once it is back, and a later list of this front end
                // says more than this one.
                guard error.code != "agent_gone", error.details.frontEnd != connection.frontEnd
                else { return }
                refused(error.failure)
            }
        }
        sending = task
        await task.value
    }
}
