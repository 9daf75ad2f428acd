internal import Credentials
internal import HubProtocol
internal import Retail
internal import TerminalStore

/// Tokens of cards that nobody holds, while the hub's payment service is the simulator.
struct SimulatedCardTokens: CardTokenSource {
    let facts: SQLiteTerminalFacts
    private let isSimulator: @Sendable () -> Bool

    /// - Parameter isSimulator: read with every card, since the hub may change its service.
    init(facts: SQLiteTerminalFacts, isSimulator: @escaping @Sendable () -> Bool) {
        (self.facts, self.isSimulator) = (facts, isSimulator)
    }

    func isReady() async -> Bool {
        guard isSimulator() else { return false }
        return ((try? await facts.hubKeys()) ?? nil)?.sealing.first != nil
    }

    func token(ofPayment key: String, amount: Int64, currency: String) async -> OfflineCardToken? {
        guard isSimulator(), let hubKey = try? await facts.hubKeys()?.sealing.first else { return nil }
        var generator = SystemRandomNumberGenerator()
        let random = (0..<4).map { _ in String(generator.next(), radix: 16) }.joined()
        guard
            let sealed = CardTokenSeal.sealed(
                Array("simulated-token-\(random)".utf8), ofPayment: key, amount: amount, currency: currency,
                to: hubKey.publicKey)
        else { return nil }
        return OfflineCardToken(
            sealed: PaymentDetails.SealedToken(keyId: hubKey.id, token: sealed), isSimulated: true)
    }
}
