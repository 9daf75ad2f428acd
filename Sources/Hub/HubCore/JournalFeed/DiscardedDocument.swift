internal import HubProtocol

extension JournalDocument {
    /// What an importer books of a discarded entry, so that its drawer is the one of the shift's paper.
    ///
    /// - Parameter now: the hub's clock, in milliseconds since 1970.
    package static func discarded(
        _ entry: ShiftComparison.Discarded, of terminalId: String, in storeId: String, at now: Int64
    ) -> JournalDocument {
        let (key, payload) = (entry.mutation.id, entry.mutation.payload)
        let said = EntryMembers(shown: payload)
        let id = EntryKey.mintedId(of: key)
        var common = JournalCommons(
            .flag, "\(id).\(FlagDocument.discarded)", of: terminalId, in: storeId, at: now)
        common.orderId = said.orderId
        common.orderNumber = said.orderNumber.map(TextBound.key)
        common.shiftId = said.shiftId.map(TextBound.key)
        common.businessDay = said.businessDay.flatMap(SaleEntry.day) ?? common.businessDay
        common.currency = NamedCurrency.of(said.currency)
        var flag = FlagDocument(FlagDocument.discarded, isSet: true, of: id)
        let kind: Kind?
        switch entry.mutation.type {
        case CompletedOrder.type:
            (kind, flag.stated) = (.order, SaleDocument(of: CompletedOrder(shown: payload)))
        case CompletedRefund.type:
            (kind, flag.stated) = (.refund, SaleDocument(of: CompletedRefund(shown: payload)))
        case VoidedOrder.type:
            let sale = entry.voided.map(CompletedOrder.init(shown:))
            (kind, flag.stated) = (.void, SaleDocument(of: VoidedOrder(shown: payload), taking: sale))
        case CashMove.type:
            kind = .cash
            flag.statedCash = (try? CashMove(json: payload)).map { CashDocument($0) }
        case _: kind = nil
        }
        flag.statedType = kind?.rawValue
        return JournalDocument(common, flag, entry: key)
    }
}
