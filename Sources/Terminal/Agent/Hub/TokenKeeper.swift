import Base

internal import CurlTransport
internal import Foundation
internal import HubProtocol
internal import Logging
internal import OfflineMode
internal import TerminalStore
internal import MachineRuntime

/// Holds the device token: renews it ahead of expiry, hourly when that failed, and whenever it is requested
/// to.
actor TokenKeeper {
    private let facts: SQLiteTerminalFacts
    private let key: DeviceKey
    private let time: any SystemTime
    private let logger: Logger
    private var enrolment: Enrolment
    private let hub: HubClient
    private let news: HubNews
    private nonisolated let requests = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// A token is renewed when less than this is left of it.
    private static let leadMilliseconds: Int64 = 7 * 86_400_000

    /// - Parameters:
    ///   - hub: a client without a token; a renewal is signed by the device instead.
    ///   - news: gets each new token, and the return to a hub that lost this terminal.
    init(
        enrolment: Enrolment, facts: SQLiteTerminalFacts, key: DeviceKey, hub: HubClient, news: HubNews,
        time: any SystemTime, logger: Logger
    ) {
        self.hub = hub
        self.news = news
        self.enrolment = enrolment
        self.facts = facts
        self.key = key
        self.time = time
        self.logger = logger
    }

    var token: String { enrolment.token }

    /// When the token ends, in Unix milliseconds; nil: that is not known.
    var expiresAt: Int64? { Timestamp.milliseconds(of: enrolment.tokenExpiresAt) }

    nonisolated func renewSoon() {
        requests.continuation.yield()
    }

    /// Looks once an hour, and when requested.
    func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                for await _ in requests.stream { await renewIfNear() }
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
        let isNear = expiry - time.wallMilliseconds() < Self.leadMilliseconds
        guard await isComingBack() || isNear else { return }
        _ = await renew()
    }

    /// Gets a new token with the device's signature; whether there is one now.
    func renew() async -> Bool {
        do throws(HubCallError) {
            let grant = try await granted()
            enrolment.token = grant.token
            enrolment.tokenExpiresAt = grant.tokenExpiresAt
            enrolment.terminalNumber = grant.terminalNumber ?? enrolment.terminalNumber
            await keep()
            await pin(grant.hubKeys)
            news.identityRenewed()
            return true
        } catch {
            logger.warning("the device token was not renewed: \(error)")
            return false
        }
    }

    /// A hub that was restored from a backup may not know this terminal: it is shown the token and the
    /// device's key.
    private func granted() async throws(HubCallError) -> TokenGrant {
        let (key, id) = (key, enrolment.terminalId)
        do throws(HubCallError) {
            return try await hub.renewToken(terminalId: id) { key.sign($0) }
        } catch {
            guard case .refused(let problem) = error, problem.code == .terminalUnknown else { throw error }
            let name = (try? await facts.fact(Self.nameFact)) ?? ProcessInfo.processInfo.hostName
            let readmission = ReadmissionRequest(
                token: enrolment.token, publicKey: key.publicKey, name: String(name.prefix(100)))
            return try await readmitted(readmission)
        }
    }

    /// The journal is readied first, see ``SQLiteTerminalFacts/prepareReturn()``.
    private func readmitted(
        _ readmission: ReadmissionRequest
    ) async throws(HubCallError) -> TokenGrant {
        let key = key
        do {
            try await facts.prepareReturn()
        } catch {
            throw .notContract(detail: "the journal was not readied for a hub that lost it: \(error)")
        }
        news.journalReopened()
        return try await hub.renewToken(terminalId: enrolment.terminalId, readmission: readmission) {
            key.sign($0)
        }
    }

    private func isComingBack() async -> Bool { (try? await facts.isComingBack()) ?? false }

    /// The name that the terminal was enrolled with.
    static let nameFact = "terminalName"

    /// Pins later keys of the hub that a pinned one signed. Where none is pinned, as no enrolment has to
    /// bring keys, those of the first renewal are.
    private func pin(_ offer: HubKeyList?) async {
        guard let offer else { return }
        do {
            let pinned = try await facts.hubKeys()
            let keys = pinned?.trusting(offer, isSigned: DeviceKey.isSigned) ?? offer
            if keys != pinned { try await facts.pin(keys) }
        } catch {
            logger.error("the hub's new keys were not kept: \(error)")
        }
    }

    /// A token that cannot be kept still serves this run; the next one renews again.
    private func keep() async {
        do {
            try await facts.renewToken(
                enrolment.token, expiresAt: enrolment.tokenExpiresAt,
                terminalNumber: enrolment.terminalNumber)
        } catch {
            logger.error("the new token was not kept: \(error)")
        }
    }
}
