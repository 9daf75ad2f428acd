package import HubProtocol

/// A paper that is not printed yet.
package struct PrintJobRecord: AgentDocument {
    /// A ULID; of a receipt the order's id, of a refund's slip the refund's.
    package let id: String
    /// `receipt`, `refund`, `void` or `test`.
    package let kind: String
    /// The order's number; empty for a test page.
    package let title: String
    /// Nil for a test page.
    package let orderId: String?
    /// RFC 3339.
    package let createdAt: String
    /// `waiting`, `printing`, `interrupted` or `failed`; docs/reference/printing.md.
    package let state: String
    /// Whether it is marked as a copy.
    package let isCopy: Bool

    /// A paper of the spool.
    package init(
        id: String, kind: String, title: String, orderId: String?, createdAt: String, state: String,
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

    /// Every member is required; `orderId` may be null.
    package init(_ members: AgentMembers) throws(ShapeError) {
        self.init(
            id: try members.string("id"), kind: try members.string("kind"),
            title: try members.string("title"), orderId: try members.nullable("orderId", members.string),
            createdAt: try members.string("createdAt"), state: try members.string("state"),
            isCopy: try members.bool("copy"))
    }

    /// The key of ``isCopy`` is `copy`.
    package var json: JSONValue {
        [
            "id": .string(id), "kind": .string(kind), "title": .string(title), "orderId": JSONValue(orderId),
            "createdAt": .string(createdAt), "state": .string(state), "copy": .bool(isCopy),
        ]
    }
}

/// `GET /v1/printer`: the printer and its spool.
package struct PrinterCall: AgentCall {
    /// A call without arguments.
    package init() {}

    /// `GET /v1/printer`; the printer is not asked.
    package var request: AgentRequest { AgentRequest("GET", AgentRoutes.printer) }

    /// The document of `pos printer status --json`.
    package struct Response: AgentDocument {
        /// As `printer.device` names it; nil: none is configured.
        package let device: String?
        /// Millimetres of paper: 58 or 80.
        package let width: Int64
        /// `en` or `zh`.
        package let language: String
        /// By the last attempt: `none` (no printer), `untried`, `ready`, `paper_low`, `paper_out` or
        /// `no_response`.
        package let state: String
        /// For people; nil where there is nothing to say.
        package let detail: String?
        /// What is not printed, the oldest first.
        package let jobs: [PrintJobRecord]
        /// Files of the spool that could not be read.
        package let damaged: Int64

        /// A status; without a `device` there are no `jobs`.
        package init(
            device: String?, width: Int64, language: String, state: String, detail: String?,
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

        /// Every member is required; `device` and `detail` may be null.
        package init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                device: try members.nullable("device", members.string),
                width: try members.integer("width"), language: try members.string("language"),
                state: try members.string("state"),
                detail: try members.nullable("detail", members.string),
                jobs: try members.documents("jobs"), damaged: try members.integer("damaged"))
        }

        /// Seven members.
        package var json: JSONValue {
            [
                "device": JSONValue(device), "width": .integer(width), "language": .string(language),
                "state": .string(state), "detail": JSONValue(detail), "jobs": JSONValue(documents: jobs),
                "damaged": .integer(damaged),
            ]
        }
    }
}

/// `POST /v1/printer/test`: prints a test page and waits for it.
package struct PrinterTestCall: AgentCall {
    /// A call without arguments.
    package init() {}

    /// `POST /v1/printer/test`; it can take 20 s.
    package var request: AgentRequest { AgentRequest("POST", AgentRoutes.printer + "/test", body: [:]) }

    /// The document of `pos printer test --json`: the test page is on the printer.
    package struct Response: AgentDocument {
        /// The test page's job.
        package let jobId: String
        /// As ``PrinterCall/Response/state``.
        package let state: String

        /// A test page that was printed.
        package init(jobId: String, state: String) {
            (self.jobId, self.state) = (jobId, state)
        }

        /// Both members are required.
        package init(_ members: AgentMembers) throws(ShapeError) {
            self.init(jobId: try members.string("jobId"), state: try members.string("state"))
        }

        /// `{"jobId":…,"state":…}`.
        package var json: JSONValue { ["jobId": .string(jobId), "state": .string(state)] }
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
    package struct Response: AgentDocument {
        /// What is printed again, as it was before.
        package let jobs: [PrintJobRecord]

        /// The papers of the retry.
        package init(jobs: [PrintJobRecord]) {
            self.jobs = jobs
        }

        /// Reads the one member, `jobs`.
        package init(_ members: AgentMembers) throws(ShapeError) {
            jobs = try members.documents("jobs")
        }

        /// `{"jobs":[…]}`.
        package var json: JSONValue { ["jobs": JSONValue(documents: jobs)] }
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
    package struct Response: AgentDocument {
        /// A ULID.
        package let orderId: String
        package let orderNumber: String
        /// Whether it is marked as a copy.
        package let isCopy: Bool
        /// The receipt as text, 40 columns.
        package let receipt: String
        /// What a printer of the terminal's width and language gets, in base64.
        package let escpos: String
        /// The job of the spool; nil: nothing is printed.
        package let jobId: String?

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

        /// Every member is required; `jobId` may be null.
        package init(_ members: AgentMembers) throws(ShapeError) {
            self.init(
                orderId: try members.string("orderId"), orderNumber: try members.string("orderNumber"),
                isCopy: try members.bool("copy"), receipt: try members.string("receipt"),
                escpos: try members.string("escpos"),
                jobId: try members.nullable("jobId", members.string))
        }

        /// The key of ``isCopy`` is `copy`.
        package var json: JSONValue {
            [
                "orderId": .string(orderId), "orderNumber": .string(orderNumber), "copy": .bool(isCopy),
                "receipt": .string(receipt), "escpos": .string(escpos), "jobId": JSONValue(jobId),
            ]
        }
    }
}
