package import Base
package import OfflineCore

/// What sends requests and waits for their ends: ``CurlSession``, and in a simulated shop a link in virtual
/// time.
package protocol HTTPSession: Sendable {
    /// Sends `request` and waits for its end. Never throws: a failure is a value of the exchange.
    ///
    /// - Parameters:
    ///   - onStall: called at most once, when for some time no byte of the exchange moved. The request
    ///     continues.
    ///   - onMove: called when bytes have moved for that time, since the moment that it gets.
    func send(
        _ request: HTTPRequest, onStall: (@Sendable (_ startedAt: Instant) -> Void)?,
        onMove: (@Sendable (_ since: Instant) -> Void)?
    ) async -> HTTPExchange

    /// While on, nothing is sent: each request ends at once as ``TransferFailure/cancelled``. For drills.
    func setCutOff(_ isOn: Bool)

    /// Stops later requests from using connections that are open now.
    func forgetConnections()

    /// Opens connections with segments that every path carries, or with full ones again.
    func useSmallSegments(_ areUsed: Bool)

    /// Sends over another path from now on.
    func use(_ binding: PathBinding)

    /// Ends every request; those that run end as ``TransferFailure/sessionClosed``. Safe to call twice.
    func close()
}

extension HTTPSession {
    /// Sends `request` without anybody who follows it on its way.
    package func send(_ request: HTTPRequest) async -> HTTPExchange {
        await send(request, onStall: nil, onMove: nil)
    }
}
