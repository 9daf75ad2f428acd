/// Who a caller is, in relation to the record that it reads or changes.
///
/// A terminal has one of three roles, by whose the record is; an operator has the role of its session or
/// token.
package enum CallerRole: String, Hashable, Sendable, CaseIterable {
    /// Any sender that reaches the hub's port, without a credential.
    case anybody
    /// The terminal that the record belongs to.
    case ownTerminal = "own terminal"
    /// Another terminal of the store that the record belongs to.
    case storeTerminal = "terminal of the store"
    case chainTerminal = "terminal of another store"
    /// An operator who reads.
    case viewer
    /// An operator who also acknowledges, resolves, and overrides for one store.
    case `operator`
    /// An operator who may do what operators can.
    case manager
    /// A program of the back office.
    case integrator
    /// The owner of the hub's machine, on its local socket (mode 0600).
    case localSocket = "local socket"

    /// The role of a terminal towards a record of one store.
    package static func role(of device: DeviceIdentity, towardsStore storeId: String) -> CallerRole {
        device.storeId == storeId ? .storeTerminal : .chainTerminal
    }
}
