package import HubProtocol

/// The protocol of a device.
package enum DeviceKind: String, Hashable, Sendable, CaseIterable {
    /// Those of `cardMachine.kind`.
    case simulated, nexo, zvt
    /// The hub's payment service.
    case hub
    /// A card's token, sealed to the hub, whose payment service is requested after the sale.
    case token

    /// Whether it stands beside the till.
    var isMachine: Bool { self != .hub && self != .token }

    /// Whether a charge is undone by its key alone, also where nobody knows what became of it: the journal
    /// carries the void.
    var voidsByKey: Bool { self == .hub || agreesLater }

    /// Whether the sale takes a charge over before anybody has granted it.
    package var agreesLater: Bool { self == .token }
}

/// What a device can do. No adapter names more than its device has.
package enum DeviceAbility: String, Hashable, Sendable, CaseIterable {
    /// A request is found again by its id.
    case queriesByKey
    /// The last booking is shown, and no other.
    case remembersLast
    /// A charge is undone as a whole.
    case voidsCharge
    /// Money goes back to the card of a charge.
    case refundsLinked
    /// Money goes to any card that is presented.
    case refundsUnlinked
    case printsItself
    case showsProgress
}

/// What proves that a device did what was requested.
package struct DeviceProof: Hashable, Sendable {
    /// The device's own number, with which it gives the money back.
    package var reference: String
    /// Empty where the device gave none.
    package var approvalCode = ""
    /// The device's id; nil where its protocol has none.
    package var machineId: String?
    /// The number of the booking; nil where its protocol has none.
    package var receipt: Int64?
    /// As the device names it; nil where it named none.
    package var brand: String?
    /// The card's last four digits; nil where the device shows none.
    package var last4: String?
    /// Whether the device took it without the bank.
    package var isOffline = false
    /// Whether no money moved.
    package var isSimulated = false
    /// Who said so with the device's paper; nil: the device did, or the store has no cashiers.
    package var decidedBy: String?
    /// The device's paper for the customer, without any card number.
    package var customerPaper: [String] = []
    /// The device's paper for the shop, without any card number.
    package var merchantPaper: [String] = []

    package init(reference: String) { self.reference = reference }
}

/// Why a device was not requested. Nothing that moves money was sent.
package enum DeviceTrouble: String, Error, Hashable, Sendable, CaseIterable {
    /// It does not accept connections.
    case unreachable
    case busy
    /// It refuses this till: a wrong password, key, certificate or currency.
    case refused
    /// The result of an earlier request is open, which another one would hide.
    case undecided
    /// The till's disk took nothing.
    case notKept

    /// Of a refusal, for example `machine_undecided`.
    package var code: String {
        switch self {
        case .unreachable: "machine_unreachable"
        case .busy: "machine_busy"
        case .refused: "machine_refused"
        case .undecided: "machine_undecided"
        case .notKept: "not_recorded"
        }
    }
}

/// Why a device refuses a till.
package enum DeviceObstacle: Hashable, Sendable {
    /// Its certificate has another name than the configured id.
    case otherName
    /// Its certificate is not signed by the root that the till knows.
    case unknownRoot
    /// Its certificate is not valid now by the till's clock.
    case outOfValidity
    /// It speaks no TLS that the till speaks.
    case noTLS
    /// Its responses are none to the till's requests: keys that differ, or another device.
    case unreadable
    /// As it said itself.
    case said(String)
}

/// How a request ended.
package enum DeviceResponse: Hashable, Sendable {
    case notSent(DeviceTrouble)
    case done(DeviceProof)
    /// What gives money back was accepted, and no more is known.
    case accepted(DeviceProof)
    case declined(reason: String)
    case lost(detail: String)
}

/// What a device showed of a request whose response was lost.
package enum DeviceFinding: Hashable, Sendable {
    case done(DeviceProof)
    case requested(DeviceProof)
    case notDone(reason: String)
    /// Not known yet: the device is away, or still at work. Query again.
    case open(detail: String)
    /// What the device shows proves nothing, now and later.
    case undecidable(detail: String)
}

