import HubProtocol

/// The members of a payload that came after the first release: points, leases, details of payments and what
/// belongs to a shift.
///
/// Earlier terminals do not send them and a sale is a fact, so one that cannot be read is flagged and never a
/// reason to reject.
enum PayloadDetails {
    /// Of `order.completed`.
    static func flags(ofSale payload: JSONValue) -> Set<IntakeFlag> {
        flagged { () throws(ShapeError) in
            if let points = payload["points"], points != .null { _ = try SalePoints(json: points) }
            try readCommon(of: payload)
        }
    }

    /// Of `order.voided` and `refund.completed`.
    static func flags(ofReturn payload: JSONValue) -> Set<IntakeFlag> {
        flagged { () throws(ShapeError) in
            if let points = payload["points"], points != .null { _ = try ReturnedPoints(json: points) }
            try readCommon(of: payload)
        }
    }

    /// Of a shift's mutations. One without the id of its shift or move is of the time before the contract
    /// gave them a form.
    static func flags(ofShift mutation: Mutation) -> Set<IntakeFlag> {
        let payload = mutation.payload
        guard payload["shiftId"] != nil || payload["moveId"] != nil else { return [] }
        return flagged { () throws(ShapeError) in
            switch mutation.type {
            case ShiftOpening.type: _ = try ShiftOpening(payload: payload)
            case ShiftClosing.type: _ = try ShiftClosing(payload: payload)
            case _: _ = try CashMove(payload: payload)
            }
        }
    }

    /// What a shift's mutation keeps; nothing of one that cannot be read or was written before shifts had
    /// ids.
    static func shift(in mutation: Mutation) -> [IntakeEffect] {
        switch mutation.type {
        case ShiftOpening.type:
            (try? ShiftOpening(payload: mutation.payload)).map { [.openShift($0)] } ?? []
        case ShiftClosing.type:
            (try? ShiftClosing(payload: mutation.payload)).map { [.closeShift($0)] } ?? []
        case _: []
        }
    }

    private static func readCommon(of payload: JSONValue) throws(ShapeError) {
        _ = try payload.optionalString("shiftId")
        _ = try LeaseUse.all(in: payload)
        for payment in payload["payments"]?.array ?? [] { _ = try PaymentDetails(payment: payment) }
    }

    private static func flagged(_ read: () throws(ShapeError) -> Void) -> Set<IntakeFlag> {
        do throws(ShapeError) {
            try read()
            return []
        } catch {
            return [.detailsUnreadable]
        }
    }
}
