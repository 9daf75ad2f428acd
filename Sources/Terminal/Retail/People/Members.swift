package import MachineRuntime

internal import HubProtocol

/// Members whom this terminal makes, with and without the hub.
///
/// Two terminals that make a member each of one person do no harm: the hub merges them by the telephone
/// number, and what both earned is one balance.
package struct Members: Sendable {
    private let service: MemberService
    private let storage: any MemberStorage
    private let authority: Authority
    private let delivery: any SaleDelivery
    private let time: any SystemTime
    private let policy: @Sendable () async -> CheckoutPolicy

    /// Finds members as `checkout` does.
    package init(
        checkout: Checkout, storage: any MemberStorage, delivery: any SaleDelivery, time: any SystemTime
    ) {
        service = checkout.members
        policy = { await checkout.policy }
        authority = checkout.authority
        self.storage = storage
        self.delivery = delivery
        self.time = time
    }

    /// A member, and whether this request made them.
    package struct Added: Hashable, Sendable {
        /// As sales name them.
        package let member: Member
        /// False for somebody who had the number before: nothing was recorded.
        package let isNew: Bool
    }

    /// The most digits of a telephone number: 15 by ITU-T E.164, and a prefix for calls abroad.
    private static let mostDigits = 20

    /// The member with the number `phone`: whoever has it at the hub or in the terminal's copy, else a new
    /// one, durable when this returns.
    ///
    /// - Parameters:
    ///   - phone: a telephone number with 6 to 20 digits, as it is typed; kept as E.164 where the store's
    ///     country code is known, or the number names its country.
    ///   - name: 1 to 200 bytes.
    package func add(
        phone: String, name: String, by claim: PersonClaim
    ) async throws(MemberRefusal) -> Added {
        guard phone.utf8.count <= MemberRecord.longestField,
            (MemberRecord.shortestNumber...Self.mostDigits).contains(
                MemberRecord.lookupDigits(of: phone)?.utf8.count ?? 0)
        else { throw .phoneInvalid }
        guard name.contains(where: { !$0.isWhitespace }), name.utf8.count <= MemberRecord.longestField else {
            throw .nameInvalid
        }
        guard !CardNumber.isLike(name) else { throw .cardNumber }
        do throws(AuthorityRefusal) {
            _ = try await authority.authorize(claim, [])
        } catch {
            throw .authority(error)
        }
        let policy = await policy()
        let waiting = SaleWaiting(budget: delivery.waitBudget)
        if let known = await service.member(phone: phone, policy: policy, within: waiting) {
            return Added(member: known, isNew: false)
        }
        let phone = MemberRecord.international(phone, in: policy.countryCode) ?? phone
        let member = try await MemberRefusal.accessing(
            await storage.add(phone: phone, name: name, at: time.wallMilliseconds()))
        delivery.nudge()
        return Added(member: member, isNew: true)
    }
}

/// Records members whom this terminal makes.
package protocol MemberStorage: Sendable {
    /// Journals a new member in one transaction; the terminal finds them at once by id and number.
    func add(phone: String, name: String, at wallMilliseconds: Int64) async throws(StorageError) -> Member
}

/// Why no member was made.
package enum MemberRefusal: StorageRefusal {
    /// Fewer than 6 digits, more than 20, or too long.
    case phoneInvalid
    /// Empty, or too long.
    case nameInvalid
    /// The name looks like the number of a card, which is kept nowhere.
    case cardNumber
    case authority(AuthorityRefusal)
    case diskFull(path: String)
    case notRecorded(detail: String)
    case notEnrolled

    /// For example `phone_invalid`.
    package var code: String {
        switch self {
        case .phoneInvalid: "phone_invalid"
        case .nameInvalid: "name_invalid"
        case .cardNumber: "card_number_refused"
        case .authority(let refusal): refusal.code
        case .diskFull: "disk_full"
        case .notRecorded: "not_recorded"
        case .notEnrolled: "not_enrolled"
        }
    }

    package func text(from texts: any RefusalTexts) -> String { texts.text(self) }

    /// ``RefusalExit/usage`` for what was typed; otherwise by disk, enrolment or ``authority(_:)``.
    package var exit: RefusalExit {
        switch self {
        case .phoneInvalid, .nameInvalid, .cardNumber: .usage
        case .authority(let refusal): refusal.exit
        case .diskFull, .notRecorded: .notRecorded
        case .notEnrolled: .home
        }
    }

    /// Those of ``authority(_:)``; else empty.
    package var details: RefusalDetails {
        if case .authority(let refusal) = self { return refusal.details }
        return RefusalDetails()
    }
}
