/// What a process of the hub does. One process can have them all.
public enum HubRole: String, Hashable, Sendable, CaseIterable {
    /// Decides which services are well; serves while the others are down.
    case qos
    /// Enrolment, mutations, changes, products and payments, on the order store.
    case sync
    /// The operators' page and the metrics.
    case ops
}
