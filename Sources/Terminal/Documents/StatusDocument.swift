internal import CurlTransport
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// The document of `pos status --json`, made from one status of the machines and one depth of the outbox.
struct StatusDocument {
    let status: ModeStatus
    /// Nil where the database cannot be read.
    let depth: OutboxDepth?
    /// The end of the hub's `Retry-After` for the outbox; nil while none holds.
    let retryAfterEnds: Instant?
    let losesLargePackets: Bool
    let identity: Enrolment
    /// What the hub last said of this version.
    let schema: SchemaMessage
    let tuning: RemoteConfiguration
    let policy: SyncPolicy
    let pull: PullRecord
    /// The last time that order numbers leapt; nil: never.
    let leap: OrderNumberLeap?
    let store: StoreCondition
    /// Why the outbox stands still for good; nil where it does not, and where no drainer runs.
    let stop: DrainStop?
    /// How far the hub's clock is ahead in milliseconds; nil: it has not answered in this run.
    let hubAhead: Int64?
    let isDiskFull: Bool
    /// Whether the store has cashiers and nobody is signed in.
    let isSignInRequired: Bool
    /// Card sales whose answer nobody has seen.
    let unseenCardSales: Int
    /// Turns a moment of the machine into Unix milliseconds.
    let wall: (Instant) -> Int64
    let now: Instant
    let wallNow: Int64

    var json: JSONValue {
        [
            "mode": .string(status.mode.rawValue), "since": time(status.since),
            "causes": .array(status.causes.map { .string($0.rawValue) }),
            "manual": Self.manual(status.manual), "network": network,
            "services": .array(status.services.map(service)), "connectivity": connectivity,
            "capabilities": CapabilityDocument(
                status: status, takesCards: tuning.checkoutPolicy.takesCards
            ).json, "outbox": outbox,
            "quality": quality, "policy": PolicyDocument(policy: policy).json, "banner": banner,
            "hub": .string(tuning.configuration.hubURL), "terminalId": .string(identity.terminalId),
            "storeId": .string(identity.storeId), "version": .string(TerminalVersion.current),
            "schema": schema.json, "catalogue": pull.document(at: wallNow),
            "orderNumbers": ["leap": leap?.json ?? .null], "store": store.json,
            "signInRequired": .bool(isSignInRequired),
            "unseenCardSales": .integer(Int64(unseenCardSales)),
            "clock": ["hubAheadMs": JSONValue(hubAhead)],
        ]
    }

    static func manual(_ manual: ManualStatus) -> JSONValue {
        [
            "on": .bool(manual.isOn),
            "since": manual.since.map { .string(Timestamp.text(milliseconds: $0)) } ?? .null,
            "by": JSONValue(manual.by), "reason": JSONValue(manual.reason),
        ]
    }

    private var network: JSONValue {
        let network = status.network
        let remaining = network.deadline.map { max(0, ($0 - now).wholeMilliseconds) }
        return [
            "state": .string(network.state.rawValue), "since": time(network.since),
            "evidence": .array(network.evidence.map(JSONValue.string)),
            "t1Ms": .integer(network.debounce.wholeMilliseconds), "deadlineInMs": JSONValue(remaining),
        ]
    }

    private func service(_ service: ServiceStatus) -> JSONValue {
        [
            "service": .string(service.service), "core": .bool(service.isCore),
            "state": .string(service.state.rawValue), "since": time(service.since),
            "source": .string(service.source.rawValue), "generation": .integer(service.generation),
        ]
    }

    private var connectivity: JSONValue {
        ConnectivityDocument(snapshot: status.connectivity, wall: wall).json
    }

    private var quality: JSONValue {
        let quality = status.quality
        return [
            "samples": .integer(Int64(quality.samples)), "failures": .integer(Int64(quality.failures)),
            "p50Ms": JSONValue(quality.median?.wholeMilliseconds),
            "p95Ms": JSONValue(quality.percentile95?.wholeMilliseconds),
            "degraded": .bool(quality.isDegraded),
        ]
    }

    /// What stops sales or sending beside the mode.
    private var firstTroubles: [Banner.Trouble] {
        var troubles: [Banner.Trouble] = []
        if isDiskFull { troubles.append(.diskFull) }
        if stop == .epochSuperseded { troubles.append(.superseded) }
        if let hubAhead, hubAhead.magnitude > Checkout.clockTolerance {
            troubles.append(.clockDiffers(hours: Int64(hubAhead.magnitude / 3_600_000)))
        }
        return troubles
    }

    private var banner: JSONValue {
        BannerDocument(
            status: status, isTooOld: schema == .refused, losesLargePackets: losesLargePackets,
            asksInternet: tuning.configuration.internetProbeURL != nil, first: firstTroubles,
            refused: (depth?.rejected ?? 0) + (depth?.conflicted ?? 0),
            store: store.trouble(at: wallNow),
            pending: depth?.pending ?? 0,
            language: tuning.configuration.language,
            calendar: tuning.checkoutPolicy.calendar, wall: wall
        ).json
    }

    private var outbox: JSONValue {
        guard let depth else { return OutboxDocument.unreadable }
        return OutboxDocument(
            depth: depth, wallNow: wallNow, retryAfterEnds: retryAfterEnds.map(wall),
            losesLargePackets: losesLargePackets
        ).json
    }

    private func time(_ instant: Instant) -> JSONValue {
        .string(Timestamp.text(milliseconds: wall(instant)))
    }
}