/// What an adapter needs while a request runs.
package struct DeviceSteps: Sendable {
    /// To be called before the first byte that can move money.
    ///
    /// - Returns: whether the request is on disk; without it nothing is sent.
    package let open: @Sendable (DeviceRequest.Origin) async -> Bool
    /// To be called before a booking is acknowledged that becomes final with that.
    ///
    /// - Returns: whether it is on disk; without it the booking is refused.
    package let report: @Sendable (DeviceProof) async -> Bool
    /// What the device does now, for the screen alone.
    package let show: @Sendable (DeviceProgress) -> Void
    /// The number of the device's newest booking that this till saw; nil: none.
    package let lastReceipt: @Sendable (_ machineId: String?) async -> Int64?
    /// Somebody wants no more of it: the protocol's abort is sent, and the device says how it ended.
    package let giveUp: GiveUp

    package init(
        open: @escaping @Sendable (DeviceRequest.Origin) async -> Bool,
        report: @escaping @Sendable (DeviceProof) async -> Bool,
        show: @escaping @Sendable (DeviceProgress) -> Void,
        lastReceipt: @escaping @Sendable (_ machineId: String?) async -> Int64? = { _ in nil },
        giveUp: GiveUp = GiveUp()
    ) {
        (self.open, self.report, self.show) = (open, report, show)
        (self.lastReceipt, self.giveUp) = (lastReceipt, giveUp)
    }
}

/// Which device. One that is known by its own id stays the same where its address is another one, or is
/// written in another way.
package struct DevicePlace: Hashable, Sendable {
    package let address: String
    /// Nil: nobody said it, and the address counts.
    package let machineId: String?

    package init(address: String, machineId: String?) {
        (self.address, self.machineId) = (address, machineId)
    }
}

extension DeviceRequest {
    /// Where it was booked; nil: it was sent nowhere.
    package var place: DevicePlace? {
        origin.map { DevicePlace(address: $0.address, machineId: proof?.machineId ?? $0.machineId) }
    }
}

/// What a device shows of itself, without a request that moves money.
package struct DeviceLook: Hashable, Sendable {
    /// Why it would take no request; nil: it would.
    package var trouble: DeviceTrouble?
    /// Why it refuses this till; nil: it does not, or the till cannot know.
    package var obstacle: DeviceObstacle?
    /// Nil where it was not reached, or has none.
    package var machineId: String?
    /// Its newest booking; nil: it has none, or shows none.
    package var last: DeviceBooking?

    package init(trouble: DeviceTrouble? = nil, machineId: String? = nil, last: DeviceBooking? = nil) {
        (self.trouble, self.machineId, self.last) = (trouble, machineId, last)
    }
}

/// A booking of a device, whoever requested it.
package struct DeviceBooking: Hashable, Sendable {
    package let receipt: Int64?
    /// Minor units; nil where the device said none.
    package let amount: Int64?
    /// By the device's clock; nil where it said none.
    package let at: String?
    package let isReversal: Bool
    package let isApproved: Bool

    package init(receipt: Int64?, amount: Int64?, at: String?, isReversal: Bool, isApproved: Bool) {
        self.receipt = receipt
        self.amount = amount
        self.at = at
        self.isReversal = isReversal
        self.isApproved = isApproved
    }
}

/// What a device says of its own end of day.
package struct ClosedDeviceDay: Hashable, Sendable {
    /// Charges less what went back, in minor units; nil where it said none.
    package let sum: Int64?
    /// Nil where its protocol has none.
    package let machineId: String?
    /// Whether the response to an end of day before this one was lost: the device may have closed a part of
    /// what this till counts with that one.
    package let mayBeSecond: Bool

    package init(sum: Int64?, machineId: String?, mayBeSecond: Bool = false) {
        (self.sum, self.machineId, self.mayBeSecond) = (sum, machineId, mayBeSecond)
    }
}

/// The sums of a device's own end of day, in minor units: charges less what went back.
package struct DeviceFigures: Hashable, Sendable {
    /// Nil where the device said none, or one that cannot be compared.
    package let device: Int64?
    /// The device's sum of the second of two ends of day, where the first one's was lost; nil: it is
    /// ``device``.
    package var secondSum: Int64?
    /// What this till did with it since the last end of day.
    package let till: Int64
    /// ISO 4217.
    package let currency: String

    package init(device: Int64?, till: Int64, currency: String) {
        (self.device, self.till, self.currency) = (device, till, currency)
    }
}

/// Who decided something about a device, and when.
package struct DeviceAct: Hashable, Sendable {
    package let person: Authorization
    /// Unix milliseconds of the wall clock.
    package let madeAt: Int64
    /// The business day of ``madeAt`` by the store's calendar.
    package let businessDay: BusinessDay

    package init(person: Authorization, madeAt: Int64, businessDay: BusinessDay) {
        self.person = person
        self.madeAt = madeAt
        self.businessDay = businessDay
    }
}

