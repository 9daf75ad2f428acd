package import HubCore

/// The complete configuration of a hub. The file's keys are those of ``HubConfigurationKey``.
package struct HubConfiguration: Hashable, Sendable {
    /// Key `listen`. Default `127.0.0.1:8080`.
    package var listen: ListenAddress
    /// Key `store`.
    package var store: StoreLocation
    /// The folder with the hub's private keys; key `keys`. Default: none, they lie in a file beside an SQLite
    /// store or in the database.
    package var keysFolder: String?
    /// Key `roles`. Default: all.
    package var roles: Set<HubRole>
    /// PEM files; keys `tls.certificateFile` and `tls.keyFile`, both or none. Default: none, plain http.
    package var tls: TLSFiles?
    /// Key `payments`. Default `none`.
    package var payments: PaymentService
    /// Key `gateway.url`. Default: none; `payments` `http` needs it.
    package var gatewayURL: String?
    /// Key `gateway.tokenFile`. Default: none, no token is sent.
    package var gatewayTokenFile: String?
    /// How long the hub waits for the gateway. Key `gateway.timeoutSeconds`, 1 s to 120 s. Default 30 s,
    /// longer than a card machine and its bank take; a terminal waits 60 s for a card. Halved, slow banks
    /// become unknown outcomes; doubled, the terminal gives up first.
    package var gatewayTimeout: Duration
    /// How long a device token holds. Key `tokens.lifetimeSeconds`, 1 s to 400 days. Default 30 days.
    package var tokenLifetime: Duration
    /// The names by which terminals reach this hub, without ports; a renewal that is signed for another one
    /// is refused. Key `renewal.hosts`. Default: none, any name is taken.
    package var renewalHosts: Set<String>
    /// Keys `limits.*`. Default: ``LimitsConfiguration/init()``.
    package var limits: LimitsConfiguration
    /// Which schemas terminals may speak. Keys `schemas.minimum`, 0 to 1,000,000, and `schemas.deprecated`,
    /// `{"<schema>":{"deprecatedAt","sunsetAt"}}` in RFC 3339 with at least twelve months between the two.
    /// Default: what this version was built for.
    package var schemas: SchemaSupport
    /// How long the URL of an attachment's upload holds. Key `attachments.urlLifetimeSeconds`, 1 s to 1 day.
    /// Default 1 hour.
    package var uploadLifetime: Duration
    /// Keys `qos.*`. Default: ``QoSConfiguration/init()``.
    package var qos: QoSConfiguration
    /// Keys `ops.*`. Default: ``OpsConfiguration/init()``, access with a login only.
    package var ops: OpsConfiguration
    /// Keys `retention.*`: for how many days each kind is kept. Default: what ``RetentionKind/rule`` says.
    package var retention: RetentionPeriods
    /// Whether plain http is served beyond loopback. Key `allowInsecure`. Default false: device tokens and
    /// PINs would cross the network readable for everybody on the way.
    package var allowsInsecure: Bool
    /// Whether a database on another machine may be used without a verified certificate. Key
    /// `allowInsecureDatabase`. Default false: the connection carries the hub's keys.
    package var allowsInsecureDatabase: Bool

    /// The defaults, with the orders in `store`.
    package init(store: StoreLocation) {
        listen = ListenAddress.standard
        self.store = store
        keysFolder = nil
        roles = Set(HubRole.allCases)
        tls = nil
        payments = .none
        gatewayURL = nil
        gatewayTokenFile = nil
        gatewayTimeout = .seconds(30)
        tokenLifetime = .seconds(2_592_000)
        renewalHosts = []
        limits = LimitsConfiguration()
        schemas = SchemaSupport()
        uploadLifetime = .seconds(3_600)
        qos = QoSConfiguration()
        ops = OpsConfiguration()
        retention = RetentionPeriods()
        allowsInsecure = false
        allowsInsecureDatabase = false
    }
}

/// The certificate chain and its key.
package struct TLSFiles: Hashable, Sendable {
    /// PEM.
    package let certificate: String
    /// PEM.
    package let key: String

    /// Names two PEM files by their paths; neither is read here.
    package init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}

extension HubConfiguration {
    /// Why a hub must not serve like this; nil when it may.
    package var insecurity: String? {
        guard tls == nil, !listen.isLoopback, !allowsInsecure else { return nil }
        return "plain http on \(listen) would show device tokens and PINs to the whole network; serve TLS "
            + "(--tls-certificate FILE --tls-key FILE), listen on loopback behind a TLS proxy, or accept it "
            + "with --allow-insecure"
    }
}

extension ListenAddress {
    /// `127.0.0.1:8080`.
    static let standard = ListenAddress(host: "127.0.0.1", port: 8080)

    private init(host: String, port: Int) {
        self.host = host
        self.port = port
    }
}

/// What a process of the hub does. One process can have them all.
package enum HubRole: String, Hashable, Sendable, CaseIterable {
    /// Decides which services are well; serves while the others are down.
    case qos
    /// Enrolment, mutations, changes, products and payments, on the order store.
    case sync
    /// The operators' page and the metrics.
    case ops
}

/// The access to the operators' pages, and the names that they are served under.
package struct OpsConfiguration: Hashable, Sendable {
    /// Key `ops.open`: `/` and `/metrics` without a login. Default false. With it, any sender that reaches
    /// the port reads them, also through a proxy on this machine.
    package var isOpen: Bool
    /// Key `ops.hosts`: names of this hub, without ports, that operators and collectors use besides loopback
    /// names. Default: none.
    package var hosts: [String]
    /// Key `ops.secureCookies`: browsers reach the hub by TLS alone although it serves none itself, behind a
    /// proxy. Default false.
    package var hasSecureCookies: Bool

    /// The defaults: access with a login only, by loopback names, by the hub's own TLS or none.
    package init() {
        isOpen = false
        hosts = []
        hasSecureCookies = false
    }

    var hostCheck: HostCheck { HostCheck(names: hosts) }
}

extension HubConfiguration {
    /// Whether operators' browsers reach the hub by TLS: its own, or that of a proxy.
    var hasSecurePages: Bool { tls != nil || ops.hasSecureCookies }
}
