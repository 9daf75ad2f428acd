package import Base

/// What an operator may do; each is a role of ``AuthorizationTable``.
package enum OperatorRole: String, Hashable, Sendable, CaseIterable {
    /// Reads, `/metrics` included.
    case viewer
    /// Also acknowledges, resolves, overrides for one store and confirms overrides of others.
    case `operator`
    /// Everything that operators can.
    case manager
    /// A program of the back office: reads records and imports master data.
    case integrator

    /// The same role as ``AuthorizationTable`` names it.
    package var caller: CallerRole {
        switch self {
        case .viewer: .viewer
        case .operator: .operator
        case .manager: .manager
        case .integrator: .integrator
        }
    }
}

/// A person, or a program of the back office, that operates the hub. Times are milliseconds since 1970.
package struct OperatorRecord: Hashable, Sendable {
    /// One line of 1 to 64 bytes.
    package let name: String
    /// Decides what ``AuthorizationTable`` allows.
    package let role: OperatorRole
    /// SHA-256 of the token in lower-case hex; the token itself is kept nowhere.
    package let tokenDigest: String
    /// From when on the token is refused; nil: never, as operators of earlier versions have it.
    package let tokenExpiresAt: Int64?
    /// SHA-256 of the code that sets a password once at `/login`, within a day of ``addedAt``; nil
    /// once used.
    package let loginCodeDigest: String?
    /// The password's scrypt hash; nil until one was set.
    @Secret package private(set) var passwordHash: String?
    /// When the operator was added, in milliseconds since 1970.
    package let addedAt: Int64

    /// Makes a record of digests; a new operator has a `loginCodeDigest` and no `passwordHash`. Nothing is
    /// checked here.
    package init(
        name: String, role: OperatorRole, tokenDigest: String, tokenExpiresAt: Int64?,
        loginCodeDigest: String?, passwordHash: String? = nil, addedAt: Int64
    ) {
        self.name = name
        self.role = role
        self.tokenDigest = tokenDigest
        self.tokenExpiresAt = tokenExpiresAt
        self.loginCodeDigest = loginCodeDigest
        self.passwordHash = passwordHash
        self.addedAt = addedAt
    }
}
