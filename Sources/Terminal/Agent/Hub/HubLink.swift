import Base

internal import CurlHTTP
internal import CurlTransport
internal import HubProtocol
internal import LinuxNetwork
internal import Logging
internal import MachineRuntime
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// The way to the hub: session, client, token, probe, ping and path.
struct HubLink {
    let session: any HTTPSession
    let hub: HubClient
    let token: TokenKeeper
    let heads: HeadSigner
    let receipts: ReceiptSigner
    let probe: CurlHubProbe
    let path: HubPathChooser
    /// Nil for a hub on loopback: this machine's own kernel would respond, and that says nothing of the hub.
    let pinger: (any HubPinging)?

    init(
        configuration: TerminalConfiguration, home: TerminalHome, store: TerminalStores, news: HubNews,
        schema: SchemaStatus, clock: HubTimeKeeper, context: any TerminalContext, logger: Logger
    ) throws(TerminalError) {
        let time = context.time
        let client = try HubLink.clientConfiguration(configuration)
        let way = context.way(
            to: client.hub,
            PathConfiguration(
                meteredInterfaces: Set(configuration.meteredInterfaces),
                isConstrained: configuration.isConstrained))
        pinger = way.pinger
        session = try context.session(caFile: configuration.caFile)
        let key = try DeviceKey(home: home)
        let session = session
        func makeClient(_ access: HubAccess) -> HubClient {
            HubClient(
                session: session, configuration: client, access: access, time: time, observer: news,
                onSchemaMessage: schema.note, onHubTime: clock.note, onFeedMoved: news.feedMoved,
                onExchange: { logger.note($0) })
        }
        let token = TokenKeeper(
            enrolment: store.enrolment, facts: store.facts, key: key, hub: makeClient(.none), news: news,
            time: time, logger: logger)
        self.token = token
        heads = HeadSigner(facts: store.facts, key: key, time: time, unrecorded: UnrecordedRefunds())
        receipts = ReceiptSigner(terminalId: store.enrolment.terminalId, key: key)
        hub = makeClient(HubAccess(token: { await token.token }, renew: { await token.renew() }))
        probe = CurlHubProbe(
            session: session, hub: client.hub, internetURL: configuration.internetProbeURL,
            onHubTime: clock.note)
        path = HubPathChooser(
            monitor: way.monitor, session: session, probe: probe, pinger: pinger, time: time)
    }

    static func clientConfiguration(
        _ configuration: TerminalConfiguration
    ) throws(TerminalError) -> HubClientConfiguration {
        do {
            return HubClientConfiguration(
                hub: try ServerURL(configuration.hubURL), qos: try ServerURL(configuration.qosURL),
                requestTimeout: configuration.requestTimeout)
        } catch {
            throw TerminalError(.unusable, code: "configuration_value") { $0.addressesUnusable("\(error)") }
        }
    }

    func canary(epoch outbox: SQLiteOutbox) -> CurlCanary {
        CurlCanary(client: hub, epoch: { (try? await outbox.depth().epoch) ?? 1 })
    }
}

extension Logger {
    /// A push at `info`, everything else at `debug`.
    fileprivate func note(_ exchange: HubExchange) {
        log(
            level: exchange.entries.isEmpty ? .debug : .info, "a request to the hub",
            metadata: [
                "request": "\(exchange.trace.request)", "trace": "\(exchange.trace.trace)",
                "route": "\(exchange.api.method) \(exchange.api.template)",
                "status": "\(exchange.status.map(String.init) ?? "none")",
                "ms": "\(exchange.duration.wholeMilliseconds)",
                "entries": .array(exchange.entries.map { "\($0)" }),
            ])
    }
}

/// Signs where the journal ends, as it lies on the disk now.
struct HeadSigner: Sendable {
    let facts: SQLiteTerminalFacts
    let key: DeviceKey
    let time: any SystemTime
    let unrecorded: UnrecordedRefunds

    /// Nil when the journal cannot be read, before the enrolment, and while what the hub granted is not
    /// recorded: the request goes without a head then.
    @Sendable func head() async -> SignedHead? {
        // In this order: a refund whose inquiry is sent from here on was granted after this moment.
        let moment = time.wallMilliseconds()
        guard unrecorded.isEmpty else { return nil }
        guard let end = try? await facts.journalEnd(), let terminalId = end.terminalId else { return nil }
        return SignedHead(
            terminalId: terminalId, epoch: end.epoch, sequence: end.sequence, hash: end.hash,
            orderCounter: end.orderCounter, origin: end.origin, at: moment, sign: key.sign)
    }
}
