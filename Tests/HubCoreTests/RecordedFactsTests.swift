import HubProtocol
import OfflineCore
import TestKit
import Testing

@testable import HubCore

/// What the hub makes of each type of fact, and of each in which one member is missing or wrong. Of a variant
/// the file has what differs from the fact itself: `+` what is there besides, `-` what is not there.
@Suite("Facts on record at the hub")
struct RecordedFactsTests {
    private static let others: [RecordedFacts.Payload] = [
        .init("plain", "payment.captured", #"{"amount":300,"currency":"CNY","key":"K1","orderId":"O1"}"#),
        .init("plain", "member.created", #"{"memberId":"M1","name":"Li","phone":"13900000000"}"#),
        .init(
            "full", "member.updated",
            #"{"changed":["phone"],"lookUp":{"phone":"13900000000"},"memberId":"M1","name":"Li","#
                + #""phone":"13900000001","points":7}"#),
        .init(
            "plain", "note.upserted",
            #"{"baseVersion":3,"cashierId":"c1","changed":["text"],"text":"milk","title":"t"}"#),
        .init("plain", "note.deleted", #"{"baseVersion":3,"cashierId":"c1"}"#),
        .init("plain", "coupon.redeemed", #"{"code":"A"}"#),
        .init(
            "plain", "points.adjusted",
            #"{"approverId":"m1","cashierId":"c1","delta":-5,"memberId":"M1","reason":"gift"}"#),
        .init(
            "plain", "mutation.discarded",
            #"{"approverId":"m1","cashierId":"c1","discards":"01ARZ3NDEKTSV4RRFFQ69G5FAD","reason":"x"}"#),
        .init(
            "edited", "order.completed",
            #"{"cashierId":"c1","currency":"CNY","editApproverId":"m1","editedBy":"c2","#
                + #""lines":[{"quantityMilli":1000,"sku":"tea","unitPrice":5}],"orderId":"o","orderNumber":"n","#
                + #""payments":[{"amount":5,"method":"cash"}],"total":5}"#),
    ]

    @Test("The hub makes of facts, and of those with one wrong member, what is on record")
    func assessments() throws {
        var lines: [String] = []
        for kept in try RecordedFacts.payloads() + Self.others {
            let whole = try JSONParser.parse(Array(kept.text.utf8))
            let meant = try Self.assessment(of: whole, kept.type)
            lines.append("\(kept.name) \(kept.type)")
            lines += meant.map { "  \($0)" }
            // No mutation has other numbers.
            for variant in RecordedFacts.variants(of: whole) where variant.payload.hasOnlyCanonicalNumbers {
                let other = try Self.assessment(of: variant.payload, kept.type)
                lines.append("  \(variant.name): \(Self.summary(of: other.difference(from: meant)))")
            }
        }
        let text = lines.joined(separator: "\n") + "\n"
        #expect(try RecordedFacts.differences(text, from: "hub.txt") == [])
    }

    @Test("What a till wrote is written again with the same bytes")
    func rewritten() throws {
        for kept in try RecordedFacts.payloads() {
            let payload = try JSONParser.parse(Array(kept.text.utf8))
            let bytes: [UInt8]? =
                switch kept.type {
                case CompletedOrder.type: try CompletedOrder(payload, .own).canonical.bytes
                case CompletedRefund.type: try CompletedRefund(payload, .own).canonical.bytes
                case VoidedOrder.type: try VoidedOrder(payload, .own).canonical.bytes
                case VoidedPayment.type: try VoidedPayment(payload, .own).canonical.bytes
                case _: nil
                }
            if let bytes { #expect(String(decoding: bytes, as: UTF8.self) == kept.text) }
        }
    }

    /// Flags and refusals in words, whatever else differs by its digest.
    private static func summary(of changes: CollectionDifference<String>) -> String {
        let lines = changes.map { change in
            switch change {
            case .insert(_, let line, _): "+ \(line)"
            case .remove(_, let line, _): "- \(line)"
            }
        }.sorted()
        let (shown, others) = (lines.filter(isShown), lines.filter { !isShown($0) })
        let digest = Digest.sha256Hex(Array(others.joined(separator: "\n").utf8)).prefix(12)
        let parts = shown + (others.isEmpty ? [] : ["\(others.count) others \(digest)"])
        return parts.isEmpty ? "the same" : parts.joined(separator: ", ")
    }

    private static func isShown(_ line: String) -> Bool {
        let text = line.dropFirst(2)
        return text.hasPrefix("flag ") || text.hasPrefix("rejected: ")
    }

    private static func assessment(of payload: JSONValue, _ type: String) throws -> [String] {
        let mutation = Mutation(
            id: "01ARZ3NDEKTSV4RRFFQ69G5FAV", sequence: 1, type: type, entity: "entity", entityId: "E1",
            clientGeneratedAt: "2026-11-21T00:00:00.000Z", previousHash: Mutation.genesisHash, dependsOn: [],
            payload: payload)
        let record = MutationRecord(
            try ReceivedMutation(json: mutation.json), key: mutation.id,
            from: DeviceIdentity(terminalId: "T1", storeId: "S1"),
            epoch: 1, hlc: HybridLogicalClock(milliseconds: 0, counter: 0), receivedAt: 1)
        var lines: [String]
        switch record.mutation.assessment {
        case .rejected(let text): return ["rejected: \(text)"]
        case .accepted(let flags, let effects):
            lines = flags.map { "flag \($0.rawValue)" }.sorted() + effects.map(text)
        }
        lines += entry(record.mutation.sale, record.mutation.saleDocument)
        lines += documents(of: record)
        lines += ApprovalClaim.claims(of: mutation, record.mutation.common, record.mutation.fact?.order).map {
            claim in
            "approval \(claim.actions.map(\.rawValue).sorted()) of \(claim.discounts) cards "
                + "\(claim.storedCards) by \(claim.cashierId ?? "-") and \(claim.approverId ?? "-")"
        }
        lines.append("moments \(record.moments)")
        if type == "order.completed" { lines += sold(mutation.json) }
        return lines.map(short)
    }

    private static func entry(_ entry: SaleEntry?, _ document: SaleDocument?) -> [String] {
        guard let entry, let document else { return [] }
        let figures = SaleFigures(of: document, entry.kind)
        let parts = [SalePart.Dimension.product, .tender, .tax].flatMap(figures.parts)
        return [
            "entry \(entry.kind) of \(entry.orderId) on \(entry.businessDay ?? "-") by "
                + "\(entry.cashierId ?? "-") in \(entry.currency ?? "-")", amounts(entry.amounts),
        ] + parts.map { "part \($0.dimension) \($0.key ?? "-") \(amounts($0.amounts))" }
    }

    /// The documents of the journal feed, whose writer takes no number that is none of JSON's; of a sale its
    /// void as well.
    private static func documents(of record: MutationRecord) -> [String] {
        var outcome = IntakeOutcome()
        outcome.sale = record.mutation.fact?.order
        let void = outcome.sale.map { sale in SaleDocument(of: VoidedOrder(), taking: sale).canonical.bytes }
        return IntakeDocuments(of: record, outcome).all(flags: []).map { "filed \($0.text)" }
            + (void.map { ["voided \(String(decoding: $0, as: UTF8.self))"] } ?? [])
    }

    private static func amounts(_ amounts: SaleAmounts) -> String {
        "\(amounts.orders) gross \(amounts.gross) off \(amounts.discounts) back \(amounts.refunds) "
            + "tax \(amounts.tax)"
    }

    /// A sale as the hub has it afterwards.
    private static func sold(_ document: JSONValue) -> [String] {
        let order = RefundableOrder(
            "O", of: "T1",
            OrderState(key: "O", terminalId: "T1", mutationId: "M", voidedBy: nil, storeId: "S1"),
            document: document, moved: .all, returned: [])
        return [
            "receipt \(order.receiptSale?.json.canonicalText ?? "-")",
            "keys \(order.paymentKeys) member \(order.memberId ?? "-")",
            "points \(order.points.map { "\($0)" } ?? "-")",
            "claim \(order.leaseClaim.map { "\($0)" } ?? "-")",
            "state \(order.json(orderId: "O").canonicalText)",
        ]
    }

    private static func text(_ effect: IntakeEffect) -> String {
        switch effect {
        case .recordOrder(let order):
            "order \(order.orderId) \(order.orderNumber) \(order.total) \(order.currency) \(order.couponCodes) "
                + order.lines.map { "\($0.sku) \($0.quantityMilli) \($0.unitPrice)" }.joined(separator: ", ")
        case .recordRefund(let id, let sale, let refund):
            "refund \(id) of \(sale) \(refund.total) \(refund.currency ?? "-") "
                + refund.quantitiesJSON.canonicalText
        case .publishNote(let id, let change): "note \(id) \(text(change))"
        case .writeMember(let id, let change): "member \(id) \(text(change))"
        case _: "\(effect)"
        }
    }

    private static func text(_ change: FieldChange) -> String {
        "\(change.fields.canonicalText) \(change.changed?.sorted().description ?? "-")"
    }

    /// A longer line by its beginning and its digest.
    private static func short(_ line: String) -> String {
        guard line.utf8.count > 160 else { return line }
        return "\(line.prefix(100))… \(Digest.sha256Hex(Array(line.utf8)).prefix(12))"
    }
}
