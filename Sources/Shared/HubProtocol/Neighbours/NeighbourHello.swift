/// What two tills of a store exchange when they meet and from then on regularly; request and response alike.
///
/// Nothing of it is a right, and nothing is decided by it: it is shown to people, and a ``SignedHead`` is
/// kept as a witness. Members of later versions are left aside.
package struct NeighbourHello: Fact {
    /// Whose it is; a reader compares it with the key of the connection.
    package var terminalId = ""
    /// The till's number within its store; nil: not known.
    package var number: Int64?
    /// What people call the till, as its hub's lists have it, printable; nil: not known.
    package var name: String?
    /// Of one start of the agent: another one shows a restart.
    package var run = ""
    /// The program's version, semantic.
    package var version = ""
    /// `online` or `offline`.
    package var mode = Mode.online
    /// Why it is offline; words of later versions are possible.
    package var causes: [String] = []
    /// Entries that wait for the hub.
    package var pending: Int64 = 0
    /// The last sequence up to which the hub has results for all entries.
    package var acknowledgedThrough: Int64 = 0
    /// Of those, how many have a copy at another till.
    package var copied: Int64 = 0
    /// Whether it has entries and no way to the hub, and nobody keeps it offline: others hand them in.
    package var wantsRelay = false
    /// What the sender keeps of the reader's entries; nil: nothing.
    package var kept: NeighbourKept?
    /// What the sender's journal has of its entries that the reader keeps, for each run that was named.
    package var coverages: [RunCoverage] = []
    /// The id of the open shift; nil: none is open.
    package var shift: String?
    /// The sender's wall clock in milliseconds since 1970; for display alone.
    package var at: Int64 = 0
    /// Where its journal ends (``SignedHead``); nil where that cannot be read just now.
    package var head: JSONValue?
    /// How far the sender has the lists of notes of the store's tills; at most ``mostLists``.
    package var notes: [NoteHead] = []
    /// The head of the reader that the sender saw furthest on; nil: none.
    package var seen: JSONValue?

    /// The two words of ``mode``.
    package enum Mode: String, Hashable, Sendable {
        case online, offline
    }

    /// The path of the exchange.
    package static let path = "/neighbour/v1/hello"
    /// Lists that a hello names: those of a store, and some of earlier epochs. All of them take 10 KiB.
    package static let mostLists = 48
    /// Causes that a till can have at once, with room for later ones.
    private static let mostCauses = 16

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("acknowledgedThrough", &acknowledgedThrough, in: 0...JSONValue.exactIntegers.upperBound)
        try m.moment("at", &at)
        try m.texts("causes", &causes, .valid)
        try m.check(
            causes.count <= Self.mostCauses
                && causes.allSatisfy { $0.utf8.count <= TextBound.name && $0 == $0.printable },
            "causes", "at most \(Self.mostCauses) printable words")
        try m.number("copied", &copied, .optional, in: 0...JSONValue.exactIntegers.upperBound)
        var named: [RunCoverage]? = coverages
        try m.list("coverages", &named, .optional)
        coverages = Array((named ?? []).prefix(NeighbourLimits.runsNamed))
        try m.document("head", &head)
        try m.part("kept", &kept, .optional)
        try m.word("mode", &mode, of: "`online` or `offline`")
        try m.text("name", &name, .valid)
        try m.check(
            name.map { $0.utf8.count <= TextBound.name && $0 == $0.printable } ?? true, "name",
            "printable, at most \(TextBound.name) bytes")
        var lists: [NoteHead]? = notes
        try m.list("notes", &lists, .optional)
        notes = Array((lists ?? []).prefix(Self.mostLists))
        try m.number("number", &number, .valid, in: 1...JSONValue.exactIntegers.upperBound)
        try m.number("pending", &pending, in: 0...JSONValue.exactIntegers.upperBound)
        try m.mark("relay", &wantsRelay)
        try m.name("run", &run)
        try m.document("seen", &seen)
        try m.text("shift", &shift, .valid)
        try m.name("terminalId", &terminalId)
        try m.name("version", &version)
    }
}

/// What a till keeps of another one's entries.
package struct NeighbourKept: Fact {
    /// How many entries, of all epochs.
    package private(set) var entries: Int64 = 0
    /// Runs of entries that follow each other in one chain, the first epochs and sequences first; at most
    /// ``NeighbourLimits/runsNamed``.
    package private(set) var runs: [KeptRun] = []

    package init(entries: Int64, runs: [KeptRun]) {
        (self.entries, self.runs) = (entries, Array(runs.prefix(NeighbourLimits.runsNamed)))
    }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.number("entries", &entries, in: 0...JSONValue.exactIntegers.upperBound)
        try m.list("runs", &runs)
        runs = Array(runs.prefix(NeighbourLimits.runsNamed))
    }
}

/// Entries of one epoch that follow each other in one chain.
package struct KeptRun: Fact {
    /// The sequence of the first one.
    package private(set) var first: Int64 = 0
    /// The last one, which names all before it by its hash.
    package private(set) var end = JournalMark()

    package init(first: Int64, end: JournalMark) { (self.first, self.end) = (first, end) }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.part("end", &end)
        try m.number("first", &first, in: 1...JSONValue.exactIntegers.upperBound)
    }
}

/// What a till's journal has of a run of its entries.
package struct RunCoverage: Fact {
    /// Of the run's last entry.
    package private(set) var hash = ""
    /// The hub has results for all entries up to this sequence; nil: the run's end is not in the journal.
    package private(set) var through: Int64?

    package init(hash: String, through: Int64?) { (self.hash, self.through) = (hash, through) }

    package init() {}

    package mutating func members<Members: FactMembers>(_ m: inout Members) throws(Members.Failure) {
        try m.name("hash", &hash)
        try m.number("through", &through, .valid, in: 0...JSONValue.exactIntegers.upperBound)
    }
}

/// What binds the key of a till's connections to its device key: a signature that its certificate carries.
///
/// Connections have a key of their own, so that the device key signs nothing that a neighbour chooses.
package enum NeighbourKey {
    /// What the device key signs: a line that says what it is, the terminal's id, the key in base64.
    ///
    /// - Parameter key: Ed25519, 32 bytes.
    package static func signedBytes(terminalId: String, key: [UInt8]) -> [UInt8] {
        Array("neighbour-tls\n\(terminalId)\n\(Base64.text(key))".utf8)
    }

    /// Whether `proof` is the signature of `publicKey`, the device key of `terminalId` in base64.
    package static func isBound(
        _ key: [UInt8], to terminalId: String, by publicKey: String, proof: [UInt8]
    ) -> Bool {
        DeviceSignature.isValid(
            Base64.text(proof), of: signedBytes(terminalId: terminalId, key: key), by: publicKey)
    }
}
