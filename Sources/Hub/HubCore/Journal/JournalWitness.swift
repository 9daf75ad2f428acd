package import HubProtocol

/// What the signed heads of one epoch of a terminal's journal named, beside what has arrived of it.
///
/// A head names an entry that the hub does not have yet, by sequence and hash. It stays open until exactly
/// this entry arrives. A manipulation that removes entries of a terminal's journal after a head that was seen
/// must either send a lower head (regressed) or fill the sequence with another entry (contradicted), or the
/// sequence stays empty (the audit's gap). Pure: the same heads and entries in the same order give the same
/// findings.
package struct JournalWitness: Hashable, Sendable {
    /// A head whose entry has not arrived.
    package struct OpenHead: Hashable, Sendable {
        /// The last sequence of the terminal's journal when it signed.
        package let sequence: Int64
        /// The hash of the entry at ``sequence``, in lower-case hex.
        package let hash: String
        /// When the hub saw it first, in milliseconds since 1970.
        package let seenAt: Int64
        /// A later head ended here, below this one; nil while none did.
        package fileprivate(set) var endsAt: Int64?
        /// Whether another entry arrived at its sequence.
        package fileprivate(set) var isContradicted = false

        fileprivate init(sequence: Int64, hash: String, seenAt: Int64) {
            self.sequence = sequence
            self.hash = hash
            self.seenAt = seenAt
        }

        /// The end of an earlier epoch, as a later head names it.
        init(named end: JournalMark, seenAt: Int64) {
            self.init(sequence: end.sequence, hash: end.hash, seenAt: seenAt)
        }
    }

    /// What is wrong with a journal; an alarm's kind.
    package enum Finding: String, Hashable, Sendable {
        /// A head is below one seen before in the same epoch, or at the same sequence with another hash.
        case regressed = "head_regressed"
        /// An entry arrived where a head had named another one.
        case contradicted = "head_contradicted"
        /// A later head names a later start of the same epoch than one before.
        case startRaised = "epoch_start_raised"
        /// The signature is not that of the terminal's device key, or the head cannot be read.
        case invalidSignature = "head_signature_invalid"

        /// What it raises.
        var alarm: AlarmKind {
            switch self {
            case .regressed: .headRegressed
            case .contradicted: .headContradicted
            case .startRaised: .epochStartRaised
            case .invalidSignature: .headSignatureInvalid
            }
        }
    }

    /// The highest head.
    package private(set) var last: SignedHead
    /// When the hub saw it last, in milliseconds since 1970.
    package private(set) var lastSeenAt: Int64
    /// Lowest sequence first.
    package private(set) var open: [OpenHead] = []
    /// How far the lowest head behind ``last`` went down; nil while none did.
    package private(set) var regressedTo: Int64?

    /// Heads that are kept open. A terminal that drains while it sells opens one with each request, so a
    /// backlog of a thousand entries in batches of 50 needs 20. When there are more, the newest replaces the
    /// one before it, so that what was seen first is not pushed out. Half would lose witnesses of a long
    /// drain; double would only make the row longer (about 130 bytes each).
    private static let maximumOpen = 32
    /// Requests of one terminal can overtake each other on the way: a head that was signed earlier and is
    /// lower is none the worse within this time. A request lives for 10 s and its second sending for as long;
    /// ten times that could hide a journal that was cut back, half would blame slow proxies.
    static let overtaking: Int64 = 60_000

    /// The first head of an epoch, seen at `now` (milliseconds since 1970). Its signature has to be checked
    /// before.
    package init(_ head: SignedHead, at now: Int64) {
        last = head
        lastSeenAt = now
        keepOpen(head, at: now)
    }

    /// A witness as it was stored.
    ///
    /// - Throws: ``ShapeError`` for a document that ``document`` would not have given.
    package init(head: SignedHead, seenAt: Int64, document: JSONValue) throws(ShapeError) {
        last = head
        lastSeenAt = seenAt
        regressedTo = try document.optionalInteger("regressedTo", in: JSONValue.exactIntegers)
        for element in try document.requiredArray("open") {
            var head = OpenHead(
                sequence: try element.requiredInteger("sequence"),
                hash: try element.requiredString("hash"), seenAt: try element.requiredInteger("seenAt"))
            head.endsAt = try element.optionalInteger("endsAt", in: JSONValue.exactIntegers)
            head.isContradicted = element["contradicted"]?.bool ?? false
            open.append(head)
        }
    }

    /// What is stored beside ``last``.
    package var document: JSONValue {
        [
            "regressedTo": JSONValue(regressedTo),
            "open": .array(
                open.map { head in
                    [
                        "sequence": .integer(head.sequence), "hash": .string(head.hash),
                        "seenAt": .integer(head.seenAt), "endsAt": JSONValue(head.endsAt),
                        "contradicted": .bool(head.isContradicted),
                    ]
                }),
        ]
    }

    /// Adds the next valid head of this epoch.
    ///
    /// - Returns: ``Finding/regressed`` when the journal went back, once for each way back.
    package mutating func see(_ head: SignedHead, at now: Int64) -> Finding? {
        if head.sequence > last.sequence {
            regressedTo = nil
            (last, lastSeenAt) = (head, now)
            keepOpen(head, at: now)
            return nil
        }
        if head.sequence == last.sequence, head.hash == last.hash {
            // Seen again is worth a write once a minute.
            if now - lastSeenAt >= 60_000 { (last, lastSeenAt) = (head, now) }
            return nil
        }
        return regress(to: head, at: now)
    }

    /// Whether `head` moves the start of the epoch up, which no honest terminal does.
    func isRaised(by head: SignedHead) -> Bool {
        guard let before = last.origin?.epochStart, let start = head.origin?.epochStart else { return false }
        return start > before && head.signedAt >= last.signedAt
    }

    private mutating func regress(to head: SignedHead, at now: Int64) -> Finding? {
        guard head.signedAt >= last.signedAt || now - lastSeenAt >= Self.overtaking else { return nil }
        if let regressedTo, regressedTo <= head.sequence { return nil }
        regressedTo = head.sequence
        for index in open.indices where Self.isGone(open[index], by: head) {
            open[index].endsAt = min(head.sequence, open[index].endsAt ?? head.sequence)
        }
        return .regressed
    }

    private static func isGone(_ open: OpenHead, by head: SignedHead) -> Bool {
        open.sequence > head.sequence || open.sequence == head.sequence && open.hash != head.hash
    }

    private mutating func keepOpen(_ head: SignedHead, at now: Int64) {
        guard head.sequence > 0 else { return }
        if open.count == Self.maximumOpen { open.removeLast() }
        open.append(OpenHead(sequence: head.sequence, hash: head.hash, seenAt: now))
    }

    /// Closes the heads whose entries have arrived.
    ///
    /// - Parameters:
    ///   - epoch: how far the journal has come.
    ///   - link: the entry at a sequence; nil where there is none.
    /// - Returns: ``Finding/contradicted`` for each head that another entry took the place of, once.
    package mutating func close<Failure: Error>(
        in epoch: JournalEpoch, link: (Int64) throws(Failure) -> JournalChain.Link?
    ) throws(Failure) -> [Finding] {
        var findings: [Finding] = []
        var rest: [OpenHead] = []
        for var head in open {
            switch try Self.arrival(of: head, in: epoch, link) {
            case .none: rest.append(head)
            case .some(true): continue
            case .some(false):
                if !head.isContradicted { findings.append(.contradicted) }
                head.isContradicted = true
                rest.append(head)
            }
        }
        open = rest
        return findings
    }

    /// Whether the entry that a head names arrived (true), another one (false), or neither. What was before
    /// the epoch's first entry is named by that entry's link alone.
    private static func arrival<Failure: Error>(
        of head: OpenHead, in epoch: JournalEpoch, _ link: (Int64) throws(Failure) -> JournalChain.Link?
    ) throws(Failure) -> Bool? {
        guard head.sequence <= epoch.highest, !head.isContradicted else { return nil }
        if head.sequence >= epoch.firstSequence {
            return try link(head.sequence).map { $0.hash == head.hash }
        }
        guard head.sequence == epoch.firstSequence - 1, let first = try link(epoch.firstSequence),
            first.previousHash == head.hash
        else { return nil }
        return true
    }
}

extension JournalWitness {
    /// A witness out of its row; nil for one that cannot be read, which the next head replaces.
    package init?(head: String, seenAt: Int64, state: String) {
        guard let headJSON = try? JSONParser.parse(head.utf8), let head = try? SignedHead(json: headJSON),
            let document = try? JSONParser.parse(state.utf8)
        else { return nil }
        try? self.init(head: head, seenAt: seenAt, document: document)
    }
}
