package import Base
internal import Foundation

/// One paper to be printed. A job is a file of the spool until it is printed; what is printed has none.
package struct PrintJob: Hashable, Sendable, Codable {
    /// What the paper is.
    package enum Kind: String, Hashable, Sendable, Codable {
        case receipt
        case refund
        /// A voided sale's receipt, with its mark.
        case void
        /// The report of a shift, or the slip of a movement of cash.
        case shift
        /// Of the command that tries the printer.
        case test
    }

    /// Where the job is. On the disk before it is true of the paper.
    package enum State: String, Hashable, Sendable, Codable {
        /// No byte was sent. Exits: printing, failed.
        case waiting
        /// Its bytes are being sent. Exits: printed (the file is removed), interrupted.
        case printing
        /// The printer, the connection or the agent stopped in the middle: nobody knows what is on the paper.
        /// Exit: a person has it printed again, marked as a copy.
        case interrupted
        /// It waited too long, and no byte was sent. Exit: a person has it printed.
        case failed
    }

    /// A ULID, the name of its file.
    package let id: String
    /// Receipt, refund or test page.
    package let kind: Kind
    /// The order's number, for people; empty for a test page.
    package let title: String
    /// The order of the paper; nil for a test page.
    package let orderId: String?
    /// Unix milliseconds of the wall clock.
    package let createdAt: Int64
    /// How far it came; `waiting` at first.
    package internal(set) var state = State.waiting
    /// Whether ``document`` is marked as a copy.
    package internal(set) var isCopy: Bool
    let language: Language
    private var document: ReceiptDocument

    /// A job that waits.
    ///
    /// - Parameter isCopy: has the mark of a copy printed at the head of `document`.
    package init(
        id: String, kind: Kind, title: String, orderId: String?, createdAt: Int64, isCopy: Bool = false,
        language: Language, document: ReceiptDocument
    ) {
        self.id = id
        self.kind = kind
        self.title = title
        self.orderId = orderId
        self.createdAt = createdAt
        self.isCopy = isCopy
        self.language = language
        self.document = document
    }

    /// What goes to a printer with paper of this width.
    package func bytes(for paper: PaperWidth, openingDrawer: Bool = false) -> [UInt8] {
        var page = isCopy ? document.markedAsCopy(in: language) : document
        if openingDrawer { page.elements.insert(.drawerPulse, at: 0) }
        return EscPosEncoder(paper: paper, language: language).encode(page)
    }

    var fileContent: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map(Array.init) ?? []
    }

    /// Nil for content that is no complete job.
    init?(fileContent: [UInt8]) {
        guard let job = try? JSONDecoder().decode(PrintJob.self, from: Data(fileContent)) else { return nil }
        self = job
    }
}

/// The paper as far as the printer reports it.
package enum PaperState: String, Hashable, Sendable {
    /// The printer does not respond to the request for its sensor.
    case unknown
    case enough
    /// The roll ends soon.
    case low
    case out
}

/// How an attempt to print a job ended.
package enum PrintOutcome: Hashable, Sendable {
    /// The device has all bytes.
    case printed(PaperState)
    /// No byte of the job was sent.
    case notBegun(PrinterFault)
    /// Bytes were sent, and it is not known which of them are on paper.
    case interrupted(String)
}

/// Why nothing could be printed.
package enum PrinterFault: Error, Hashable, Sendable {
    /// Put in a new roll; what waits is printed then.
    case paperOut
    /// Switch the printer on, look at its cable; `detail` is the system's text.
    case noResponse(String)
}
