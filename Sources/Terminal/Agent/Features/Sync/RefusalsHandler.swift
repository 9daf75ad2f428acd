internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore
internal import MachineRuntime

/// What the hub refused, and what a person decides on it.
struct RefusalsHandler: RequestHandler {
    let refusals: SQLiteRefusals
    let outbox: SQLiteOutbox
    let drainer: OutboxDrainer
    let authority: Authority
    let time: any SystemTime

    var routes: [AgentRoute] {
        [
            AgentRoute("GET", AgentRoutes.syncRejected, list),
            AgentRoute("POST", AgentRoutes.syncRejected + "/{id}/{verb}", resolve),
        ]
    }

    private func list(_: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        AgentResponse(try await list().json)
    }

    private func resolve(_ request: AgentRequest, _ path: [String]) async throws(TerminalError)
        -> AgentResponse
    {
        let call = try TerminalError.reading { () throws(RequestRefusal) in
            try ResolveRefusalCall(id: path[0], verb: path[1], body: request.body)
        }
        guard let call else { throw TerminalError(unknown: request) }
        return AgentResponse(try await perform(call).json)
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
            return try await resend(id, payload: try edit.applied(to: old.payload), by: person)
        case .discard(let reason, let name):
            guard !reason.isEmpty else {
                throw TerminalError(.usage, code: "reason_missing", "say why with --reason TEXT")
            }
            return try await discard(id, reason: reason, name: name, by: try await authorize(call))
        case .resolve(let side, let name): return try await resolve(call, keeping: side, name: name)
        }
    }

    /// An entry without a result is sent at once. A refused one is sent under a new id, since the hub
    /// responds to the old id with the stored result.
    private func retry(_ id: String) async throws(TerminalError) -> Resolved {
        do throws(RefusalError) {
            return try await resend(id, with: refusals.resend(id))
        } catch .notRefused(_, "pending") {
            try await release(id)
            drainer.rowsChanged()
            return Resolved(id: id, .retries, id)
        } catch {
            throw TerminalError(error)
        }
    }

    /// An entry that is held back goes as it is, on a person's decision.
    private func release(_ id: String) async throws(TerminalError) {
        do throws(OutboxStorageError) {
            _ = try await outbox.release(id)
        } catch {
            throw TerminalError(
                .notDurable, code: "store_unavailable", "nothing was changed: \(error)")
        }
    }

    private func resolve(
        _ call: ResolveRefusalCall, keeping side: ResolveRefusalCall.Side?, name: String?
    ) async throws(TerminalError) -> Resolved {
        let id = call.id
        let conflicts = try await refusing { refusals throws(RefusalError) in try await refusals.list() }
        let conflict = conflicts.first { $0.entry.id == id && $0.entry.state == .conflicted }
        switch side {
        case .server:
            let person = try await authorize(call)
            return try await discard(id, reason: "the server's state was kept", name: name, by: person)
        case .mine:
            let person = try await authorize(call)
            guard let conflict, var members = conflict.mutation.payload.object else {
                return try await resend(id, payload: nil, by: person)
            }
            // The person has seen the server's state: the change is meant on top of it.
            if let version = conflict.entry.response?.serverState?["version"] {
                members["baseVersion"] = version
            }
            return try await resend(id, payload: .object(members), by: person)
        case nil:
            throw TerminalError(.usage, code: "keep_missing", "say what holds: --keep mine or --keep server")
        }
    }

    /// Resolving a refusal changes what the hub gets, so it may need an approver.
    private func authorize(_ call: ResolveRefusalCall) async throws(TerminalError) -> Authorization {
        try await authority.authorize(call.person, [.refusals])
    }

    private func resend(
        _ id: String, payload: JSONValue?, by person: Authorization
    ) async throws(TerminalError) -> Resolved {
        let new = try await refusing { refusals throws(RefusalError) in
            try await refusals.resend(id, payload: payload, by: person)
        }
        return resend(id, with: new)
    }

    private func resend(_ id: String, with new: String) -> Resolved {
        drainer.nudge()
        return Resolved(id: new, .supersedes, id)
    }

    private func discard(
        _ id: String, reason: String, name: String?, by person: Authorization
    ) async throws(TerminalError) -> Resolved {
        let now = time.wallMilliseconds()
        let new = try await refusing { refusals throws(RefusalError) in
            try await refusals.discard(id, reason: reason, by: name, person, at: now)
        }
        drainer.nudge()
        return Resolved(id: new, .discards, id)
    }

    private func list() async throws(TerminalError) -> RefusalListCall.Response {
        let refused = try await refusing { refusals throws(RefusalError) in try await refusals.list() }
        let held = (try? await outbox.heldBack()) ?? []
        return RefusalListCall.Response(refused: refused, heldBack: held)
    }

    private func refusing<Value>(
        _ body: (SQLiteRefusals) async throws(RefusalError) -> Value
    ) async throws(TerminalError) -> Value {
        do throws(RefusalError) {
            return try await body(refusals)
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
            self.init(
                .refused, code: "unknown_mutation",
                "this terminal has no mutation \(id); `pos sync rejected` lists what was refused")
        case .notRefused(let id, let state):
            self.init(
                .refused, code: "not_refused",
                "\(id) is \(state); only what the hub refused is edited, resolved or discarded")
        case .malformed(let detail): self.init(.refused, code: "malformed_edit", detail)
        case .diskFull(let path):
            self.init(.notDurable, code: "disk_full", "the disk of \(path) is full; free some space")
        case .unavailable(let detail):
            self.init(.notDurable, code: "store_unavailable", "nothing was changed: \(detail)")
        }
    }
}
