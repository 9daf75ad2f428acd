package import HubProtocol

/// One push, single or batch, ready for the ledger.
package struct IntakeRequest: Sendable {
    /// The terminal that pushes, by its token; never by the body.
    package let device: DeviceIdentity
    /// The epoch that the terminal speaks; nil: the one the hub knows as its last.
    package let epoch: Int64?
    /// The sequence at which that epoch began; nil from terminals of earlier versions.
    package let epochStart: Int64?
    /// The smallest sequence without a result on the terminal's disk; nil when it named none.
    package let lowSequence: Int64?
    /// In the order sent; one for a single push, up to 200 for a batch, none for a canary.
    package let mutations: [ReceivedMutation]
    /// The hub's wall clock, in milliseconds since 1970.
    package let receivedAt: Int64
    /// What came as the terminal's signed head; nil: nothing, as from terminals of the version before.
    package let head: HeadClaim?
    /// The limits that apply to this push; the defaults unless the configuration names others.
    package let limits: IntakeLimits
    /// How the entries came.
    package let way: IntakeWay
    /// The piece that another terminal handed in with them; nil for any other way than ``IntakeWay/relay``.
    package let relay: RelayRecord?

    /// Makes a request. By default it names no start and no head, the limits are those of
    /// ``IntakeLimits/init()``, and the terminal itself pushes it.
    package init(
        device: DeviceIdentity, epoch: Int64?, epochStart: Int64? = nil, lowSequence: Int64?,
        mutations: [ReceivedMutation], receivedAt: Int64, head: HeadClaim? = nil,
        limits: IntakeLimits = IntakeLimits(), way: IntakeWay = .terminal, relay: RelayRecord? = nil
    ) {
        self.way = way
        self.relay = relay
        self.device = device
        self.epoch = epoch
        self.epochStart = epochStart
        self.lowSequence = lowSequence
        self.mutations = mutations
        self.receivedAt = receivedAt
        self.head = head
        self.limits = limits
    }

    /// What the push costs the store, in mutations of a usual size, at least 1: see ``GroupSelection``.
    package var weight: Int {
        max(1, mutations.reduce(0) { $0 + max(1, $1.document.utf8.count / Self.usualBytes) })
    }

    /// A sale of three lines has some 1,400. Halved, sales of a supermarket drain a few at a time; doubled, a
    /// batch that costs ten times a usual one counts as light.
    private static let usualBytes = 4_096

    /// The push without its first mutations, as the terminal would send it after their results.
    ///
    /// - Parameter count: how many have results, below the number of ``mutations``.
    package func behind(_ count: Int) -> IntakeRequest {
        IntakeRequest(
            device: device, epoch: epoch, epochStart: epochStart, lowSequence: lowSequence,
            mutations: Array(mutations.dropFirst(count)), receivedAt: receivedAt, head: head, limits: limits,
            way: way, relay: relay)
    }
}

/// How entries come to the hub.
package enum IntakeWay: Hashable, Sendable {
    /// The terminal pushes them.
    case terminal
    /// Another terminal hands them in. It forks no journal, and opens no epoch that the hub does not know of.
    case relay
    /// A person brings them: a file of a dead terminal, or a relayed piece that was kept aside.
    case file
    /// The same, of a piece that was kept aside since another entry held a sequence of it.
    case settledConflict
    /// The same, of a piece whose maker is revoked: what its disk had of attachments is gone with it, so that
    /// nothing waits for them.
    case withoutAttachments

    /// Whether the entries may belong to an epoch before the last one. A terminal's may not, since another
    /// copy of it may have gone on.
    var isBelated: Bool { self == .file || self == .settledConflict || self == .withoutAttachments }
}

/// What became of a push as a whole.
package enum IntakeResponse: Hashable, Sendable {
    /// One result per mutation, in the order sent.
    case results(MutationBatchResponse)
    /// The journal has another epoch: nothing was applied (http.md section 3, epochs).
    case refused(JournalRefusal)
}

/// Why a push is refused as a whole.
package enum JournalRefusal: Hashable, Sendable {
    /// A sequence was already taken by another id. `epoch` is the one to go on with.
    case forked(epoch: Int64, headSequence: Int64, headHash: String, headOrderNumber: String?)
    /// Another copy of the terminal went on under `epoch`. `ends` are the last entries of the spoken epoch
    /// and of those after it, the newest last, at most ``JournalOrigin/maximumEnds``; an epoch without
    /// entries has none. `headOrderNumber` belongs to the last of them.
    case epochSuperseded(epoch: Int64, ends: [JournalMark], headOrderNumber: String?)
    /// The terminal speaks of an epoch too far above the one that the hub knows; `next` would follow on it.
    case epochInvalid(next: Int64)
    /// The terminal left as much at the hub today as it may.
    case quotaExceeded(retryAfterMilliseconds: Int64)

    /// The refusal as the contract defines it.
    package var problem: Problem {
        switch self {
        case .forked(let epoch, let sequence, let hash, let orderNumber):
            Problem(
                status: 409, code: .journalForked, title: "The journal has forked",
                detail: "A sequence was already taken by another mutation. Go on under epoch \(epoch).",
                extensions: [
                    "epoch": .integer(epoch),
                    "head": [
                        "sequence": .integer(sequence), "hash": .string(hash),
                        "orderNumber": JSONValue(orderNumber),
                    ],
                ])
        case .epochSuperseded(let epoch, let ends, let orderNumber):
            Problem(
                status: 409, code: .epochSuperseded, title: "Another copy of this terminal went on",
                detail: "This journal's epoch is over. Keep everything and enrol the terminal again.",
                extensions: Self.members(epoch, ends, orderNumber))
        case .epochInvalid(let next):
            Problem(
                status: 409, code: .epochInvalid, title: "The epoch does not follow on the last one",
                detail: "The next epoch of this journal is \(next). Enrol the terminal again.",
                extensions: ["epoch": .integer(next)])
        case .quotaExceeded(let wait): .quotaExceeded(retryAfterMilliseconds: wait)
        }
    }

    /// `{"epoch","head","ends"}`, `head` as in a fork; without `head` and `ends` where no entry is known.
    private static func members(_ epoch: Int64, _ ends: [JournalMark], _ orderNumber: String?) -> JSONObject {
        var members: JSONObject = ["epoch": .integer(epoch)]
        var ends = ends
        if let head = ends.popLast() {
            members["head"] = [
                "epoch": .integer(head.epoch), "sequence": .integer(head.sequence),
                "hash": .string(head.hash), "orderNumber": JSONValue(orderNumber),
            ]
        }
        if !ends.isEmpty { members["ends"] = .array(ends.map(\.json)) }
        return members
    }
}
