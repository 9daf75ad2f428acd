package import HubProtocol

/// What the hub makes of a mutation by its content alone.
///
/// A finished sale is a fact: whatever disagrees in it is flagged, and only what cannot be a sale at all is
/// rejected (http.md section 3).
package enum IntakeRules {
    /// The hub's assessment of the content, before any look-up.
    package enum Assessment: Hashable, Sendable {
        case accepted(flags: Set<IntakeFlag>, effects: [IntakeEffect])
        /// The text is for the person who edits or discards it.
        case rejected(String)
    }

    /// Judges `mutation` by the rules of its type.
    package static func assess(_ mutation: Mutation) -> Assessment { reading(mutation).assessment }

    /// The same with what was read; nil where it cannot be.
    static func reading(_ mutation: Mutation) -> (fact: ReceivedFact?, assessment: Assessment) {
        do throws(ShapeError) {
            let fact = try ReceivedFact(mutation)
            return (fact, assess(mutation, fact))
        } catch {
            let objection = objectionToEnvelope(of: mutation) ?? "In the payload, \(error)."
            return (nil, .rejected(objection))
        }
    }

    private static func assess(_ mutation: Mutation, _ fact: ReceivedFact) -> Assessment {
        if let objection = objectionToEnvelope(of: mutation) { return .rejected(objection) }
        do throws(ShapeError) {
            let assessment = try assessContent(of: mutation, fact)
            guard case .accepted(let flags, let effects) = assessment,
                TextBound.excess(in: mutation.payload) != nil
            else { return assessment }
            return .accepted(flags: flags.union([.textTooLong]), effects: effects)
        } catch {
            return .rejected("In the payload, \(error).")
        }
    }

    private static func objectionToEnvelope(of mutation: Mutation) -> String? {
        if mutation.schema > Schema.current {
            return "The mutation has schema \(mutation.schema); this hub knows up to \(Schema.current)."
        }
        guard
            [mutation.entity, mutation.entityId].allSatisfy({ (1...TextBound.name).contains($0.utf8.count) })
        else {
            return "`entity` and `entityId` name what the mutation is about, in 1 to \(TextBound.name) bytes."
        }
        let dependencies = mutation.dependsOn
        if dependencies.count > maximumDependencies || Set(dependencies).count < dependencies.count
            || dependencies.contains(mutation.id)
        {
            return "`dependsOn` names up to \(maximumDependencies) other mutations, each once."
        }
        let attachments = mutation.attachments
        if attachments.count > AttachmentInfo.maximumPerMutation
            || !attachments.allSatisfy(AttachmentInfo.isIdentifier)
        {
            return "`attachments` names up to \(AttachmentInfo.maximumPerMutation) attachments by their ids."
        }
        return nil
    }

    /// A refund depends on one sale; the contract's other types on fewer. Each one is looked up within the
    /// transaction that all pushes wait for: twice as many cost twice as much.
    private static let maximumDependencies = 20

    private static func assessContent(
        of mutation: Mutation, _ fact: ReceivedFact
    ) throws(ShapeError) -> Assessment {
        switch fact {
        case .order(let order): SaleRules.assess(order)
        case .refund(let refund): try assess(refund, id: mutation.entityId)
        case .void(let void): assess(void, entityId: mutation.entityId)
        case .other: try assessOther(mutation)
        }
    }

    private static func assess(_ void: VoidedOrder, entityId: String) -> Assessment {
        let orderId = void.orderId.map(TextBound.key) ?? entityId
        return .accepted(
            flags: void.isUnread ? [.detailsUnreadable] : [],
            effects: [.voidOrder(orderId: orderId)]
                + returnedStock(void.lines?.map { ($0.sku, $0.quantityMilli) }))
    }

    private static func assess(
        _ completed: CompletedRefund, id: String
    ) throws(ShapeError) -> Assessment {
        let (refund, sale) = (try RefundFacts(of: completed), try RefundedSale(of: completed))
        let cards = returnedPayments(completed, id: id, of: sale)
        let flags: Set<IntakeFlag> = completed.isUnread ? [.detailsUnreadable] : []
        return .accepted(
            flags: flags.union(cards.flags).union(RefundRules.flags(of: completed)),
            effects: [.recordRefund(id: id, of: sale, refund)]
                + returnedStock(completed.lines?.map { ($0.sku, $0.quantityMilli) })
                + cards.effects + returnedVouchers(completed, of: sale))
    }

    private static func assessOther(_ mutation: Mutation) throws(ShapeError) -> Assessment {
        switch mutation.type {
        case "payment.captured":
            return .accepted(flags: [], effects: [.capturePayment(key: paymentKey(mutation))])
        case "payment.voided":
            return .accepted(flags: [], effects: [.voidPayment(key: paymentKey(mutation))])
        case "note.upserted":
            return try assessNote(mutation)
        case "note.deleted":
            return .accepted(flags: [], effects: [.removeNote(id: mutation.entityId)])
        case "mutation.discarded":
            let discarded = try DiscardedMutation(json: mutation.payload).discards
            return .accepted(flags: [], effects: [.discard(mutationId: discarded)])
        case "points.adjusted":
            return try MemberRules.assessAdjustment(mutation)
        case "member.created", "member.updated":
            return try MemberRules.assessProfile(mutation)
        case "coupon.redeemed":
            return .accepted(flags: [], effects: CouponRules.redemption(mutation))
        case MovedLease.given, MovedLease.taken:
            let moved = try MovedLease(json: mutation.payload)
            return .accepted(
                flags: [], effects: [.moveLease(moved, isTaken: mutation.type == MovedLease.taken)])
        case ShiftOpening.type, ShiftClosing.type, CashMove.type:
            return .accepted(
                flags: ShiftEntry.flags(of: mutation), effects: ShiftEntry.effects(of: mutation))
        case CardDecision.type:
            return .accepted(flags: CardMachineEntry.flags(ofDecision: mutation.payload), effects: [])
        case CardDayClosing.type:
            return .accepted(
                flags: CardMachineEntry.flags(ofClosing: mutation.payload), effects: [.closeMachineDay])
        case let unknown:
            return .rejected("The type \"\(unknown.prefix(64))\" is not known to this hub.")
        }
    }

    /// The fields of a note are its author's.
    private static func assessNote(_ mutation: Mutation) throws(ShapeError) -> Assessment {
        let change = try FieldChange(payload: mutation.payload)
        if let objection = RecordLimits.note.objection(to: change.fields) { return .rejected(objection) }
        if let text = change.fields.object?["text"] {
            guard let note = text.string, (1...longestNote).contains(note.utf8.count) else {
                return .rejected("The `text` of a note is 1 to \(longestNote) bytes long.")
            }
        }
        return .accepted(flags: [], effects: [.publishNote(id: mutation.entityId, change)])
    }

    /// In bytes: a page of text. With half of it a handover between shifts does not fit; with twice as much
    /// 250 notes fill a page of the change feed instead of 500.
    private static let longestNote = 4_096

    static func paymentKey(_ mutation: Mutation) -> String {
        VoidedPayment(shown: mutation.payload).key ?? mutation.entityId
    }

    /// What a refund gives back to cards.
    private static func returnedPayments(
        _ refund: CompletedRefund, id: String, of sale: RefundedSale
    ) -> (effects: [IntakeEffect], flags: Set<IntakeFlag>) {
        let cards = (refund.payments ?? []).filter { $0.authorizationKey != nil && $0.amount != 0 }
        // The refund's id is a part of the idempotency key that the payment service gets.
        guard cards.isEmpty || PaymentRules.isVisible(id) else { return ([], [.refundNotOnCard]) }
        var flags: Set<IntakeFlag> = cards.count > PaymentRules.mostCards ? [.refundNotOnCard] : []
        let effects = cards.prefix(PaymentRules.mostCards).compactMap { payment -> IntakeEffect? in
            guard let amount = PaymentRules.amount(of: payment) else {
                flags.insert(.refundNotOnCard)
                return nil
            }
            return .refundPayment(
                key: payment.authorizationKey ?? "", amount: amount, refundId: id, of: sale)
        }
        return (effects, flags)
    }

    /// Only the till that has the sale knows which voucher paid it.
    private static func returnedVouchers(
        _ refund: CompletedRefund, of sale: RefundedSale
    ) -> [IntakeEffect] {
        guard case .order(let orderId) = sale else { return [] }
        return VoucherUse.all(in: refund.payments).uses.map { .returnVoucher($0, orderId: orderId) }
    }

    private static func returnedStock(_ lines: [(sku: String?, quantity: Int64?)]?) -> [IntakeEffect] {
        (lines ?? []).compactMap { line in
            guard let sku = line.sku, let quantity = line.quantity else { return nil }
            return .countStock(sku: sku, soldMilli: -quantity)
        }
    }
}
