import Base

internal import CurlHTTP
internal import Nexo
internal import PinnedTLS
internal import Retail
internal import Synchronization

/// Where a machine of nexo is, and how it knows its till.
struct NexoPlace: Hashable, Sendable {
    /// `https://HOST:8443/nexo`, or `http` on loopback.
    let url: ServerURL
    /// Also the name in the machine's certificate.
    let poiId: String
    /// Nil: messages go plain inside TLS.
    let cipher: NexoCipher?
    /// The root of the machine's certificate, a PEM file; nil: the system's.
    let caFile: String?
    /// Where the machine's notifications arrive, and its own address, from which they come; nil: nowhere.
    var display: (listen: SocketAddress, machine: SocketAddress)? {
        displayListen.flatMap { listen in
            SocketAddress(url.host, defaultPort: 0).map { (listen, $0) }
        }
    }
    var displayListen: SocketAddress?

    /// Names that the certificate may have: the machine's id alone, or as the maker of most machines writes
    /// it behind the id.
    fileprivate var names: [String] {
        [poiId, poiId + ".live.terminal.adyen.com", poiId + ".test.terminal.adyen.com"]
    }

    /// The address under the certificate's name, and where that is on the shop's network.
    fileprivate func target(_ name: String) -> (url: String, host: HTTPRequest.Place?) {
        guard url.isSecure else { return (url.base, nil) }
        let path = url.base.split(separator: "/", omittingEmptySubsequences: false).dropFirst(3)
        return (
            "https://\(name):\(url.port)/" + path.joined(separator: "/"),
            HTTPRequest.Place(host: url.host, port: url.port)
        )
    }
}

/// Exchanges messages with one machine: one connection for each request, since a request that was sent over a
/// connection that is closed may or may not have arrived.
final class NexoLine: Sendable {
    enum Outcome: Sendable {
        case reply(NexoReply)
        /// No byte of the request left the till; with why the machine is none for it, where that is so.
        case notSent(DeviceObstacle?)
        /// - Parameter isSilent: nothing came, in place of something that is no response to the request.
        case lost(detail: String, isSilent: Bool)
    }

    private let place: NexoPlace
    private let session: any HTTPSession
    /// Which of the certificate's names fits, once one did.
    private let known = Mutex<String?>(nil)

    /// For a machine of the shop's network.
    private static let connectTime = Duration.seconds(5)

    init(_ place: NexoPlace, session: any HTTPSession) {
        (self.place, self.session) = (place, session)
    }

    func send(_ request: NexoRequest, _ header: NexoHeader, within limit: Duration) async -> Outcome {
        guard let bytes = request.bytes(header, sealedBy: place.cipher, nonce: Self.nonce()) else {
            return .notSent(.unreadable)
        }
        let names = known.withLock { $0 }.map { [$0] } ?? place.names
        for name in names {
            let exchange = await exchange(bytes, name, within: limit)
            switch exchange.result {
            case .failure(.certificateRefused(.otherName)) where name != names.last: continue
            case .failure(let failure):
                guard exchange.timings.connectedAt == nil else {
                    return .lost(detail: "the card machine's response was lost", isSilent: failure.isSilent)
                }
                return .notSent(failure.obstacle)
            case .success(let response):
                known.withLock { $0 = name }
                guard response.status == 200 else {
                    return .lost(
                        detail: "the card machine responded with HTTP \(response.status)", isSilent: false)
                }
                // The response to an abort has no body.
                guard let reply = NexoReply(response.body, to: header, sealedBy: place.cipher) else {
                    return .lost(
                        detail: "the card machine's response is none to this request", isSilent: false)
                }
                return .reply(reply)
            }
        }
        return .notSent(.otherName)
    }

    /// 16 fresh random bytes.
    static func nonce() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private func exchange(_ bytes: [UInt8], _ name: String, within limit: Duration) async -> HTTPExchange {
        let target = place.target(name)
        var request = HTTPRequest(
            method: .post, url: target.url, headers: [HTTPHeader("Content-Type", "application/json")],
            body: bytes, timeout: limit, connectTimeout: Self.connectTime,
            maximumBodyBytes: NexoReply.longestBytes, usesFreshConnection: true)
        request.place = target.host
        return await session.send(request)
    }
}

extension TransferFailure {
    /// Whether the machine is another one, or none that the till's roots know.
    fileprivate var obstacle: DeviceObstacle? {
        switch self {
        case .certificateRefused(.otherName): .otherName
        case .certificateRefused(.foreign): .unknownRoot
        case .certificateRefused(.outOfValidity): .outOfValidity
        case .tlsFailed, .notSendable: .noTLS
        case .cancelled, .sessionClosed, .nameNotResolved, .notConnected, .connectTimedOut, .deadlinePassed,
            .connectionBroken, .responseCutOff, .responseTooLarge, .responseMalformed:
            nil
        }
    }

    /// Whether the time was over before anything came.
    fileprivate var isSilent: Bool {
        switch self {
        case .deadlinePassed, .cancelled, .sessionClosed: true
        case .certificateRefused, .tlsFailed, .notSendable, .nameNotResolved, .notConnected,
            .connectTimedOut, .connectionBroken, .responseCutOff, .responseTooLarge, .responseMalformed:
            false
        }
    }
}
