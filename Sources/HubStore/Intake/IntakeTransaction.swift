import HubCore
import HubProtocol

/// What the intake asks and tells the store within one transaction. Each adapter has one.
protocol IntakeTransaction {
    /// The terminal's last epoch; nil before its first entry.
    func lastEpoch(of terminalId: String) throws -> JournalEpoch?
    func save(_ epoch: JournalEpoch, of terminalId: String) throws

    /// What the signed heads of an epoch said; nil when there was none.
    func witness(of place: JournalPlace) throws -> JournalWitness?
    func save(_ witness: JournalWitness, of place: JournalPlace) throws

    /// What is kept under an idempotency key.
    func known(_ id: String) throws -> KnownMutation?
    func keep(_ record: MutationRecord) throws

    /// The id that holds a sequence.
    func holder(of sequence: Int64, in place: JournalPlace) throws -> String?
    func link(at sequence: Int64, in place: JournalPlace) throws -> JournalChain.Link?
    func enter(_ id: String, at sequence: Int64, in place: JournalPlace) throws
    /// The last sequence of the unbroken run that contains `sequence`.
    func endOfRun(from sequence: Int64, in place: JournalPlace) throws -> Int64
    /// The stretches without entries between two sequences, lowest first, at most 1,000.
    func gaps(above low: Int64, below high: Int64, in place: JournalPlace) throws -> [ClosedRange<Int64>]
    /// The entry with the highest sequence, and the last order number before or at it.
    func head(of place: JournalPlace) throws -> JournalHead?

    func standing(of id: String) throws -> DependencyStanding
    /// Whether an edit of a mutation, or the word that gives it up, is there; asked of every mutation.
    func isAnswered(_ id: String) throws -> Bool
    /// Those of a terminal's attachments that are not whole, in the order asked.
    func attachmentsMissing(among ids: [String], of terminalId: String) throws -> [String]
    /// The order as it was taken in; nil when it was not.
    func order(_ orderId: String) throws -> OrderState?
    /// A sale and what was given back of it, kept from changing until the transaction ends.
    func refundable(_ orderId: String) throws -> RefundableOrder
    /// An entity of a store's feed (an empty `storeId`: of every store's), a deleted one too, kept from
    /// changing until the transaction ends.
    func entity(_ entity: String, _ id: String, in storeId: String) throws -> EntityState?
    /// The id of the coupon whose code was typed so; nil: nobody knows it.
    func couponId(typed code: String) throws -> String?
    /// What a store's rules of approval are judged by.
    func approvalFacts(in storeId: String) throws -> ApprovalFacts
    /// Moves an entity to the feed's end with its new state.
    func publish(_ change: PublishedChange) throws
    /// Does what a mutation means for the hub's state; what it remarks while doing so comes back.
    func perform(_ effect: IntakeEffect, for record: MutationRecord) throws -> Set<IntakeFlag>

    func clock() throws -> HybridLogicalClock
    func save(_ clock: HybridLogicalClock) throws
    func raise(_ alarm: Alarm) throws
}

/// One life of one terminal's journal.
struct JournalPlace: Hashable {
    let terminalId: String
    let epoch: Int64
}

struct JournalHead {
    let sequence: Int64
    let hash: String
    let orderNumber: String?
}

struct KnownMutation {
    let digest: String
    /// The first answer; null when it is not kept any more.
    let result: JSONValue
    /// When it was taken in, in milliseconds since 1970.
    let receivedAt: Int64
}

/// How a mutation that another one depends on stands.
enum DependencyStanding {
    /// It has no verdict.
    case missing
    /// It was taken in, or another one that supersedes it was.
    case settled
    /// It was rejected.
    case failed
    /// A person gave it up, after it was refused or before it arrived here.
    case discarded

    /// - Parameter words: of the mutation and each edit that stands in for it, 1 when it was taken in and 0
    ///   when it was refused; 2 when the mutation itself was given up.
    init(of words: [Int64]) {
        if words.contains(1) {
            self = .settled
        } else if words.contains(2) {
            self = .discarded
        } else {
            self = words.isEmpty ? .missing : .failed
        }
    }
}

extension JournalRefusal {
    /// What a person should know of a refused push.
    func alarm(about request: IntakeRequest) -> Alarm {
        let kind =
            switch self {
            case .forked: "journal_forked"
            case .epochSuperseded: "terminal_cloned"
            }
        return Alarm(
            kind: kind, terminalId: request.device.terminalId, mutationId: request.mutations.first?.id,
            at: request.receivedAt)
    }
}

/// A mutation with its verdict, as it is kept.
struct MutationRecord {
    let mutation: ReceivedMutation
    let device: DeviceIdentity
    let epoch: Int64
    let hlc: HybridLogicalClock
    let receivedAt: Int64
    var result: MutationResult?

    /// The terminal and mutation of a change, for the feed.
    var origin: JSONValue {
        ["terminalId": .string(device.terminalId), "mutationId": .string(mutation.id)]
    }
}
