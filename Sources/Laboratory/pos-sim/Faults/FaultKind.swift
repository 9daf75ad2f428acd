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
    /// Every till of a store at once.
    case storeOutage

    // The hub.
    /// The process is killed and started again.
    case hubKill
    /// A deployment at noon: requests end, a while without a hub.
    case hubDeployment
    /// The store is put back to a backup.
    case hubRestore
    /// An operator sets a service faulty, and takes it back.
    case serviceFaulty
    /// The price of an article changes: no fault, but what meets all of them.
    case priceChange

    // A till.
    /// The process is killed and started again.
    case tillKill
    /// The agent is ended and started again.
    case tillRestart
    /// Somebody switches it offline.
    case manualOffline
    /// Somebody switches it offline, and it is killed as soon as it has confirmed that.
    case manualKill
    /// The database is put back as it was ten minutes before; the files beside it stay.
    case tillRollback
    /// The wall clock leaps forward, and back to its time at the end.
    case wallForward
    /// The wall clock leaps back.
    case wallBack
    /// The machine is suspended.
    case suspension

    /// What has no end of its own lasts a moment.
    var isMoment: Bool {
        switch self {
        case .hubKill, .hubRestore, .tillKill, .tillRestart, .tillRollback, .priceChange: true
        case _: false
        }
    }

    /// Whether it is of one till rather than of a store or the hub.
    var isOfTill: Bool {
        switch self {
        case .storeOutage, .hubKill, .hubDeployment, .hubRestore, .serviceFaulty, .priceChange: false
        case _: true
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

    var end: Int64 { at + lasts }
}
