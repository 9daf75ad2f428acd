import Base
import CurlHTTP
import MachineRuntime
import OfflineCore
import OfflineMode

/// Probes a target's addresses through libcurl, each time on a new connection.
///
/// The first address is probed alone. The others follow when it has failed, or when half of the time is over,
/// and the first good response of any decides. So an idle network costs one request, and one blocked address
/// confirms no fault.
struct CurlTargetProbe: HubProbing {
    private let target: [ProbeAddress]
    private let independent: [ProbeAddress]
    /// Nil where the system has no resources for one: every probe fails then.
    private let transport: SharedTransport?
    private let time: any SystemTime

    init(
        target: [ProbeAddress], independent: [ProbeAddress], transport: SharedTransport?,
        time: any SystemTime
    ) {
        self.target = target
        self.independent = independent
        self.transport = transport
        self.time = time
    }

    func probe(_ target: ProbeTarget, timeout: Duration) async -> ProbeResult {
        guard let session = transport?.session else { return .failed(.connect) }
        switch target {
        case .hub: return await query(self.target, over: session, timeout: timeout)
        case .internet: return await query(independent, over: session, timeout: timeout)
        }
    }

    private enum Turn {
        case finished(ProbeResult)
        case halfTimeOver
    }

    private func query(
        _ addresses: [ProbeAddress], over session: CurlSession, timeout: Duration
    ) async -> ProbeResult {
        guard let first = addresses.first else { return .failed(.dns) }
        let ends = time.now() + timeout
        return await withTaskGroup(of: Turn.self) { group in
            defer { group.cancelAll() }
            var others = addresses.dropFirst()
            var awaited = 1
            var failure: ProbeResult?
            group.addTask { .finished(await self.query(first, over: session, until: ends)) }
            if !others.isEmpty { group.addTask { await self.halfTime(of: timeout, until: ends) } }
            while awaited > 0, let turn = await group.next() {
                if case .finished(let result) = turn {
                    guard !result.isResponse else { return result }
                    failure = failure?.outranked(by: result) ?? result
                    awaited -= 1
                }
                for other in others {
                    group.addTask { .finished(await self.query(other, over: session, until: ends)) }
                }
                awaited += others.count
                others = []
            }
            return failure ?? .failed(.silent)
        }
    }

    private func halfTime(of timeout: Duration, until ends: Instant) async -> Turn {
        try? await time.sleep(until: ends - timeout / 2)
        return .halfTimeOver
    }

    private func query(
        _ address: ProbeAddress, over session: CurlSession, until ends: Instant
    ) async -> ProbeResult {
        let timeout = max(ends - time.now(), .milliseconds(50))
        let exchange = await session.send(
            HTTPRequest(
                url: address.text, headers: [HTTPHeader("Cache-Control", "no-cache")], timeout: timeout,
                connectTimeout: timeout, maximumBodyBytes: 256 << 10, usesFreshConnection: true))
        return TargetResponse.result(of: exchange, from: address)
    }
}

extension ProbeResult {
    fileprivate var isResponse: Bool {
        switch self {
        case .good, .respondedBadly: true
        case .failed, .portal: false
        }
    }

    /// A foreign response is stronger evidence than silence; of equal results the first one stays.
    fileprivate func outranked(by other: ProbeResult) -> ProbeResult {
        if case .failed = self, case .portal = other { other } else { self }
    }
}

/// A parsed and valid address of a probe.
struct ProbeAddress: Hashable, Sendable {
    let url: ServerURL
    /// The URL of the request.
    let text: String
    let expectation: ReachabilityProbe.Expectation
}

extension ReachabilityProbe {
    /// Nil when the text is no address.
    var readable: ProbeAddress? {
        guard let url = try? ServerURL(address) else { return nil }
        return ProbeAddress(url: url, text: address, expectation: expectation)
    }
}