/// The connection to one device.
///
/// Each call is one dialogue, and the caller makes one at a time. Nothing throws: every failure is a
/// response.
package protocol DeviceAdapter: Sendable {
    var kind: DeviceKind { get }
    /// As configured.
    var address: String { get }
    var abilities: Set<DeviceAbility> { get }

    /// Sends a request, once.
    ///
    /// - Parameter original: of the charge whose money goes back; nil for a charge.
    func perform(_ request: DeviceRequest, original: DeviceProof?, _ steps: DeviceSteps) async
        -> DeviceResponse

    /// What became of a request whose response was lost.
    ///
    /// - Parameter silence: since the response was lost.
    func find(_ request: DeviceRequest, original: DeviceProof?, silence: Duration) async -> DeviceFinding

    /// Whether it would take a request now.
    ///
    /// - Parameter currency: of the till, ISO 4217.
    func look(currency: String) async -> DeviceLook

    /// The device's own end of day.
    ///
    /// - Returns: what it closed. A lost response is ``DeviceTrouble/unreachable``.
    func closeDay(currency: String) async -> Result<ClosedDeviceDay, DeviceTrouble>

    /// Takes what the device sends by itself, until the task is cancelled; for the screen alone.
    func listen() async

    /// Whether a refund of `charge` goes to the card that was charged. Otherwise it goes to whichever card is
    /// presented.
    func isLinked(to charge: DeviceProof) -> Bool
}

extension DeviceAdapter {
    /// As its abilities say.
    package func isLinked(to charge: DeviceProof) -> Bool { abilities.contains(.refundsLinked) }

    /// Nothing: most devices send nothing by themselves.
    package func listen() async {}
}

/// Keeps requests of devices. Every change is durable on return.
package protocol DeviceLedger: Sendable {
    /// Adds it, or replaces the one of its key.
    ///
    /// - Returns: false where that had ended, and stays as it is.
    @discardableResult
    func keep(_ request: DeviceRequest) async throws(StorageError) -> Bool

    /// Keeps a request that a person decided, in one transaction with the journal's entry about it.
    ///
    /// - Parameter text: the number on the device's paper, or why nothing was done.
    func decide(
        _ request: DeviceRequest, isDone: Bool, text: String, by act: DeviceAct
    ) async throws(StorageError)

    /// Keeps an end of day that the device made, in one transaction with the journal's entry about it.
    func close(
        _ closing: DeviceRequest, _ figures: DeviceFigures, by act: DeviceAct
    ) async throws(StorageError)

    /// What people decided since the device's figures and the till's agreed last, oldest first.
    func unconfirmedDecisions() async throws(StorageError) -> [CardDecision]

    /// The one of this key; nil: nothing was ever sent under it.
    func request(_ key: String) async throws(StorageError) -> DeviceRequest?

    /// Those that have not ended, oldest first: sent, unknown, being voided, and what was only accepted.
    func open() async throws(StorageError) -> [DeviceRequest]

    /// What this till did with the device since its last end of day: charges less what went back, in minor
    /// units, and their currency; nil: nothing.
    func figures(of device: DevicePlace) async throws(StorageError) -> (sum: Int64, currency: String)?

    /// The newest booking of this till at the device; nil: none.
    func lastReceipt(of device: DevicePlace) async throws(StorageError) -> Int64?

    /// The numbers of bookings that this till saw of the device of `charge` behind the charge's, oldest
    /// first.
    func receipts(behind charge: DeviceRequest) async throws(StorageError) -> [Int64]

    /// Whether this till had the charge's device make its end of day behind it.
    func isDayClosed(behind charge: DeviceRequest) async throws(StorageError) -> Bool
}

/// In what a device counts towards its end of day, as its responses name it.
package struct DevicePeriods: Fact, Hashable {
    /// Nil: no response named one since the last end of day.
    package var current: String?
    /// Its end was requested, and no response said that it was made: the device may have closed it.
    package var ending: String?

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.text("current", &current, .valid)
        try m.text("ending", &ending, .valid)
    }
}

/// Keeps the periods of a device. Every change is durable on return.
package protocol DevicePeriodKeeping: Sendable {
    /// - Parameter address: as configured.
    func periods(at address: String) async throws(StorageError) -> DevicePeriods

    func keep(_ periods: DevicePeriods, at address: String) async throws(StorageError)
}
