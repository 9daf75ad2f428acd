import Base

internal import HubProtocol
internal import Pricing
internal import Retail

/// One element of `payments` in a sale's payload (http.md section 3), and what it was made of.
enum PaymentPayload {
    static func canonical(_ payment: SalePayment) -> CanonicalObject {
        let details = payment.details
        var members = CanonicalObject()
        members.add("amount", payment.amount)
        if let card = payment.card {
            members.add("approvalCode", card.approvalCode)
            members.add("authorizationKey", card.authorizationKey)
        }
        if let kind = details.kind { members.add("kind", kind.rawValue) }
        if let machine = details.machine {
            var response = CanonicalObject(capacity: 64)
            response.add("approvalCode", machine.approvalCode)
            if let key = machine.key { response.add("key", key) }
            response.add("reference", machine.reference)
            members.add("machine", response)
        }
        members.add("method", payment.method.name)
        if let reference = details.reference { members.add("reference", reference) }
        if let sealed = details.sealed {
            var token = CanonicalObject(capacity: 512)
            token.add("keyId", sealed.keyId)
            token.add("token", sealed.token)
            members.add("sealed", token)
        }
        if payment.card?.isSimulated == true { members.add("simulated", true) }
        if let state = details.state { members.add("state", state.rawValue) }
        if let storedAt = details.storedAt {
            members.add("storedAt", Timestamp.text(milliseconds: storedAt))
        }
        return members
    }

    static func payment(_ payment: JSONValue) throws -> SalePayment {
        let name = try payment.requiredString("method")
        let details = try PaymentDetails(payment: payment)
        let kind = details.kind ?? TenderKind(rawValue: name)
        let card = payment["authorizationKey"]?.string.map {
            CardApproval(
                authorizationKey: $0, approvalCode: payment["approvalCode"]?.string ?? "",
                isSimulated: payment["simulated"]?.bool ?? false)
        }
        return SalePayment(
            method: Settlement.Method(name, isCash: kind == .cash),
            amount: try payment.requiredInteger("amount"), card: card, details: details)
    }
}

/// What a void gives back besides goods; each is nothing by default.
struct VoidReturns {
    /// The shift that is open at the void.
    var shiftId: String?
    /// What the void does to the member's points.
    var points: ReturnedPoints?
    /// Of the terminal's leases.
    var leases: [LeaseUse] = []
    /// To tenders other than by `payment.voided`.
    var payments: [SalePayment] = []
}
