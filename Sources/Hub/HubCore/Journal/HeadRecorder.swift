import HubProtocol

/// Keeps what a terminal signed of its journal's end, and compares it with what has arrived; within the
/// transaction of a push, or in one of its own for a head that came without one.
package struct HeadRecorder<Store: IntakeTransaction> {
    private let store: Store
    private let terminalId: String
    private let now: Int64

    /// - Parameter now: the hub's wall clock, in milliseconds since 1970.
    package init(store: Store, terminalId: String, now: Int64) {
        self.store = store
        self.terminalId = terminalId
        self.now = now
    }

    /// Notes a head and raises what it shows.
    ///
    /// - Parameters:
    ///   - claim: nil when the request brought no head; entries are compared with earlier heads then too.
    ///   - epoch: the terminal's last epoch as it is now; nil before its first entry.
    ///   - lastLink: the entry that was entered last, which needs no look into the store.
    package func note(
        _ claim: HeadClaim?, beside epoch: JournalEpoch?, lastLink: JournalChain.Link? = nil
    ) throws {
        var head: SignedHead?
        switch claim {
        case nil: break
        case .invalid: try raise(.invalidSignature, nil)
        case .signed(let signed) where Self.isPlausible(signed, beside: epoch): head = signed
        case .signed: break
        }
        for number in Set([head?.epoch, epoch?.epoch].compactMap(\.self)).sorted() {
            let place = JournalPlace(terminalId: terminalId, epoch: number)
            try update(
                place, with: head?.epoch == number ? head : nil,
                beside: epoch?.epoch == number ? epoch : nil, lastLink)
        }
    }

    /// An epoch has one row, so a terminal gets one for each that it opened here and one for the next.
    private static func isPlausible(_ head: SignedHead, beside epoch: JournalEpoch?) -> Bool {
        head.epoch <= (epoch?.epoch ?? 1) + 1
    }

    private func update(
        _ place: JournalPlace, with head: SignedHead?, beside epoch: JournalEpoch?,
        _ lastLink: JournalChain.Link?
    ) throws {
        let known = try store.witness(of: place)
        guard var witness = known ?? head.map({ JournalWitness($0, at: now) }) else { return }
        var findings: [JournalWitness.Finding] = []
        if let head, known != nil {
            if witness.isRaised(by: head) { findings.append(.startRaised) }
            if let finding = witness.see(head, at: now) { findings.append(finding) }
        }
        if let epoch {
            findings += try witness.close(in: epoch) { sequence in
                lastLink?.sequence == sequence ? lastLink : try store.link(at: sequence, in: place)
            }
        }
        if witness != known { try store.save(witness, of: place) }
        for finding in findings {
            let end = witness.regressedTo.map { ", and then \($0)" } ?? ""
            try raise(finding, "epoch \(place.epoch), highest head \(witness.last.sequence)\(end)")
        }
    }

    private func raise(_ finding: JournalWitness.Finding, _ detail: String?) throws {
        try store.raise(Alarm(kind: finding.alarm, terminalId: terminalId, detail: detail, at: now))
    }
}
