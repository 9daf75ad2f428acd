package import Base
package import OfflineCore

/// Why something cannot be done now, or not by its usual way, and what ends that.
package enum TillObstacle: Hashable, Sendable {
    case switchedOff
    case network
    /// The hub's service is faulty, by QoS or by a local lease.
    case service(String)
    /// The hub's service used up the wait budget of a sale and has not responded in time since.
    case slow(String)
    /// The hub does not accept the terminal's identity.
    case notEnrolled
    case noPayments
    /// The store lists no card among its tenders.
    case noTender
    case signInRequired
    case shiftRequired
    case diskFull
    /// The store on disk cannot record.
    case notRecording
    /// Both clocks as texts for people.
    case clockDiffers(own: String, hub: String)
    /// A limit of `offlineCard` leaves nothing.
    case cardLimit(OfflineCardExcess)
    /// The card machine's result of an earlier payment is open.
    case machineUndecided
    /// The card machine was not reached, refused this till, or was busy with another one, a moment ago.
    case machineAway, machineRefused, machineBusy
    /// The hub no longer accepts this version.
    case tooOld
    /// Another copy of this terminal goes on.
    case superseded
    /// The hub asked to wait until that moment of the store's time.
    case busy(until: String)

    /// The cause that keeps the terminal offline, of several the one that a person can end first; nil while
    /// it is online.
    package init?(_ status: ModeStatus) {
        guard status.mode == .offline else { return nil }
        let core = status.services.first { $0.isCore && $0.isFaulty }
        self.init(status.causes, core: core?.service ?? "order")
    }

    /// - Parameter core: the core service that is faulty, if one is.
    init?(_ causes: [OfflineCause], core: String) {
        switch causes.min() {
        case .manual: self = .switchedOff
        case .network: self = .network
        case .service: self = .service(core)
        case nil: return nil
        }
    }

    /// A stable name for programs.
    package var word: String {
        switch self {
        case .switchedOff: "manual"
        case .network: "network"
        case .service: "service"
        case .slow: "slow"
        case .notEnrolled: "authBlocked"
        case .noPayments: "noPaymentService"
        case .noTender: "noTender"
        case .signInRequired: "signInRequired"
        case .shiftRequired: "shiftRequired"
        case .diskFull: "diskFull"
        case .notRecording: "notRecording"
        case .clockDiffers: "clockDiffers"
        case .cardLimit: "cardLimit"
        case .machineUndecided: "machineUndecided"
        case .machineAway: "machineAway"
        case .machineRefused: "machineRefused"
        case .machineBusy: "machineBusy"
        case .tooOld: "tooOld"
        case .superseded: "superseded"
        case .busy: "busy"
        }
    }

    /// What a person can run to end it, or to look for its end; nil: nothing helps here.
    package var command: String? {
        switch self {
        case .switchedOff: Self.goOnline
        case .network, .service, .cardLimit: Self.retry
        case .notEnrolled, .superseded: Self.enrol
        case .signInRequired: "pos sign-in CASHIER"
        case .shiftRequired: "pos shift open --float AMOUNT"
        case .notRecording: "pos doctor"
        case .machineUndecided: "pos card status"
        case .machineAway, .machineRefused, .machineBusy: "pos card test"
        case .slow, .noPayments, .noTender, .diskFull, .clockDiffers, .tooOld, .busy: nil
        }
    }

    /// When it ends by itself at the earliest: the recovery hold of the network, or the test of a faulty
    /// service. Nil: nothing of it has a moment, or none is known.
    package func end(in status: ModeStatus) -> Instant? {
        switch self {
        case .network: status.network.state == .recovering ? status.network.deadline : nil
        case .service(let name): status.services.first { $0.service == name }?.testedAt
        case .switchedOff, .slow, .notEnrolled, .noPayments, .noTender, .signInRequired, .shiftRequired,
            .diskFull, .notRecording, .clockDiffers, .cardLimit, .machineUndecided, .machineAway,
            .machineRefused, .machineBusy, .tooOld, .superseded, .busy:
            nil
        }
    }

    /// Takes the manual switch back.
    package static let goOnline = "pos offline off"
    /// Sends a request to the hub now.
    package static let retry = "pos sync now"
    /// Enrols the terminal again.
    package static let enrol = "pos init --hub URL --enrol CODE"
}

extension ServiceStatus {
    /// Whether calls of the service stay at the terminal, whatever the mode.
    package var isFaulty: Bool { state == .faulty || state == .recovering }
}
