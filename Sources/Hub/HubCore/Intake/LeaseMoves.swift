import HubProtocol

/// Parts of leases that one terminal of a store gave to another one without the hub (`lease.given`,
/// `lease.taken`).
///
/// The part is taken from the giver's lease and is a lease of the taker, so what is not lent, what is lent
/// and what was spent stay the same in all. It is booked by the first of the two journals that has it; the
/// other one changes nothing.
extension IntakeTransaction {
    /// - Parameter isTaken: whether the taker says it, not the giver.
    func move(
        _ moved: MovedLease, isTaken: Bool, for record: MutationRecord
    ) throws -> Set<IntakeFlag> {
        guard let (note, grant) = try proof(of: moved, isTaken: isTaken, for: record) else {
            return [.leaseExceeded]
        }
        if var part = try lease(grant.partId) {
            // The giver did not know which epoch the taker is in.
            if isTaken, part.epoch < record.epoch {
                (part.epoch, part.version) = (record.epoch, part.version + 1)
                try save(part)
                try publish(part.change(at: record.receivedAt, record.hlc))
            }
            return []
        }
        let isExcused = try mayBeOlderThanRestore(record)
        guard var lease = try lease(grant.right) else { return isExcused ? [] : [.leaseExceeded] }
        guard lease.terminalId == note.terminalId, lease.epoch == note.epoch, lease.kind != .card,
            !LeaseRecord.isPart(lease.id), grant.amount <= lease.amount
        else { return [.leaseExceeded] }
        let epoch = isTaken ? record.epoch : try lastEpoch(of: grant.to)?.epoch ?? 1
        let isCovered = isExcused || lease.covers(grant.amount)
        // What a giver does not have is the taker's only by the taker's own word: else a hostile giver
        // reserves a member's whole balance for tills that know of nothing.
        if isCovered || isTaken, lease.used / lease.amount < LeaseTerms.mostTerminals {
            let part = lease.part(by: grant, epoch: epoch, at: record.receivedAt)
            try save(part)
            try publish(part.change(at: record.receivedAt, record.hlc))
            lease.give(grant.amount)
        }
        if !isCovered { lease.exceed() }
        try save(lease)
        guard !isCovered else { return [] }
        try publish(lease.change(at: record.receivedAt, record.hlc))
        try raise(
            Alarm(
                kind: .leaseGivenTwice, terminalId: lease.terminalId, mutationId: record.key,
                at: record.receivedAt))
        return [.leaseExceeded]
    }

    /// The giver's note, where it proves what a mutation says; nil: it does not.
    private func proof(
        of moved: MovedLease, isTaken: Bool, for record: MutationRecord
    ) throws -> (note: NeighbourNote, grant: GrantedRight)? {
        guard let note = moved.note.flatMap({ try? NeighbourNote(json: $0) }),
            note.kind == NoteKind.leaseGiven.rawValue, let grant = try? GrantedRight(json: note.body),
            grant.kind == .lease, grant.right == moved.leaseId, grant.amount == moved.amount,
            (isTaken ? moved.from == note.terminalId : moved.to == grant.to), grant.to != note.terminalId,
            try known(record.device).terminalIds.contains(isTaken ? grant.to : note.terminalId)
        else { return nil }
        let storeId = record.device.storeId
        guard let giver = try receiptSigner(note.terminalId), giver.storeId == storeId,
            try receiptSigner(grant.to)?.storeId == storeId, note.isSigned(by: giver.publicKey)
        else { return nil }
        return (note, grant)
    }
}
