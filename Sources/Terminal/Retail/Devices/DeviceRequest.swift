package import Base
package import HubProtocol

/// One request to whoever has to agree beside the till's commit: a card machine or the hub's payment service
/// that charges or gives money back, later a signing device. Both sides have to agree about it, whatever dies
/// between them.
///
/// It is on disk before the first byte that can move money, with all that finds it again at the device. A
/// lost response is no result: the device is queried, and where its response proves nothing a person decides.
/// A charge goes from `intent` over `sent` to `charged` or `declined`, over `unknown` where the response was
/// lost. A charge that no sale takes over is `voiding` until its reversal, which is a request of its own, has
/// ended. Refunds and reversals are never sent again without a proof that the first one did nothing: then
/// they are `intent` again.
///
/// A token is granted after its sale: its charge goes from `intent` over `requested`, with the sale, to
/// `sold` or `declined`, which is a debt then.
package struct DeviceRequest: Machine, Hashable, Sendable {
    /// What it is for.
    package enum Purpose: String, Hashable, Sendable, CaseIterable {
        case charge
        /// Undoes a charge.
        case reversal
        /// Gives money back, all of a charge or a part.
        case refund
        /// The device's own end of day. It is kept once it is done, with the device's sum as its amount.
        case closing
    }

    /// What the device is known by while the request is open: on disk before it is sent.
    package struct Origin: Hashable, Sendable {
        /// As in `cardMachine.kind`.
        package let kind: DeviceKind
        /// As configured.
        package let address: String
        /// The device's own id; nil where its protocol has none.
        package let machineId: String?
        /// The protocol's id of the request; nil where it has none.
        package let requestId: String?
        /// What the till is called at the device; nil where its protocol has no name for it.
        package let tillId: String?
        /// The newest booking that the device had before the request, by its receipt number; nil: none, or
        /// the protocol needs it not.
        package let lastReceipt: Int64?
        /// When that booking was made, as the device writes it; nil: it said nothing of it.
        package let lastMoment: String?

        package init(
            kind: DeviceKind, address: String, machineId: String? = nil, requestId: String? = nil,
            tillId: String? = nil, lastReceipt: Int64? = nil, lastMoment: String? = nil
        ) {
            self.kind = kind
            self.address = address
            self.machineId = machineId
            self.requestId = requestId
            self.tillId = tillId
            self.lastReceipt = lastReceipt
            self.lastMoment = lastMoment
        }
    }

    /// How far it is. Names of cases are those of the database.
    package enum State: Hashable, Sendable {
        /// Nothing that moves money was sent. Leads to ``sent`` or ``declined(reason:)``; of a token to
        /// ``requested(_:)``, and where the till lost the sale to what the hub has of it.
        case intent
        /// Leads to ``charged(_:)``, ``requested(_:)``, ``declined(reason:)`` or ``unknown(detail:)``.
        case sent
        /// The response was lost. Leads to ``charged(_:)``, ``declined(reason:)``, and where the request
        /// gives money back to ``intent``, by a query or by a person.
        case unknown(detail: String)
        /// The device did it. Leads to ``sold(_:)`` or ``voiding(_:)`` for a charge, nowhere for others.
        case charged(DeviceProof)
        /// The protocol accepted what gives money back and says no more. Leads to ``charged(_:)`` or
        /// ``declined(reason:)``, by a person. Of a token: a sale has it. Leads to ``sold(_:)`` or
        /// ``declined(reason:)``, by the hub.
        case requested(DeviceProof)
        /// The device did nothing, and will not; or nothing was sent to it. Ends there. Of a token that a
        /// sale has it is a debt, until ``voided``.
        case declined(reason: String)
        /// A sale has the charge. Ends there; what goes back is a request of its own. Of a token it ends in
        /// ``voided`` with the sale's void.
        case sold(DeviceProof)
        /// No sale has the charge. Leads to ``voided``, ``voidRequested(_:)`` or ``owed(_:reason:)``; where
        /// the device is gone, by a person.
        case voiding(DeviceProof)
        case voided
        /// Leads to ``voided`` or ``owed(_:reason:)``, by a person.
        case voidRequested(DeviceProof)
        /// The device does not give it back: the shop owes it to the customer.
        case owed(DeviceProof, reason: String)
    }

    /// What is kept of a device's end of day that was done.
    ///
    /// - Parameter sum: minor units.
    package static func closing(
        key: String, sum: Int64, currency: String, origin: Origin, at milliseconds: Int64
    ) -> DeviceRequest {
        DeviceRequest(
            .closing, key: key, chargeKey: key, amount: sum, currency: currency, openedAt: milliseconds,
            state: .charged(DeviceProof(reference: "")), origin: origin, reported: nil)
    }

    /// What happened.
    package enum Event: Hashable, Sendable {
        /// The device is ready for the request, whose first byte comes next.
        case opened(Origin)
        /// The device reported a booking that it makes final once that is acknowledged.
        case reported(DeviceProof)
        case ended(DeviceResponse)
        case found(DeviceFinding)
        /// The till starts and finds the request on disk, or somebody waits for its result.
        case wanted
        /// A person decided an unknown one, or one that was only accepted, with the device's paper; of a
        /// device that is gone also whether a charge that no sale has went back.
        /// A `person` is nil where the store has no cashiers.
        case decided(isDone: Bool, text: String, by: String?)
        /// A sale has the charge, in one transaction with it.
        case sold
        /// No sale takes the charge over, whatever became of it.
        case givenUp
        /// How the reversal of a charge ended.
        case reversed(DeviceResponse)
        case timeAdvanced
    }

    /// What is to be done.
    package enum Effect: Hashable, Sendable {
        /// Make the state durable before anything else.
        case keep
        /// Query the device, which remembers the request or its last booking.
        case query
        /// Send the charge's reversal.
        case reverse
        /// Record the void in the journal, in one transaction with the state: the hub undoes a charge by its
        /// key.
        case recordVoid
    }

    /// A ULID for a charge; made of the charge's key for what gives its money back.
    package let key: String
    package let purpose: Purpose
    /// The charge whose money goes back; of a charge its own key.
    package let chargeKey: String
    /// Minor units, above 0.
    package let amount: Int64
    /// ISO 4217.
    package let currency: String
    /// Unix milliseconds of the wall clock.
    package let openedAt: Int64
    package private(set) var state: State
    /// Nil until it is sent.
    package private(set) var origin: Origin?
    /// What the device reported before its response. Proves nothing by itself: a device reverses what was not
    /// acknowledged.
    package private(set) var reported: DeviceProof?
    /// Whether queries prove nothing any more, so that a person has to decide.
    package private(set) var isForPerson = false
    /// Whether no sale takes the charge over: it goes back as soon as it is known.
    package private(set) var isGivenUp = false
    /// Why nothing was sent of a charge that is declined; nil: something was.
    package private(set) var trouble: DeviceTrouble?
    /// When the response was lost, or this process found it lost.
    private var lostAt: Instant?
    private var queries = 0
    private var nextQuery: Instant?

    /// A request of which nothing was sent.
    package init(
        _ purpose: Purpose, key: String, chargeKey: String, amount: Int64, currency: String, openedAt: Int64
    ) {
        self.init(
            purpose, key: key, chargeKey: chargeKey, amount: amount, currency: currency, openedAt: openedAt,
            state: .intent, origin: nil, reported: nil)
    }

    /// A request as it was kept.
    package init(
        _ purpose: Purpose, key: String, chargeKey: String, amount: Int64, currency: String,
        openedAt: Int64, state: State, origin: Origin?, reported: DeviceProof?, isGivenUp: Bool = false
    ) {
        self.key = key
        self.purpose = purpose
        self.chargeKey = chargeKey
        self.amount = amount
        self.currency = currency
        self.openedAt = openedAt
        self.state = state
        self.origin = origin
        self.reported = reported
        self.isGivenUp = isGivenUp
    }

    /// How long after a lost response the device was not queried with success, for devices that show their
    /// last booking alone; nil while the response is not lost.
    package func silence(at now: Instant) -> Duration? { lostAt.map { now - $0 } }

    /// What proves that the device did it; nil: it did not, or nobody knows.
    package var proof: DeviceProof? {
        switch state {
        case .charged(let proof), .requested(let proof), .sold(let proof), .voiding(let proof),
            .voidRequested(let proof), .owed(let proof, _):
            proof
        case .intent, .sent, .unknown, .declined, .voided: nil
        }
    }

    /// Why nothing was done, for people.
    package var reason: String {
        switch state {
        case .declined(let reason), .owed(_, let reason): reason
        case .intent, .sent, .unknown, .charged, .requested, .sold, .voiding, .voided, .voidRequested:
            "the charge was voided"
        }
    }

    /// Whether nobody knows what the device did.
    package var isUndecided: Bool {
        switch state {
        case .sent, .unknown: true
        case .intent, .charged, .requested, .declined, .sold, .voiding, .voided, .voidRequested, .owed: false
        }
    }

    /// Whether nothing is left to do for a charge that no sale takes over: no money is held, or the shop owes
    /// it.
    package var isAtRest: Bool {
        switch state {
        case .intent, .declined, .voided, .voidRequested, .owed: true
        case .sent, .unknown, .charged, .requested, .sold, .voiding: false
        }
    }

    /// The next query; nil unless one is due by time.
    package var deadline: Instant? { nextQuery }

    /// Seconds before the queries after a lost response: a device that can respond is known within 5 s. Half
    /// of the last one loads a device that is switched off for nothing; twice of it lets the shopper wait.
    private static let pace: [Int64] = [1, 2, 4]
    /// While a shopper may still stand there; then the queries are ``slowPace`` apart.
    private static let shopperWaits = Duration.seconds(5 * 60)
    /// Halved, a device that is off for a night is queried twice as often for nothing; doubled, a person who
    /// switches it on waits a minute.
    private static let slowPace = Duration.seconds(30)

    private func pause(at now: Instant) -> Duration {
        if let lostAt, now - lostAt >= Self.shopperWaits { return Self.slowPace }
        return .seconds(Self.pace[min(queries, Self.pace.count - 1)])
    }

    package mutating func handle(_ event: Event, at now: Instant) -> [Effect] {
        switch event {
        case .opened(let origin): open(origin)
        case .reported(let proof): report(proof)
        case .ended(let response): end(response, at: now)
        case .found(let finding): found(finding, at: now)
        case .wanted: want(at: now)
        case .decided(let isDone, let text, let person): decide(isDone, text, by: person)
        case .sold: sell()
        case .givenUp: giveUp()
        case .reversed(let response): reversed(response)
        case .timeAdvanced: advance(to: now)
        }
    }

    /// Once more where the device took nothing for want of a login: by another id of the protocol.
    private mutating func open(_ origin: Origin) -> [Effect] {
        guard state == .intent || state == .sent && reported == nil else { return [] }
        (state, self.origin, reported) = (.sent, origin, nil)
        return [.keep]
    }

    private mutating func report(_ proof: DeviceProof) -> [Effect] {
        guard state == .sent else { return [] }
        reported = proof
        return [.keep]
    }

    private mutating func end(_ response: DeviceResponse, at now: Instant) -> [Effect] {
        switch (state, response) {
        case (.intent, .notSent(let trouble)):
            // What gives money back is sent later, and is not decided by a device that is away.
            guard purpose == .charge else { return [] }
            (state, self.trouble) = (.declined(reason: trouble.rawValue), trouble)
            return []
        case (.intent, .declined(let reason)) where purpose != .charge:
            // It must not be sent, now or later.
            return settle(as: .declined(reason: reason))
        case (.sent, .done(let proof)), (.unknown, .done(let proof)): return settle(as: .charged(proof))
        case (.sent, .accepted(let proof)), (.unknown, .accepted(let proof)):
            return settle(as: purpose == .charge ? .charged(proof) : .requested(proof))
        case (.sent, .declined(let reason)), (.unknown, .declined(let reason)):
            return settle(as: .declined(reason: reason))
        case (.sent, .lost(let detail)):
            state = .unknown(detail: detail)
            (lostAt, queries) = (now, 0)
            return [.keep, .query]
        case (.sent, .notSent(let trouble)):
            // The till's disk has it as sent, and the device had no byte of it.
            guard purpose == .charge else { return settle(as: .intent) }
            self.trouble = trouble
            return settle(as: .declined(reason: "nothing was sent"))
        case (.unknown, .lost(let detail)):
            state = .unknown(detail: detail)
            return []
        case (.intent, _), (.unknown, _), (.charged, _), (.requested, _), (.declined, _), (.sold, _),
            (.voiding, _), (.voided, _), (.voidRequested, _), (.owed, _):
            return []
        }
    }

    private mutating func settle(as state: State) -> [Effect] {
        self.state = state
        (lostAt, nextQuery, queries, isForPerson) = (nil, nil, 0, false)
        guard isGivenUp, case .charged(let proof) = state else { return [.keep] }
        self.state = .voiding(proof)
        return [.keep, .reverse]
    }

    private var agreesLater: Bool { origin?.kind.agreesLater == true }

    private mutating func agreed(_ finding: DeviceFinding) -> [Effect] {
        switch (state, finding) {
        case (.intent, .done(let proof)), (.requested, .done(let proof)): settle(as: .sold(proof))
        case (.intent, .notDone(let reason)), (.requested, .notDone(let reason)):
            settle(as: .declined(reason: reason))
        case _: []
        }
    }

    private mutating func found(_ finding: DeviceFinding, at now: Instant) -> [Effect] {
        if agreesLater { return agreed(finding) }
        guard case .unknown = state else { return [] }
        switch finding {
        case .done(let proof): return settle(as: .charged(proof))
        case .requested(let proof):
            return settle(as: purpose == .charge ? .charged(proof) : .requested(proof))
        case .notDone(let reason):
            return settle(as: purpose == .charge ? .declined(reason: reason) : .intent)
        case .undecidable:
            (isForPerson, nextQuery) = (true, nil)
        case .open(let detail):
            if PlantedBug.lostChargeTakenForDeclined.isPlanted {
                return settle(as: .declined(reason: detail))
            }
            state = .unknown(detail: detail)
            nextQuery = now + pause(at: now)
            queries += 1
        }
        return []
    }

    private mutating func want(at now: Instant) -> [Effect] {
        switch state {
        case .sent:
            state = .unknown(detail: "the till was restarted")
            lostAt = now
            return [.keep, .query]
        case .unknown:
            lostAt = lostAt ?? now
            return [.query]
        case .intent, .charged, .requested, .declined, .sold, .voiding, .voided, .voidRequested, .owed:
            return []
        }
    }

    private mutating func decide(_ isDone: Bool, _ text: String, by person: String?) -> [Effect] {
        switch state {
        case .requested(var proof):
            proof.decidedBy = person
            return settle(as: isDone ? .charged(proof) : .declined(reason: text))
        case .voidRequested(let proof), .voiding(let proof):
            return settle(as: isDone ? .voided : .owed(proof, reason: text))
        case .unknown: break
        case .intent, .sent, .charged, .declined, .sold, .voided, .owed: return []
        }
        guard isDone else { return settle(as: .declined(reason: text)) }
        var proof = reported ?? DeviceProof(reference: text)
        proof.reference = text
        proof.receipt = Int64(text) ?? proof.receipt
        proof.decidedBy = person
        return settle(as: .charged(proof))
    }

    private mutating func sell() -> [Effect] {
        if agreesLater, state == .intent { return settle(as: .requested(DeviceProof(reference: key))) }
        guard case .charged(let proof) = state, !isGivenUp else { return [] }
        return settle(as: .sold(proof))
    }

    private mutating func giveUp() -> [Effect] {
        if agreesLater { return settle(as: .voided) + [.recordVoid] }
        switch state {
        case .intent: return settle(as: .declined(reason: "no sale was made"))
        case .sent, .unknown, .charged:
            if origin?.kind.voidsByKey == true { return settle(as: .voided) + [.recordVoid] }
            isGivenUp = true
            guard case .charged = state else { return [.keep] }
            if PlantedBug.chargeNotGivenBack.isPlanted { return settle(as: .voided) }
            return settle(as: state)
        case .voiding: return [.reverse]
        case .requested, .declined, .sold, .voided, .voidRequested, .owed: return []
        }
    }

    private mutating func reversed(_ response: DeviceResponse) -> [Effect] {
        guard case .voiding(let proof) = state else { return [] }
        switch response {
        case .done: return settle(as: .voided)
        case .accepted: return settle(as: .voidRequested(proof))
        case .declined(let reason): return settle(as: .owed(proof, reason: reason))
        case .notSent, .lost: return []
        }
    }

    private mutating func advance(to now: Instant) -> [Effect] {
        guard let next = nextQuery, next <= now else { return [] }
        nextQuery = nil
        return [.query]
    }
}

extension DeviceRequest {
    /// The state as programs see it: what the device only accepted is named by what goes back.
    package var stateName: String {
        switch (state, purpose) {
        case (.requested, .refund): "refundRequested"
        case (.requested, .reversal): "voidRequested"
        case _: state.name
        }
    }

    /// What a person decided with it, once decided: of a charge whose reversal was only accepted, that.
    package var decidedPurpose: CardDecision.Purpose {
        switch (purpose, state) {
        case (.charge, .voided), (.charge, .owed), (.reversal, _): .reversal
        case (.refund, _): .refund
        case (.charge, _), (.closing, _): .charge
        }
    }
}

extension DeviceRequest.State {
    /// For the database, for example `voidRequested`.
    package var name: String {
        switch self {
        case .intent: "intent"
        case .sent: "sent"
        case .unknown: "unknown"
        case .charged: "charged"
        case .requested: "requested"
        case .declined: "declined"
        case .sold: "sold"
        case .voiding: "voiding"
        case .voided: "voided"
        case .voidRequested: "voidRequested"
        case .owed: "owed"
        }
    }
}
