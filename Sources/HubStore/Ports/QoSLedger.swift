public import HubProtocol

/// The store of the QoS role: small, and apart from the orders, so that it answers when they do not.
public protocol QoSLedger: Sendable {
    /// What was kept before.
    func load() async throws(LedgerError) -> QoSMemory

    /// Keeps a service's state unless a later generation is kept already, and the change in its history.
    func keep(
        service: String, generation: Int64, state: JSONValue, change: JSONValue
    ) async throws(LedgerError)

    /// The last changes of a service, newest first.
    func history(of service: String, limit: Int) async throws(LedgerError) -> [JSONValue]

    /// Whether a transaction that writes can begin now.
    func checkWritable() async throws(LedgerError)
}

/// What the QoS store remembers over a restart.
public struct QoSMemory: Hashable, Sendable {
    /// The id of this store's life: another one for every new file.
    public let issuer: String
    /// The last generation and state by service.
    public let services: [String: Kept]

    public struct Kept: Hashable, Sendable {
        public let generation: Int64
        public let state: JSONValue

        public init(generation: Int64, state: JSONValue) {
            self.generation = generation
            self.state = state
        }
    }

    public init(issuer: String, services: [String: Kept]) {
        self.issuer = issuer
        self.services = services
    }
}
