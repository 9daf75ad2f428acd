/// How sending to the hub goes, for banner, status and doctor. Derived from the outbox machine alone.
public struct DeliveryState: Hashable, Codable, Sendable {
    /// What keeps rows from the hub although a response may come back.
    public enum Trouble: Hashable, Codable, Sendable {
        /// The hub does not accept this terminal's identity.
        case account
        /// No push gets a result, not even an empty one; `problem` is the last response, for people.
        case route(ConnectivitySnapshot.Reason, problem: String)
        /// Rows get no result, one after the other, while an empty push gets one.
        case entries(ConnectivitySnapshot.Reason, problem: String)
    }

    /// Nil while rows get results.
    public let trouble: Trouble?
    /// How many entries got no result at least twice in a row while other pushes did. Entries that a person
    /// has set aside or edited do not count.
    public let entries: Int

    /// Nothing is wrong by default.
    public init(trouble: Trouble? = nil, entries: Int = 0) {
        self.trouble = trouble
        self.entries = entries
    }

    /// Everything gets its result.
    public static let well = DeliveryState()
}

extension DeliveryState {
    /// Whether no push gets a result.
    var isRouteInTrouble: Bool {
        switch trouble {
        case .route: true
        case .account, .entries, nil: false
        }
    }

    /// Why sales do not get through although the hub responds to other calls; nil while they do.
    var reason: ConnectivitySnapshot.Reason? {
        switch trouble {
        case .route(let reason, _), .entries(let reason, _): reason
        case .account, nil: nil
        }
    }
}
