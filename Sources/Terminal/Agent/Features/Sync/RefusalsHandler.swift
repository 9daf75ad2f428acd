internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import MachineRuntime

/// What the hub refused, and what a person decides on it.
struct RefusalsHandler: RequestHandler {
    let refusals: Refusals
    let drainer: OutboxDrainer
    let authority: Authority
    let revisions: StatusRevisions
    let time: any SystemTime

    var routes: [AgentRoute] {
        [
            AgentRoute("GET", AgentRoutes.syncRejected, on: .background, list),
            AgentRoute("POST", AgentRoutes.syncRejected + "/{id}/{verb}", resolve),
        ]
    }

    private func list(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        AgentResponse(try await list())
    }

    private func resolve(_ request: AgentRequest, _ path: [String]) async throws(TerminalError)
        -> AgentResponse
    {
        let call = try TerminalError.reading { () throws(RequestRefusal) in
            try ResolveRefusalCall(id: path[0], verb: path[1], body: request.body)
        }
        guard let call else { throw TerminalError(unknown: request) }
        let resolved = try await perform(call)
        // The status counts what waits for a decision.
        revisions.advance()
        return AgentResponse(resolved)
    }

    private typealias Resolved = ResolveRefusalCall.Response

    private func perform(_ call: ResolveRefusalCall) async throws(TerminalError) -> Resolved {
        let id = call.id
        switch call.decision {
        case .retry: return try await retry(id)
        case .edit(let changes):
            let edit = try PayloadEdit(changes)
            let old = try await refusing { refusals throws(RefusalError) in try await refusals.mutation(id) }
            let person = try await authorize(call)
            let payload = try edit.result(of: old.payload)
            return try await sending(.supersedes, id) { refusals throws(RefusalError) in
                try await refusals.resend(id, payload: payload, by: person)
            }
        case .discard(let reason, let name):
            guard !reason.isEmpty else {
                throw TerminalError(.usage, code: "reason_missing") { $0.reasonMissing }
            }
            let (person, now) = (try await authorize(call), time.wallMilliseconds())
            return try await sending(.discards, id) { refusals throws(RefusalError) in
                try await refusals.discard(id, reason: reason, by: name, person, at: now)
            }
        case .resolve(let side, let name): return try await resolve(call, keeping: side, name: name)
        }
    }

    private func retry(_ id: String) async throws(TerminalError) -> Resolved {
        let sent = try await refusing { refusals throws(RefusalError) in try await refusals.retry(id) }
        guard sent == id else {
            drainer.nudge()
            return Resolved(id: sent, .supersedes, id)
        }
        drainer.rowsChanged()
        return Resolved(id: id, .retries, id)
    }

    private func resolve(
        _ call: ResolveRefusalCall, keeping side: ResolveRefusalCall.Side?, name: String?
    ) async throws(TerminalError) -> Resolved {
        let id = call.id
        switch side {
        case .server:
            let (person, now) = (try await authorize(call), time.wallMilliseconds())
            return try await sending(.discards, id) { refusals throws(RefusalError) in
                try await refusals.keepServer(id, by: name, person, at: now)
            }
        case .mine:
            let person = try await authorize(call)
            return try await sending(.supersedes, id) { refusals throws(RefusalError) in
                try await refusals.keepMine(id, by: person)
            }
        case nil:
            throw TerminalError(.usage, code: "keep_missing") { $0.keepMissing }
        }
    }

    /// Resolving a refusal changes what the hub gets, so it may need an approver.
    private func authorize(_ call: ResolveRefusalCall) async throws(TerminalError) -> Authorization {
        try await authority.authorize(call.person, [.refusals])
    }

    /// Does `work`, which returns the id of a new mutation, and has it sent.
    private func sending(
        _ kind: Resolved.Kind, _ id: String, _ work: (Refusals) async throws(RefusalError) -> String
    ) async throws(TerminalError) -> Resolved {
        let new = try await refusing(work)
        // It may have replaced an entry that waited in the outbox.
        drainer.rowsChanged()
        return Resolved(id: new, kind, id)
    }

    private func list() async throws(TerminalError) -> RefusalListCall.Response {
        let refused = try await refusing { refusals throws(RefusalError) in try await refusals.list() }
        let held = (try? await refusals.heldBack()) ?? []
        return RefusalListCall.Response(refused: refused, heldBack: held)
    }

    private func refusing<Value>(
        _ body: (Refusals) async throws(RefusalError) -> Value
    ) async throws(TerminalError) -> Value {
        do throws(RefusalError) {
            return try await body(refusals)
        } catch {
            throw TerminalError(error)
        }
    }
}

extension PayloadEdit {
    fileprivate init(_ changes: PayloadChanges) throws(TerminalError) {
        do throws(Failure) {
            try self.init(payload: changes.payload, set: changes.set, unset: changes.unset)
        } catch {
            throw TerminalError(error)
        }
    }

    fileprivate func result(of old: JSONValue) throws(TerminalError) -> JSONValue {
        do throws(Failure) {
            return try applied(to: old)
        } catch {
            throw TerminalError(error)
        }
    }
}

extension TerminalError {
    /// Why a refusal got no response.
    init(_ error: RefusalError) {
        switch error {
        case .unknown(let id):
            self.init(.refused, code: "unknown_mutation") { $0.unknownEntry(id) }
        case .notRefused(let id, let state):
            self.init(.refused, code: "not_refused") { $0.notRefused(id, state) }
        case .malformed(let detail): self.init(.refused, code: "malformed_edit") { $0.malformedEdit(detail) }
        case .storage(let error): self.init(nothingChanged: error)
        }
    }

    /// Why a payload cannot be edited so.
    fileprivate init(_ failure: PayloadEdit.Failure) {
        switch failure {
        case .nothingToEdit:
            self.init(.usage, code: "nothing_to_edit") { $0.nothingToEdit }
        case .noSuchPlace(let path):
            self.init(.usage, code: "no_such_member") { $0.noSuchPlace(path) }
        }
    }

    /// The store on disk failed before anything was changed.
    init(nothingChanged error: StorageError) {
        switch error {
        case .diskFull(let path):
            self.init(.notDurable, code: "disk_full") { $0.diskFull(path) }
        case .notEnrolled:
            self.init(.notDurable, code: "store_unavailable") { $0.nothingChangedNotEnrolled }
        // Only sales spend leases and sell carts.
        case .leaseSpent, .cartGranted:
            self.init(.notDurable, code: "store_unavailable") { $0.nothingChangedLeaseSpent }
        case .unavailable(let detail):
            self.init(.notDurable, code: "store_unavailable") { $0.nothingChanged(detail) }
        }
    }
}
