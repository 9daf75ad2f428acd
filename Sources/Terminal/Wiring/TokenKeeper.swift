internal import CurlTransport
internal import HubProtocol
internal import Logging
internal import OfflineMode
internal import TerminalStore

/// Holds the device token: renews it ahead of expiry, hourly when that failed, and whenever it is asked to.
actor TokenKeeper {
    private let facts: SQLiteTerminalFacts
    private let key: DeviceKey
    private let time: any SystemTime
    private let logger: Logger
    private var enrolment: Enrolment
    private var hub: HubClient?
    private nonisolated let wishes = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// Told when a new token lies on disk: whoever stood still for want of one goes on.
    private var onRenewal: @Sendable () -> Void = {}

    /// A token is renewed when less than this is left of it.
    private static let leadMilliseconds: Int64 = 7 * 86_400_000

    init(
        enrolment: Enrolment, facts: SQLiteTerminalFacts, key: DeviceKey, time: any SystemTime, logger: Logger
    ) {
        self.enrolment = enrolment
        self.facts = facts
        self.key = key
        self.time = time
        self.logger = logger
    }

    /// Gives the client whose requests need the token; it is made after this.
    func connect(to hub: HubClient, onRenewal: @escaping @Sendable () -> Void) {
        self.hub = hub
        self.onRenewal = onRenewal
    }

    var token: String { enrolment.token }

    nonisolated func renewSoon() {
        wishes.continuation.yield()
    }

    /// Looks once an hour, and when wished.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await _ in wishes.stream { await renewIfNear() }
            }
            group.addTask { [self] in
                while !Task.isCancelled {
                    renewSoon()
                    try? await Task.sleep(for: .seconds(3600))
                }
            }
            await group.waitForAll()
        }
    }

    private func renewIfNear() async {
        let expiry = Timestamp.milliseconds(of: enrolment.tokenExpiresAt) ?? 0
        guard expiry - time.wallMilliseconds() < Self.leadMilliseconds else { return }
        _ = await renew()
    }

    /// Gets a new token with the device's signature; whether there is one now.
    func renew() async -> Bool {
        guard let hub else { return false }
        let key = key
        do throws(HubCallError) {
            let grant = try await hub.renewToken(terminalId: enrolment.terminalId) { key.sign($0) }
            enrolment.token = grant.token
            enrolment.tokenExpiresAt = grant.tokenExpiresAt
            await keep()
            await pin(grant.hubKeys)
            onRenewal()
            return true
        } catch {
            logger.warning("the device token was not renewed: \(error)")
            return false
        }
    }

    /// Pins later keys of the hub that a pinned one signed. Where none is pinned, at a terminal that was
    /// enrolled before hubs had keys, those of its first renewal are.
    private func pin(_ offer: HubKeyList?) async {
        guard let offer else { return }
        do {
            let pinned = try await facts.hubKeys()
            let keys = pinned?.letting(in: offer, isSigned: DeviceKey.isSigned) ?? offer
            if keys != pinned { try await facts.pin(keys) }
        } catch {
            logger.error("the hub's new keys were not kept: \(error)")
        }
    }

    /// A token that cannot be kept still serves this run; the next one renews again.
    private func keep() async {
        do {
            try await facts.renewToken(enrolment.token, expiresAt: enrolment.tokenExpiresAt)
        } catch {
            logger.error("the new token was not kept: \(error)")
        }
    }
}
