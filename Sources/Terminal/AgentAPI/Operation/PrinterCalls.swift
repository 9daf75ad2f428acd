package import HubProtocol

/// A paper that is not printed yet.
package struct PrintJobRecord: MemberDocument {
    package enum Kind: String, DocumentValue {
        case receipt, refund, void
        /// The report of a shift, or the slip of a movement of cash.
        case shift
        case test
    }

    /// docs/reference/printing.md.
    package enum State: String, DocumentValue {
        case waiting, printing, interrupted, failed
    }

    /// A ULID; of a receipt the order's id, of a refund's slip the refund's.
    package var id = ""
    package var kind = Kind.receipt
    /// The order's number; empty for a test page.
    package var title = ""
    /// Nil for a test page.
    package var orderId: String?
    /// RFC 3339.
    package var createdAt = ""
    package var state = State.waiting
    /// Whether it is marked as a copy.
    package var isCopy = false

    package init(
        id: String, kind: Kind, title: String, orderId: String?, createdAt: String, state: State,
        isCopy: Bool
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.orderId = orderId
        self.createdAt = createdAt
        self.state = state
        self.isCopy = isCopy
    }

    package init() {}

    package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
        try m("id", &id)
        try m("kind", &kind)
        try m("title", &title)
        try m.nullable("orderId", &orderId)
        try m("createdAt", &createdAt)
        try m("state", &state)
        try m("copy", &isCopy)
    }
}

/// `GET /v1/printer`: the printer and its spool.
package struct PrinterCall: AgentCall {
    package init() {}

    /// `GET /v1/printer`; the printer is not asked.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.printer) }

    /// The document of `pos printer status --json`.
    package struct Response: MemberDocument {
        /// By the last attempt.
        package enum State: String, DocumentValue {
            /// No printer is configured.
            case none
            case untried, ready
            case paperLow = "paper_low"
            case paperOut = "paper_out"
            case noResponse = "no_response"

            /// Whether nothing is printed before a person does something.
            package var isStopped: Bool { self == .paperOut || self == .noResponse }
        }

        /// As `printer.device` names it; nil: none is configured.
        package var device: String?
        /// Millimetres of paper: 58 or 80.
        package var width: Int64 = 0
        /// `en` or `zh`.
        package var language = ""
        package var state = State.none
        /// For people; nil where there is nothing to say.
        package var detail: String?
        /// What is not printed, the oldest first.
        package var jobs: [PrintJobRecord] = []
        /// Files of the spool that could not be read.
        package var damaged: Int64 = 0

        /// A status; without a `device` there are no `jobs`.
        package init(
            device: String?, width: Int64, language: String, state: State, detail: String?,
            jobs: [PrintJobRecord], damaged: Int64
        ) {
            self.device = device
            self.width = width
            self.language = language
            self.state = state
            self.detail = detail
            self.jobs = jobs
            self.damaged = damaged
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m.nullable("device", &device)
            try m("width", &width)
            try m("language", &language)
            try m("state", &state)
            try m.nullable("detail", &detail)
            try m("jobs", &jobs)
            try m("damaged", &damaged)
        }
    }
}

/// `POST /v1/printer/test`: prints a test page and waits for it.
package struct PrinterTestCall: AgentCall {
    package init() {}

    /// `POST /v1/printer/test`; it can take 20 s.
    package var request: AgentRequest { AgentRequest("POST", AgentRoutes.printer + "/test", body: [:]) }

    /// The document of `pos printer test --json`: the test page is on the printer.
    package struct Response: MemberDocument {
        /// The test page's job.
        package var jobId = ""
        /// As ``PrinterCall/Response/state``.
        package var state = PrinterCall.Response.State.ready

        /// A test page that was printed.
        package init(jobId: String, state: PrinterCall.Response.State) {
            (self.jobId, self.state) = (jobId, state)
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("jobId", &jobId)
            try m("state", &state)
        }
    }
}

/// `POST /v1/printer/retry`: prints what was interrupted, as copies, and what waited too long.
package struct PrinterRetryCall: AgentCall {
    /// Of a job or of its order; nil: all of them.
    package let id: String?

    /// A retry; nil as `id` is for all papers.
    package init(id: String?) {
        self.id = id
    }

    /// Reads the body of a request.
    ///
    /// - Throws: `malformed` for an `id` that is no string, `unknownField` for another member.
    package init(body: JSONValue?) throws(RequestRefusal) {
        let members = RequestMembers(body ?? [:], of: .request)
        try members.refuseUnknown(["id"])
        id = try members.text("id")
    }

    /// `POST /v1/printer/retry`; `id` is null where it is nil.
    package var request: AgentRequest {
        AgentRequest("POST", AgentRoutes.printer + "/retry", body: ["id": JSONValue(id)])
    }

    /// The document of `pos printer retry --json`.
    package struct Response: MemberDocument {
        /// What is printed again, as it was before.
        package var jobs: [PrintJobRecord] = []

        package init(jobs: [PrintJobRecord]) {
            self.jobs = jobs
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("jobs", &jobs)
        }
    }
}

/// `GET /v1/orders/{id}/receipt` makes a receipt again; with ``isPrinted`` it is a `POST`, and the printer
/// gets it too.
package struct ReceiptCall: AgentCall {
    /// The order's id or number.
    package let id: String
    /// Whether it is marked as a copy. What is printed always is.
    package let isCopy: Bool
    /// Whether the printer gets it.
    package let isPrinted: Bool

    /// A receipt to look at, or a copy to print.
    package init(id: String, isCopy: Bool, isPrinted: Bool) {
        self.id = id
        self.isCopy = isCopy || isPrinted
        self.isPrinted = isPrinted
    }

    /// Reads a request for the receipt of the order `id`.
    package init(id: String, _ request: AgentRequest) {
        self.init(id: id, isCopy: request.query["copy"] == "true", isPrinted: request.method == "POST")
    }

    /// A `GET` with the query `copy`, or a `POST`.
    package var request: AgentRequest {
        let path = AgentRoutes.one(of: AgentRoutes.orders, id, "receipt")
        return isPrinted
            ? AgentRequest("POST", path, body: [:])
            : AgentRequest("GET", path, query: isCopy ? ["copy": "true"] : [:])
    }

    /// The document of `pos orders receipt --json`.
    package struct Response: MemberDocument {
        /// A ULID.
        package var orderId = ""
        package var orderNumber = ""
        /// Whether it is marked as a copy.
        package var isCopy = false
        /// The receipt as text, 40 columns.
        package var receipt = ""
        /// What a printer of the terminal's width and language gets, in base64.
        package var escpos = ""
        /// The job of the spool; nil: nothing is printed.
        package var jobId: String?

        /// A receipt; without a `jobId` it is not printed.
        package init(
            orderId: String, orderNumber: String, isCopy: Bool, receipt: String, escpos: String,
            jobId: String?
        ) {
            self.orderId = orderId
            self.orderNumber = orderNumber
            self.isCopy = isCopy
            self.receipt = receipt
            self.escpos = escpos
            self.jobId = jobId
        }

        package init() {}

        package mutating func members<M: DocumentMembers>(_ m: inout M) throws(M.Failure) {
            try m("orderId", &orderId)
            try m("orderNumber", &orderNumber)
            try m("copy", &isCopy)
            try m("receipt", &receipt)
            try m("escpos", &escpos)
            try m.nullable("jobId", &jobId)
        }
    }
}
