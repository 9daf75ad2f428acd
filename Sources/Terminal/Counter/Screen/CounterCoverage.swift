internal import AgentAPI

extension CounterRequest {
    /// The request of the agent's socket that it becomes, as `POST /v1/carts/{id}/drop`.
    package var route: String {
        switch self {
        case .quote: "POST /v1/quotes"
        case .sell: "POST /v1/sales"
        case .giveUp: "POST /v1/sales/give-up"
        case .signIn: "POST /v1/session"
        case .signOut: "POST /v1/session/end"
        case .tenders: "GET /v1/status"
        case .setManual: "POST /v1/manual"
        case .retry: "POST /v1/retry"
        case .search: "GET /v1/products/search"
        case .departments: "GET /v1/departments"
        case .park: "POST /v1/carts"
        case .parkedCarts: "GET /v1/carts"
        case .resume, .takeCart: "POST /v1/carts/{id}/resume"
        case .fetchCart: "POST /v1/carts/{id}/take"
        case .copyCart: "POST /v1/carts/{id}/copy"
        case .drop, .empty: "POST /v1/carts/{id}/drop"
        case .take, .handBack: "PUT /v1/carts/open"
        case .orders: "GET /v1/orders"
        case .order: "GET /v1/orders/{id}"
        case .receiptLeft: "POST /v1/refunds/left"
        case .refund(let call):
            if case .order = call.origin { "POST /v1/orders/{id}/refund" } else { "POST /v1/refunds" }
        case .void: "POST /v1/orders/{id}/void"
        case .unseenSales(nil): "GET /v1/sales/unseen"
        case .unseenSales: "POST /v1/sales/seen"
        case .refusals: "GET /v1/sync/rejected"
        case .resolve: "POST /v1/sync/rejected/{id}/{verb}"
        case .addMember: "POST /v1/members"
        case .shift: "GET /v1/shifts/{id}"
        case .openShift: "POST /v1/shifts"
        case .moveCash: "POST /v1/shifts/cash"
        case .closeShift: "POST /v1/shifts/close"
        case .printer: "GET /v1/printer"
        case .printAgain: "POST /v1/printer/retry"
        case .printTestPage: "POST /v1/printer/test"
        case .printCopy: "POST /v1/orders/{id}/receipt"
        case .tills: "GET /v1/neighbours"
        }
    }
}

/// What the agent does and the counter has no key for. The README and the cashiers' page list it; a request
/// of the agent is one of ``CounterRequest``, or stands here.
package enum CounterAbsence: CaseIterable, Hashable, Sendable {
    case notes, wholeOrder, cardMachine, owedCards, pastShifts, article, parkedCart, outbox, readiness
    case enrolment

    /// In the lists of the pages.
    package var words: String {
        switch self {
        case .notes: "notes of the shift"
        case .wholeOrder: "one order in full"
        case .cardMachine: "the till's own card machine"
        case .owedCards: "what a card machine owes, and refunds that other tills may make"
        case .pastShifts: "shifts of before and their statements"
        case .article: "one article with its stock"
        case .parkedCart: "the lines of a parked cart"
        case .outbox: "the outbox and its export"
        case .readiness: "readiness, outages and the hub's decisions"
        case .enrolment: "enrolment"
        }
    }

    /// The commands that do it.
    package var commands: String {
        switch self {
        case .notes: "`pos note`"
        case .wholeOrder: "`pos orders show`, `pos orders receipt`"
        case .cardMachine: "`pos card status`, `pos card decide`, `pos card close-day`"
        case .owedCards: "`pos orders owed`, `pos orders repay`, `pos orders granted`, `pos orders take-back`"
        case .pastShifts: "`pos shift list`, `pos shift verify`"
        case .article: "`pos products search`"
        case .parkedCart: "`pos cart show`"
        case .outbox: "`pos sync status`, `pos sync now`, `pos sync export`"
        case .readiness: "`pos doctor`, `pos history`, `pos qos`, `pos neighbours try`, `pos repair`"
        case .enrolment: "`pos init`"
        }
    }

    /// The requests of the agent's socket.
    package var routes: [String] {
        switch self {
        case .notes: ["GET /v1/notes", "POST /v1/notes", "POST /v1/notes/{id}/{verb}"]
        case .wholeOrder: ["GET /v1/orders/{id}/receipt"]
        case .cardMachine:
            [
                "GET /v1/card-machine", "POST /v1/card-machine/test", "POST /v1/card-machine/last",
                "POST /v1/card-machine/close-day", "POST /v1/card-machine/decide",
            ]
        case .owedCards:
            [
                "GET /v1/card-returns", "POST /v1/card-returns/{id}/cash", "POST /v1/card-returns/{id}/card",
                "GET /v1/granted-refunds", "POST /v1/granted-refunds/{id}/take-back",
            ]
        case .pastShifts: ["GET /v1/shifts", "POST /v1/shifts/verify"]
        case .article: ["GET /v1/products"]
        case .parkedCart: ["GET /v1/carts/{id}"]
        case .outbox: ["GET /v1/sync", "POST /v1/sync/now", "POST /v1/sync/export"]
        case .readiness:
            [
                "GET /v1/doctor", "POST /v1/doctor/drill", "GET /v1/history", "GET /v1/qos",
                "POST /v1/neighbours/try", "POST /v1/losses/seen",
            ]
        case .enrolment: ["POST /v1/handover"]
        }
    }

    /// What the screen uses without a key: whether an agent is there, each change of the status with who is
    /// signed in, and that this front end is there.
    package static let unasked = [
        "GET /v1/ping", "GET /v1/status/stream", "GET /v1/session", "GET /v1/carts/open",
    ]
}
