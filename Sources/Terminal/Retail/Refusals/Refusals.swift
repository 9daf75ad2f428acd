package import HubProtocol
internal import OfflineMode

/// A person's decisions about what the hub refused, and about what gets no result.
package struct Refusals: Sendable {
    /// What a discarded mutation takes back at this terminal.
    package enum DiscardEffect: Hashable, Sendable {
        /// Everything stays as it was recorded.
        case nothing
        /// Its moves of counted stocks.
        case stock
        /// A void: its order stands again, and its moves of counted stocks are taken back.
        case void
    }

    private let storage: any RefusalStorage

    /// What one list shows. Half of it hides refusals of a bad day from the list; doubled, its response of
    /// whole payloads takes the agent seconds.
    private static let listLimit = 1000

    /// Makes the decisions over the journal in `storage`; reads nothing yet.
    package init(_ storage: any RefusalStorage) {
        self.storage = storage
    }

    /// The refusals that no person has settled, oldest first, at most 1,000.
    package func list() async throws(RefusalError) -> [RefusedEntry] {
        try await storage.list(limit: Self.listLimit)
    }

    /// The entries whose content changed on the disk and that no person released, at most 1,000.
    package func heldBack() async throws(RefusalError) -> [HeldBackEntry] {
        try await storage.heldBack(limit: Self.listLimit)
    }

    /// The mutation `id`, in any state.
    package func mutation(_ id: String) async throws(RefusalError) -> Mutation {
        try await storage.mutation(id)
    }

    /// Sends an entry again as it is. A refused one is sent under a new id, since the hub responds to the old
    /// id with the stored result. One without a result keeps its id, and if its content changed on the disk,
    /// it goes as it is from now on.
    ///
    /// - Returns: the id that is sent: a new one that supersedes `id`, or `id` itself.
    package func retry(_ id: String) async throws(RefusalError) -> String {
        do throws(RefusalError) {
            return try await resend(id)
        } catch .notRefused(_, .pending) {
            try await storage.release(id)
            return id
        }
    }

    /// Sends a mutation again under a new id that supersedes it: same entity, same order number. It was
    /// refused, or gets no result and has a new content now.
    ///
    /// - Parameters:
    ///   - payload: its new content; nil for the same.
    ///   - person: who changes it, and who approved that; nil for a retry, which changes nothing.
    /// - Returns: the new mutation's id.
    package func resend(
        _ id: String, payload: JSONValue? = nil, by person: Authorization? = nil
    ) async throws(RefusalError) -> String {
        // Without changes the entry itself is sent again, for as long as it has no result.
        try await storage.resend(id, allowsPending: payload != nil) { mutation in
            let content = payload ?? mutation.payload
            if let objection = RefusedPayload.objection(to: content, after: mutation) {
                return .failure(.malformed(detail: objection))
            }
            return .success(RefusedPayload.meant(by: content, after: mutation, from: person))
        }
    }

    /// Discards a mutation that was refused, or gets no result; the reason is sent to the hub as
    /// `mutation.discarded`.
    ///
    /// - Parameters:
    ///   - name: who discards it, as entered, in a store without cashiers.
    ///   - person: who discards it, and who approved that; nil in a store without cashiers.
    ///   - madeAt: Unix milliseconds of the wall clock.
    /// - Returns: the id of the mutation that records it.
    package func discard(
        _ id: String, reason: String, by name: String?, _ person: Authorization? = nil, at madeAt: Int64
    ) async throws(RefusalError) -> String {
        var discarded = DiscardedMutation()
        discarded.approverId = person?.approverId
        discarded.by = person?.cashierId ?? name
        discarded.cashierId = person?.cashierId
        discarded.discards = id
        discarded.reason = reason
        return try await storage.discard(id, discarded.json, at: madeAt)
    }

    /// Ends a conflict with this terminal's change, applied to the server's state: the person has seen that,
    /// so the change is meant on top of it.
    ///
    /// - Returns: the id of the mutation that supersedes `id`.
    package func keepMine(_ id: String, by person: Authorization) async throws(RefusalError) -> String {
        let conflict = try await list().first { $0.entry.id == id && $0.entry.state == .conflicted }
        var payload = conflict?.mutation.payload.object
        if let version = conflict?.entry.response?.serverState?["version"] {
            payload?["baseVersion"] = version
        }
        return try await resend(id, payload: payload.map(JSONValue.object), by: person)
    }

    /// Ends a conflict with the server's state; this terminal's change is discarded as by ``discard``.
    package func keepServer(
        _ id: String, by name: String?, _ person: Authorization, at madeAt: Int64
    ) async throws(RefusalError) -> String {
        try await discard(id, reason: "the server's state was kept", by: name, person, at: madeAt)
    }

    /// What discarding a mutation of `type` takes back. A sale that was refused was sold all the same.
    package static func effect(ofDiscarding type: String) -> DiscardEffect {
        switch type {
        case "order.voided": .void
        case "refund.completed": .stock
        default: .nothing
        }
    }
}
