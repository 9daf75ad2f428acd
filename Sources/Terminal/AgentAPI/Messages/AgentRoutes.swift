internal import HubProtocol

/// The paths of the agent's local socket.
package enum AgentRoutes {
    /// `GET`: whether an agent runs here, and its version.
    package static let ping = "/v1/ping"
    /// `GET`: the document of `pos status --json`.
    package static let status = "/v1/status"
    /// `GET` with the query `after`: the status once its revision differs, or after 25 s.
    package static let statusStream = "/v1/status/stream"
    /// `POST`: sells a basket.
    package static let sales = "/v1/sales"
    /// Ends the waiting of a sale for its card.
    package static let giveUp = "/v1/sales/give-up"
    /// `GET`: the card sales whose response reached nobody.
    package static let unseenSales = "/v1/sales/unseen"
    /// `POST`: removes one order from the list of ``unseenSales`` and returns the rest.
    package static let seenSales = "/v1/sales/seen"
    /// `POST`: prices a basket without selling it.
    package static let quotes = "/v1/quotes"
    /// `GET` with the query `barcode`: one article of the catalogue.
    package static let products = "/v1/products"
    /// `GET` with the query `text` and `limit`: the articles that contain a text.
    package static let productSearch = "/v1/products/search"
    /// The departments of the catalogue's articles.
    package static let departments = "/v1/departments"
    /// `GET` lists the parked carts, `POST` parks one; below it `/{id}`, `/{id}/resume` and `/{id}/drop`.
    package static let carts = "/v1/carts"
    /// `GET` lists the carts that are not sold, `PUT` keeps the one on a front end's screen.
    package static let openCarts = "/v1/carts/open"
    /// The query of ``openCarts`` that waits for a change.
    package static let watch = "watch"
    /// `GET` lists the shifts, `POST` opens one; below it `GET` `/{id}`, of the open one `/current`.
    package static let shifts = "/v1/shifts"
    /// `POST`: moves cash, or opens the drawer without a sale.
    package static let shiftCash = "/v1/shifts/cash"
    /// `POST`: closes the open shift.
    package static let shiftClose = "/v1/shifts/close"
    /// `POST`: checks the hub's signature of a statement.
    package static let shiftVerify = "/v1/shifts/verify"
    /// `GET` shows who is signed in, `POST` signs a cashier in.
    package static let session = "/v1/session"
    /// `POST`: signs the cashier out.
    package static let sessionEnd = "/v1/session/end"
    /// `POST`: sets the manual switch, durable before the response.
    package static let manual = "/v1/manual"
    /// `POST`: ends the current wait for the next request to the hub.
    package static let retry = "/v1/retry"
    /// `GET` lists the newest orders; below it `/{id}`, `/{id}/void`, `/{id}/refund` and `/{id}/receipt`.
    package static let orders = "/v1/orders"
    /// `POST`: takes goods back of a sale that is not this terminal's, or without a receipt.
    package static let refunds = "/v1/refunds"
    /// `POST`: what of a receipt's sale can still come back.
    package static let receiptLeft = "/v1/refunds/left"
    /// `GET`: what goes back to cards by the terminal's own card machine; below it `POST` `/{id}/cash`.
    package static let cardReturns = "/v1/card-returns"
    /// `GET`: what other tills may give back of sales of this one; below it `POST` `/{id}/take-back`.
    package static let grantedRefunds = "/v1/granted-refunds"
    /// `GET`: the outbox with its entries.
    package static let sync = "/v1/sync"
    /// `POST`: drains the outbox, uploads attachments and pulls the catalogue.
    package static let syncNow = "/v1/sync/now"
    /// `POST`: writes the journal into a file of this machine.
    package static let syncExport = "/v1/sync/export"
    /// `GET` lists what the hub refused; `POST` below it, `/{id}/{verb}`, decides on one mutation.
    package static let syncRejected = "/v1/sync/rejected"
    /// `GET` lists the notes, `POST` adds one; below it `/{id}/edit` and `/{id}/delete`.
    package static let notes = "/v1/notes"
    /// `POST`: makes a member, or names the one who has the telephone number.
    package static let members = "/v1/members"
    /// `GET`: QoS's decisions beside this terminal's own states.
    package static let qos = "/v1/qos"
    /// `GET`: the offline periods.
    package static let history = "/v1/history"
    /// `GET`: the terminal's own card machine; below it `POST` `/test`, `/last`, `/close-day` and `/decide`.
    package static let cardMachine = "/v1/card-machine"
    /// `GET`: the other tills of the store; below it `POST` `/try`.
    package static let neighbours = "/v1/neighbours"
    /// `GET`: the printer and its spool; below it `POST` `/test` and `/retry`.
    package static let printer = "/v1/printer"
    /// `POST`: the agent lets the data folder go, for `pos init`, and takes it again.
    package static let handover = "/v1/handover"
    /// `POST`: a person has compared what was lost with the hub; the notice of it ends.
    package static let seenLosses = "/v1/losses/seen"
    /// `GET`: the checks of `pos doctor`.
    package static let doctor = "/v1/doctor"
    /// `POST`: plays an outage, then makes the checks.
    package static let drill = "/v1/doctor/drill"
}

extension AgentRoutes {
    /// The path of one thing of a list, or of what is done with it.
    ///
    /// - Parameters:
    ///   - list: one of the paths above.
    ///   - id: as typed; it becomes one step of the path, whatever is in it. What no path can carry is put
    ///     into quotation marks, and is then an id that nothing has.
    ///   - verb: the last step; nil: none.
    static func one(of list: String, _ id: String, _ verb: String? = nil) -> String {
        let path = list + "/" + PathStep.encoded(id.allSatisfy { $0 == "." } ? "\"\(id)\"" : id)
        return verb.map { path + "/" + $0 } ?? path
    }
}
