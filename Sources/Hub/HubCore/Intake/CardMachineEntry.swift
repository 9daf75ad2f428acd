import HubProtocol

/// The mutations about a terminal's own card machine. The hub moves no money for them: they are findings for
/// whoever compares the machine's paper with the sales.
enum CardMachineEntry {
    static func flags(ofDecision payload: JSONValue) -> Set<IntakeFlag> {
        (try? CardDecision(json: payload)) == nil ? [.cardDecided, .detailsUnreadable] : [.cardDecided]
    }

    static func flags(ofClosing payload: JSONValue) -> Set<IntakeFlag> {
        guard let closing = try? CardDayClosing(json: payload) else { return [.detailsUnreadable] }
        return closing.machine == nil || closing.difference == 0 ? [] : [.cardDayDiffers]
    }
}
