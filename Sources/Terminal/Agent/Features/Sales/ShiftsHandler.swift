import Base

internal import AgentAPI
internal import HubProtocol
internal import Retail
internal import TerminalStore

/// The day's money: shifts, movements of cash, statements.
struct ShiftsHandler: RequestHandler {
    let shifts: Shifts
    let facts: SQLiteTerminalFacts
    let printing: PrintingFeature
    let revisions: StatusRevisions

    var routes: [AgentRoute] {
        [
            AgentRoute("GET", AgentRoutes.shifts, on: .background, list),
            AgentRoute("POST", AgentRoutes.shifts, open),
            AgentRoute("GET", AgentRoutes.shifts + "/{id}", on: .background, show),
            AgentRoute("POST", AgentRoutes.shiftCash, move),
            AgentRoute("POST", AgentRoutes.shiftClose, close),
            AgentRoute("POST", AgentRoutes.shiftVerify, verify),
        ]
    }

    private func list(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        try await refusing {
            let list = try await shifts.list(limit: ShiftListCall(query: request.query).limit)
            return AgentResponse(
                ShiftListCall.Response(shifts: list.map { ShiftRecord($0, report: nil) }))
        }
    }

    private func show(_: AgentRequest, _ path: [String]) async throws(TerminalError) -> AgentResponse {
        try await refusing {
            let shift =
                path[0] == ShowShiftCall.current
                ? try await shifts.report() : try await shifts.shift(path[0])
            return document(shift)
        }
    }

    private func open(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        try await refusing {
            let call = try OpenShiftCall(body: request.body)
            let shift = try await shifts.open(float: call.float, by: PersonClaim(call.person))
            revisions.advance()
            printing.openDrawer(for: shifts.report(of: shift, in: printing.language))
            return document(shift)
        }
    }

    private func move(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        try await refusing {
            let call = try MoveCashCall(body: request.body)
            let key = try call.key.map { text throws(RequestRefusal) in
                guard let key = ULID(text) else { throw MoveCashCall.malformedKey(text) }
                return key
            }
            let move = try await shifts.move(
                call.kind, amount: call.amount, reason: call.reason, key: key, isConfirmed: call.isConfirmed,
                by: PersonClaim(call.person))
            printing.openDrawer(for: shifts.slip(of: move, in: printing.language))
            return AgentResponse(MoveCashCall.Response(move))
        }
    }

    private func close(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        try await refusing {
            let call = try CloseShiftCall(body: request.body)
            let shift = try await shifts.close(
                counted: call.counted, others: call.others, isConfirmed: call.isConfirmed,
                by: PersonClaim(call.person))
            revisions.advance()
            printing.print(shift)
            return document(shift)
        }
    }

    private func verify(_ request: AgentRequest, _: [String]) async throws(TerminalError) -> AgentResponse {
        let proof: ShiftProof
        do throws(ShapeError) {
            proof = try ShiftProof(json: request.body ?? .null)
        } catch {
            throw TerminalError(.refused, code: "statement_invalid") { $0.noStatement("\(error)") }
        }
        guard let keys = try? await facts.hubKeys(), !keys.signing.isEmpty else {
            throw TerminalError(.refused, code: "keys_missing") { $0.keysMissing }
        }
        guard let signers = proof.signers(among: keys.signing), let key = signers.last else {
            let unsigned = proof.statements.first { $0.signer(among: keys.signing) == nil } ?? proof.last
            throw TerminalError(.refused, code: "statement_invalid") {
                $0.statementForeign(key: unsigned.keyId)
            }
        }
        return AgentResponse(
            VerifyStatementCall.Response(keyId: key.id, statements: proof.statements))
    }

    private func document(_ shift: Shift) -> AgentResponse {
        AgentResponse(ShiftRecord(shift, report: shifts.text(of: shift)))
    }

    private func refusing(
        _ work: () async throws -> AgentResponse
    ) async throws(TerminalError) -> AgentResponse {
        try await refusing({ (error: ShiftRefusal) in TerminalError(error) }, work)
    }
}

extension ShiftRecord {
    fileprivate init(_ shift: Shift, report: String?) {
        let (opening, closing) = (shift.opening, shift.closing)
        self.init(
            shiftId: opening.shiftId, state: shift.state, currency: opening.currency,
            businessDay: opening.businessDay, openedAt: Timestamp.text(milliseconds: opening.openedAt),
            openedBy: opening.openedBy,
            closedAt: closing.map { Timestamp.text(milliseconds: $0.closedAt) },
            closedBy: closing?.closedBy, float: opening.float,
            expectedCash: shift.isBlind ? nil : shift.expectedCash,
            countedCash: closing?.cash.counted, sums: shift.shownSums, from: shift.from, to: shift.to,
            head: shift.head, statements: shift.statements,
            differences: shift.settlement?.differences.map(\.json) ?? [],
            debts: shift.debts.map(ShiftDebt.init), debtTotal: CardDebt.open(shift.debts), report: report)
        cardDecisions = shift.cardMachine.decisions.map(\.json)
        cardDays = shift.cardMachine.days.map(\.json)
    }
}

extension ShiftDebt {
    fileprivate init(_ debt: CardDebt) {
        self.init(
            orderNumber: debt.orderNumber, amount: debt.amount, reason: debt.reason, id: debt.key,
            isSettled: debt.isSettled)
    }
}

extension MoveCashCall.Response {
    init(_ move: CashMove) {
        self.init(
            moveId: move.moveId, shiftId: move.shiftId, kind: move.kind,
            amount: MoneyAmount(move.amount, move.currency), reason: move.reason ?? "")
    }
}
