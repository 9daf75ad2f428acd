import HubProtocol

/// The mutations of shifts. They came after the first release: one that cannot be read is flagged and never a
/// reason to reject.
enum ShiftEntry {
    /// Of a shift's mutations. One without the id of its shift or move is of the time before the contract
    /// gave them a form.
    static func flags(of mutation: Mutation) -> Set<IntakeFlag> {
        let payload = mutation.payload
        guard ShiftOpening.isIdentified(payload) else { return [] }
        do throws(ShapeError) {
            switch mutation.type {
            case ShiftOpening.type: _ = try ShiftOpening(json: payload)
            case ShiftClosing.type: _ = try ShiftClosing(json: payload)
            case _: _ = try CashMove(json: payload)
            }
            return []
        } catch {
            return [.detailsUnreadable]
        }
    }

    /// What a shift's mutation keeps; nothing of one that cannot be read or was written before shifts had
    /// ids.
    static func effects(of mutation: Mutation) -> [IntakeEffect] {
        switch mutation.type {
        case ShiftOpening.type:
            (try? ShiftOpening(json: mutation.payload)).map { [.openShift($0)] } ?? []
        case ShiftClosing.type:
            (try? ShiftClosing(json: mutation.payload)).map { [.closeShift($0)] } ?? []
        case _: []
        }
    }
}

/// The mutations about a terminal's own card machine. The hub moves no money for them: they are findings for
/// whoever compares the machine's paper with the sales.
enum CardMachineEntry {
    static func flags(ofDecision payload: JSONValue) -> Set<IntakeFlag> {
        (try? CardDecision(json: payload)) == nil ? [.cardDecided, .detailsUnreadable] : [.cardDecided]
    }

    static func flags(ofClosing payload: JSONValue) -> Set<IntakeFlag> {
        guard let closing = try? CardDayClosing(json: payload) else { return [.detailsUnreadable] }
        return closing.isDifferent ? [.cardDayDiffers] : []
    }
}
