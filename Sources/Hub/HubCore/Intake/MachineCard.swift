import HubProtocol

/// What a terminal's own card machine took of a sale without its bank. It counts within the store's limit for
/// cards that were taken offline until the machine's end of day has sent it to its bank.
package struct MachineCard: Hashable, Sendable {
    /// The terminal's key of the charge; of an entry without one the sale's id and the payment's place.
    package let key: String
    /// Minor units, above 0.
    package let amount: Int64

    /// Those of a sale; none with an amount that cannot be one.
    static func all(in order: CompletedOrder) -> [MachineCard] {
        (order.payments ?? []).enumerated().compactMap { place, payment in
            guard let details = payment.details, details.machine != nil, details.isWithoutBank,
                let amount = PaymentRules.amount(of: payment)
            else { return nil }
            let key = details.machine?.key ?? "\(order.orderId).\(place)"
            return MachineCard(key: TextBound.key(key), amount: amount)
        }
    }

    /// Keeps one, once: the terminal, the key, the amount.
    package static let insertion = """
        INSERT INTO machine_cards (terminal_id, key, amount) VALUES ($1, $2, $3)
        ON CONFLICT (terminal_id, key) DO NOTHING
        """

    /// The end of day of a terminal's machine, which is also that of the terminals that it was before.
    package static let closing = """
        DELETE FROM machine_cards WHERE terminal_id = $1 OR terminal_id IN (
            SELECT same.id FROM terminals own JOIN terminals same
            ON same.store_id = own.store_id AND same.device = own.device WHERE own.id = $1)
        """
}
