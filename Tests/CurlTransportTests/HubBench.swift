import CurlHTTP
import CurlTransport
import HubProtocol
import OfflineCore
import OfflineMode
import Synchronization
import TestKit

/// A client against a scripted hub.
final class HubBench: Sendable {
    let server: ScriptedServer
    let session: CurlSession
    let client: HubClient
    let log = OutcomeLog()
    let tokens = TokenBox()
    private let counter = CallCounter()

    /// How often a response said that the feed moved.
    var feedMoves: Int { counter.count }

    /// - Parameter qos: the QoS service's address; nil: the scripted hub.
    init(
        requestTimeout: Duration = .seconds(5), stallAfter: Duration = .seconds(3), qos: String? = nil
    ) throws {
        server = try ScriptedServer()
        session = try CurlSession(
            configuration: CurlSessionConfiguration(userAgent: "pos/1.2.3 (Debian)", stallAfter: stallAfter))
        let configuration = HubClientConfiguration(
            hub: try ServerURL(server.url), qos: try qos.map(ServerURL.init), requestTimeout: requestTimeout)
        client = HubClient(
            session: session, configuration: configuration,
            access: HubAccess(
                token: { [tokens] in tokens.current }, renew: { [tokens] in await tokens.renew() }),
            time: FixedWall(), observer: log, onFeedMoved: { [counter] in counter.add() })
    }

    deinit { server.stop() }

    var outcomes: [OutcomeClass] { log.finished.map(\.outcome) }
}

/// The terminal's token: `token-1`, and one more with every renewal.
final class TokenBox: Sendable {
    private let state = Mutex<(number: Int, renewals: Int, works: Bool)>((1, 0, true))

    var current: String { state.withLock { "token-\($0.number)" } }
    var renewals: Int { state.withLock { $0.renewals } }

    func refuseRenewal() { state.withLock { $0.works = false } }

    func renew() async -> Bool {
        await Task.yield()
        return state.withLock { state in
            state.renewals += 1
            if state.works { state.number += 1 }
            return state.works
        }
    }
}

/// Counts calls.
private final class CallCounter: Sendable {
    private let state = Mutex(0)

    var count: Int { state.withLock { $0 } }

    func add() { state.withLock { $0 += 1 } }
}
