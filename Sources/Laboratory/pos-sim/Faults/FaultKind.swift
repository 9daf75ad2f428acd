/// What the outside of a shop does to it.
enum FaultKind: String, CaseIterable, Codable, Hashable {
    // The link of a till, while the fault lasts.
    /// Requests vanish, and nobody says so.
    case silence
    /// The kernel says at once that there is no way.
    case refusal
    /// The cable is out: the kernel has no path.
    case unplugged
    /// Responses take seconds.
    case slowness
    /// A part of the requests vanishes, of others the response.
    case loss
    /// The hub does its work, and no response arrives.
    case lostResponse
    /// A copy of each request arrives, too, later.
    case duplicate
    /// The connection breaks in the middle of a response.
    case brokenResponse
    /// Somebody else responds: the page of a hotel.
    case portal
    /// A proxy before the hub responds with an error.
    case gatewayError
    /// A proxy before the hub responds that tills should wait.
    case throttle
    /// A response of the hub's status with other bytes.
    case garbage
    /// A filter responds to pushes with a 4xx of its own.
    case strangeRefusal
    /// A filter responds with a 4xx of its own to pushes with a certain article, and lets others pass.
    case contentFilter
    /// A process of the hub that lags behind decides as half an hour ago.
    case oldDecision
    /// Requests for decisions vanish, and all others pass.
    case decisionSilence
    /// The hub's name has no address.
    case nameFailure
    /// The certificate is another one, of another name, or not valid at this time, or TLS fails otherwise.
    case badCertificate
    /// Connections are reset, before the hub has the request or after it.
    case reset
    /// A response is larger than anybody takes.
    case oversized
    /// A response begins and does not end in time.
    case trickle
    /// A proxy takes nobody's token.
    case unauthorized
    /// A proxy responds to pushes with an error of a server, and lets the rest pass.
    case pushError
    /// Pings have no echo, and requests pass.
    case noEcho
    /// Every till of a store at once.
    case storeOutage

    // The hub.
    /// The process is killed and started again.
    case hubKill
    /// A deployment at noon: requests end, a while without a hub.
    case hubDeployment
    /// The store is put back to a backup.
    case hubRestore
    /// The hub's machine loses its power, and what no sync made durable is lost, in part or torn.
    case hubPowerCut
    /// An operator sets a service faulty, and takes it back.
    case serviceFaulty
    /// The same, again and again within a minute or two.
    case serviceFlapping
    /// The price of an article changes: no fault, but what meets all of them.
    case priceChange

    // A till.
    /// The process is killed and started again.
    case tillKill
    /// The machine loses its power, and what no sync made durable is lost, in part or torn; it boots anew.
    case tillPowerCut
    /// The agent is ended and started again.
    case tillRestart
    /// The disk is full: nothing can be written to it.
    case diskFull
    /// The disk fails to make anything durable.
    case diskError
    /// Somebody switches it offline.
    case manualOffline
    /// Somebody switches it offline, and it is killed as soon as it has confirmed that.
    case manualKill
    /// The same, and what it has kept of that is damaged.
    case flagDamaged
    /// A program with the till's requests sends them again, without their token, cut off, and as garbage.
    case hostileRequests
    /// The database is put back as it was ten minutes before; the files beside it stay.
    case tillRollback
    /// Pages of the database are damaged while nothing waits to be sent, and `pos repair` makes a fresh one.
    case databaseDamage
    /// The journal comes to the hub in a file while the till is away, and then from the till.
    case exportIngest
    /// The wall clock leaps forward, and back to its time at the end.
    case wallForward
    /// The wall clock leaps back.
    case wallBack
    /// The machine is suspended.
    case suspension

    // The shop's network, between a till and the others of its store.
    /// Nothing passes, either way.
    case neighboursCut
    /// Nothing of the others arrives at the till, and what it sends arrives there.
    case neighboursDeaf
    /// What they send each other is under way for long.
    case neighboursSlow

    // The card machine of a till.
    /// It accepts no connections.
    case machineDark
    /// A request is lost behind its connection, and the machine never has it.
    case machineMisses
    /// The machine does its work, and the response is lost.
    case machineLoses
    /// It is busy with something else.
    case machineBusy
    /// The bank declines.
    case machineDeclines
    /// It is started again, and what it was at work with is over.
    case machineRestart

    /// Whether it is one of a card machine: drawn apart, for worlds that have them.
    var isOfMachine: Bool {
        switch self {
        case .machineDark, .machineMisses, .machineLoses, .machineBusy, .machineDeclines, .machineRestart:
            true
        case _: false
        }
    }

    /// Whether it is one of the network between tills: drawn apart, for worlds whose tills see each other.
    var isOfNeighbours: Bool {
        switch self {
        case .neighboursCut, .neighboursDeaf, .neighboursSlow: true
        case _: false
        }
    }

    /// What has no end of its own lasts a moment.
    var isMoment: Bool {
        switch self {
        case .hubKill, .hubPowerCut, .hubRestore, .tillKill, .tillPowerCut, .tillRestart, .tillRollback,
            .databaseDamage, .exportIngest, .priceChange, .hostileRequests, .machineRestart:
            true
        case _: false
        }
    }

    /// Whether it is of one till rather than of a store or the hub.
    var isOfTill: Bool {
        switch self {
        case .storeOutage, .hubKill, .hubDeployment, .hubPowerCut, .hubRestore, .serviceFaulty,
            .serviceFlapping, .priceChange:
            false
        case _: true
        }
    }

    /// Whether, on a till's link, it can keep a request from the hub or the response from the till.
    var isInTheWay: Bool { self != .oldDecision && self != .noEcho && self != .decisionSilence }

    /// Whether, on a till's link, nothing of the hub passes while it acts.
    var isDark: Bool {
        switch self {
        case .silence, .refusal, .unplugged, .storeOutage, .portal, .nameFailure, .badCertificate: true
        case _: false
        }
    }
}

/// One fault: when, where, how long.
struct Fault: Codable, Hashable {
    /// Milliseconds since the world began.
    var at: Int64
    var kind: FaultKind
    /// The number of the till; nil for what is of a store or of the hub.
    var till: Int?
    /// Milliseconds.
    var lasts: Int64
    /// How far a wall clock leaps, in milliseconds; nil: as far as the fault lasts.
    var leap: Int64?

    var end: Int64 { at + lasts }
}
