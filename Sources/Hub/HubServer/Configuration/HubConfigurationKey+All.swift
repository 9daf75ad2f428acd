import Base
internal import HubCore
internal import HubProtocol

extension HubConfigurationKey {
    /// Every key, in the order of the file. Where a number comes from stands beside its property.
    static let all: [HubConfigurationKey] = process + limits + terminals + retention + decisions + operators

    /// What a process serves, where, and from what.
    private static let process = [
        HubConfigurationKey(
            "listen",
            .text(range: "HOST:PORT", { $0.listen.description }) {
                text, configuration throws(ConfigurationRefusal) in
                guard let address = ListenAddress(text) else {
                    throw ConfigurationRefusal(
                        "listen is HOST:PORT, for example 127.0.0.1:8080, not \"\(text)\"")
                }
                configuration.listen = address
            }, "Where it listens; port 0 picks a free one."),
        HubConfigurationKey(
            "store",
            standard: "`sqlite:` and `$XDG_DATA_HOME/holdfast/hub.sqlite`, without that variable under "
                + "`~/.local/share`",
            .text(range: "`sqlite:PATH`, `postgresql://…`", { $0.store.shown }) {
                text, configuration throws(ConfigurationRefusal) in
                guard let location = StoreLocation(text) else {
                    throw ConfigurationRefusal(
                        "store is sqlite:PATH or postgresql://USER@HOST/DATABASE, not \"\(text)\"")
                }
                configuration.store = location
            }, "Where the orders are."),
        HubConfigurationKey(
            "keys",
            .text(range: "a folder", { $0.keysFolder }) { text, configuration throws(ConfigurationRefusal) in
                guard !text.isEmpty else { throw ConfigurationRefusal("keys is a folder") }
                configuration.keysFolder = text
            },
            "Where the hub's private keys lie (`hub-keys.json`), shared by all processes of one store; "
                + "without "
                + "it beside an SQLite store, or in the database."),
        HubConfigurationKey(
            "roles", standard: "all",
            .document(
                range: "qos, sync, ops",
                { configuration in
                    .array(
                        HubRole.allCases.filter(configuration.roles.contains).map { .string($0.rawValue) })
                }
            ) { value, configuration throws(ConfigurationRefusal) in
                let words = (value.array ?? []).compactMap(\.string)
                configuration.roles = try HubConfiguration.roles(words.joined(separator: ","))
            }, "What this process does."),
        // Both are taken together, once the whole file is read.
        HubConfigurationKey(
            "tls.certificateFile", .text(range: "PEM file", { $0.tls?.certificate }) { _, _ in },
            "https; both or none."),
        HubConfigurationKey(
            "tls.keyFile", .text(range: "PEM file", { $0.tls?.key }) { _, _ in }, "https; both or none."),
        HubConfigurationKey(
            "payments",
            .text(
                range: "none, http, simulator, simulator:approve, simulator:decline, simulator:silent, "
                    + "simulator:unavailable", { $0.payments.text }
            ) { text, configuration throws(ConfigurationRefusal) in
                guard let service = PaymentService(text) else {
                    throw ConfigurationRefusal(
                        "payments is none, http, simulator or simulator:BEHAVIOUR with approve, decline, silent or "
                            + "unavailable, not \"\(text)\"")
                }
                configuration.payments = service
            },
            "Who decides on cards. With `none` every card is refused with the reason, with `http` the gateway "
                + "at `gateway.url` decides. In the simulator no money "
                + "moves: responses have `simulated`, receipts print SIMULATED."),
        HubConfigurationKey(
            "gateway.url",
            .text(range: "https://…, or http://… on loopback", { $0.gatewayURL }) {
                text, configuration throws(ConfigurationRefusal) in
                guard PaymentGatewayAddress.isUsable(text) else {
                    throw ConfigurationRefusal(
                        "gateway.url is an https address, or an http address on loopback, not \"\(text)\"")
                }
                configuration.gatewayURL = text
            },
            "The payment gateway of `payments` `http`, as [its page](payment-gateway.md) describes it."),
        HubConfigurationKey(
            "gateway.tokenFile",
            .text(range: "a file", { $0.gatewayTokenFile }) { text, configuration in
                configuration.gatewayTokenFile = text
            },
            "A file with one line, which the gateway gets as bearer token."),
        HubConfigurationKey(
            "gateway.timeoutSeconds", .seconds(1...120, \.gatewayTimeout),
            "How long the hub waits for the gateway before the outcome is unknown."),
        HubConfigurationKey(
            "tokens.lifetimeSeconds", .seconds(1...34_560_000, \.tokenLifetime),
            "How long a device token is valid."),
        HubConfigurationKey(
            "renewal.hosts",
            .document(
                range: "names of 1–253 bytes, without ports",
                { .array($0.renewalHosts.sorted().map(JSONValue.string)) }
            ) { value, configuration throws(ConfigurationRefusal) in
                guard let hosts = value.array?.compactMap(\.string), hosts.count == value.array?.count,
                    hosts.allSatisfy({ (1...253).contains($0.utf8.count) && !$0.contains("/") })
                else {
                    throw ConfigurationRefusal(
                        "renewal.hosts is a list of host names of 1 to 253 bytes, without ports")
                }
                configuration.renewalHosts = Set(hosts.map { $0.lowercased() })
            },
            "The names by which terminals reach this hub. An enrolment or a renewal that was signed for another name is "
                + "refused, so that whoever answers under one cannot use it here; empty: any name is "
                + "accepted."
        ),
    ]

    private static let limits = [
        HubConfigurationKey(
            "limits.requestsPerMinute", .number(unit: "", 60...10_000_000, \.limits.requestsPerMinute),
            "Calls a minute of one terminal at this process; a minute's worth may come at once. Past it "
                + "`429`. "
                + "A terminal that drains in batches never reaches the default."),
        HubConfigurationKey(
            "limits.bytesPerMinute",
            .number(unit: "bytes", 2_097_152...1_099_511_627_776, \.limits.bytesPerMinute),
            "Bodies of one terminal's requests at this process; a minute's worth may come at once. Past it "
                + "`429`."),
        HubConfigurationKey(
            "limits.memberReadsPerMinute", .number(unit: "", 1...1_000_000, \.limits.memberReadsPerMinute),
            "Look-ups of members a minute by one terminal at this process, by phone or id; a minute's "
                + "worth may "
                + "come at once. Past it `429`; the terminal decides from its own copy."),
        HubConfigurationKey(
            "limits.lookUpsPerDay", .number(unit: "", 1...100_000_000, \.limits.intake.lookUpsPerDay),
            "The same on one day of UTC. Half of it raises the alarm `look_ups_many`. As many sales of a "
                + "terminal count as visits of members."),
        HubConfigurationKey(
            "limits.connectionsPerAddress", .number(unit: "", 10...1_000_000, \.limits.connectionsPerAddress),
            "Connections of one address (of IPv6: its first 64 bits) on which no valid token was shown yet. "
                + "Past it each new one closes the oldest of them; no connection of an enrolled terminal "
                + "counts or is closed by it."),
        HubConfigurationKey(
            "limits.openRequestsPerAddressPerSecond",
            .number(unit: "", 1...100_000, \.limits.openRequestsPerAddressPerSecond),
            "Calls a second of one address to routes that need no token; a second's worth may come at once. "
                + "Past it `429`. Callers on the hub's own machine and from `limits.trustedAddresses` share "
                + "ten times as many."),
        HubConfigurationKey(
            "limits.trustedAddresses",
            .document(
                range: "list of `10.1.2.3`, `10.0.0.0/8`, `2001:db8::/32`",
                { .array($0.limits.trustedAddresses.map { .string($0.description) }) }
            ) { value, configuration throws(ConfigurationRefusal) in
                configuration.limits.trustedAddresses = try addresses(value)
            },
            "Addresses that the two limits above do not count one by one: TLS proxies on other machines, the "
                + "shops' own exits."),
        // A day holds at least the largest batch and the largest attachment, so that nothing waits for good.
        HubConfigurationKey(
            "limits.mutationsPerDay",
            .number(unit: "", 200...1_000_000_000, \.limits.intake.mutationsPerDay),
            "Mutations of one terminal on one day of UTC; past it `429 quota_exceeded`. A month of 2,000 "
                + "sales "
                + "a day is 60,000."),
        HubConfigurationKey(
            "limits.bytesPerDay",
            .number(unit: "bytes", 33_554_432...1_000_000_000_000, \.limits.intake.bytesPerDay),
            "The same in bytes, attachments by their announced size."),
        HubConfigurationKey(
            "limits.attachmentsPerDay", .number(unit: "", 10...1_000_000, \.limits.intake.attachmentsPerDay),
            "Attachments that one terminal announces on one day."),
        HubConfigurationKey(
            "limits.pointsPerMutation",
            .number(unit: "points", 1...MemberRules.deltas.upperBound, \.limits.intake.pointsPerMutation),
            "What one `points.adjusted` adds or takes off; past it `rejected` with `points_limit`. The most that one sale "
                + "moves beyond its store's scheme and its leases; past it none of its points move."),
        HubConfigurationKey(
            "limits.pointsPerDay",
            .number(unit: "points", 1...MemberRules.deltas.upperBound, \.limits.intake.pointsPerDay),
            "The sum of them for one terminal and day; an adjustment past it waits for the next day. Half of it raises "
                + "the alarm `points_unexplained_many`."),
        HubConfigurationKey(
            "limits.pointsAdjustedPerDay",
            .number(unit: "points", 0...MemberRules.deltas.upperBound, \.limits.intake.pointsAdjustedPerDay),
            "The sum of the `points.adjusted` of one terminal and day; one that no day has room for is "
                + "`rejected` with `points_limit`. 0: terminals adjust none. Half of it raises the alarm "
                + "`points_adjusted_many`."),
        HubConfigurationKey(
            "limits.memberChangesPerDay",
            .number(unit: "", 0...1_000_000, \.limits.intake.memberChangesPerDay),
            "Changes of members' profiles by one terminal on one day of UTC; the rest waits for the next "
                + "day. Half of it raises the alarm `member_changes_many`."),
        HubConfigurationKey(
            "limits.newMembersPerDay", .number(unit: "", 0...1_000_000, \.limits.intake.newMembersPerDay),
            "The same of members that it makes; the alarm is `new_members_many`."),
        HubConfigurationKey(
            "limits.plausibleSaleAmount",
            .number(unit: "minor units", 1...(1 << 53 - 1), \.limits.intake.plausibleSaleAmount),
            "A sale of more is accepted and flagged `amount_implausible`."),
    ]

    private static func addresses(_ value: JSONValue) throws(ConfigurationRefusal) -> [AddressRange] {
        guard let items = value.array else {
            throw ConfigurationRefusal("limits.trustedAddresses is a list of addresses")
        }
        var ranges: [AddressRange] = []
        for item in items {
            guard let range = item.string.flatMap({ AddressRange($0) }) else {
                throw ConfigurationRefusal(
                    "limits.trustedAddresses: \(item.canonicalText) is no address; write 10.1.2.3, "
                        + "10.0.0.0/8 "
                        + "or 2001:db8::/32")
            }
            ranges.append(range)
        }
        return ranges
    }

    /// Which terminals may speak, and how long what they announce stays open.
    private static let terminals = [
        HubConfigurationKey(
            "schemas.minimum", .number(unit: "", 0...1_000_000, \.schemas.minimum),
            "Terminals that speak a lower schema get `426`: they continue to sell, keep their outbox and "
                + "stop "
                + "syncing."),
        HubConfigurationKey(
            "schemas.deprecated",
            .document(
                range: "`{\"<schema>\":{\"deprecatedAt\",\"sunsetAt\"}}`, RFC 3339",
                { document(of: $0.schemas.retiring) }
            ) { value, configuration throws(ConfigurationRefusal) in
                configuration.schemas.retiring = try retirements(value)
            },
            "Schemas that get the headers `Deprecation` and `Sunset`; at least twelve months have to be "
                + "between "
                + "the two."),
        HubConfigurationKey(
            "attachments.urlLifetimeSeconds", .seconds(1...86_400, \.uploadLifetime),
            "How long the URL of an upload is valid."),
    ]

    private static func document(of retiring: [Int64: SchemaSupport.Retirement]) -> JSONValue {
        let members = retiring.map { schema, retirement -> (String, JSONValue) in
            (
                String(schema),
                [
                    "deprecatedAt": .string(Timestamp.text(milliseconds: retirement.deprecatedAt)),
                    "sunsetAt": .string(Timestamp.text(milliseconds: retirement.sunsetAt)),
                ]
            )
        }
        return .object(JSONObject(members))
    }

    private static func retirements(
        _ value: JSONValue
    ) throws(ConfigurationRefusal) -> [Int64: SchemaSupport.Retirement] {
        func time(_ value: JSONValue?) -> Int64? { value?.string.flatMap(Timestamp.milliseconds(of:)) }
        var retiring: [Int64: SchemaSupport.Retirement] = [:]
        for (name, dates) in value.object ?? [:] {
            guard let schema = Int64(name), let deprecated = time(dates["deprecatedAt"]),
                let sunset = time(dates["sunsetAt"])
            else {
                throw ConfigurationRefusal(
                    "schemas.deprecated is {\"<schema>\":{\"deprecatedAt\":<RFC 3339>,\"sunsetAt\":…}}")
            }
            let retirement = SchemaSupport.Retirement(deprecatedAt: deprecated, sunsetAt: sunset)
            guard retirement.givesNotice else {
                throw ConfigurationRefusal(
                    "schemas.deprecated: \(name) has to be accepted for at least 12 months")
            }
            retiring[schema] = retirement
        }
        return retiring
    }

    /// How long what is no record of the shop stays.
    private static let retention = RetentionKind.allCases.map { kind in
        HubConfigurationKey(
            kind.configurationKey, .number(unit: "days", kind.rule.range, \.retention[kind]),
            kind.rule.removed + " [What is lost with it](retention.md).")
    }

    private static let decisions = [
        HubConfigurationKey(
            "qos.pollSeconds", .seconds(1...300, \.qos.poll),
            "How often terminals poll QoS; a third of it while a service is not healthy."),
        HubConfigurationKey(
            "qos.probeSeconds", .seconds(1...300, \.qos.probe), "How often a service is probed."),
        HubConfigurationKey(
            "qos.recoverySeconds", .seconds(1...600, \.qos.recovery),
            "How long a service must be good before terminals come back."),
        HubConfigurationKey(
            "qos.capacityPerMinute", .number(unit: "", 60...10_000_000, \.qos.capacityPerMinute),
            "Mutations a minute that the order service can process from all terminals together, until the "
                + "hub "
                + "has measured it."),
        HubConfigurationKey(
            "qos.probes",
            .document(
                range: "`{\"<service>\":\"<URL>\"}`",
                { .object(JSONObject($0.qos.probes.mapValues(JSONValue.string))) }
            ) { value, configuration throws(ConfigurationRefusal) in
                for (service, url) in value.object ?? [:] {
                    guard let url = url.string else { throw ConfigurationRefusal("qos.probes is a text") }
                    configuration.qos.probes[service] = url
                }
            }, "What is probed; for `order` this process's own store by default."),
    ]

    private static let operators = [
        HubConfigurationKey(
            "ops.open", .flag(\.ops.isOpen),
            "`/` and `/metrics` without a login, for whoever reaches the port, also through a proxy on this "
                + "machine."),
        HubConfigurationKey(
            "ops.hosts",
            .document(
                range: "up to 100 names without ports", { .array($0.ops.hosts.map(JSONValue.string)) }
            ) { value, configuration throws(ConfigurationRefusal) in
                let names = (value.array ?? []).compactMap(\.string)
                guard let list = value.array, names.count == list.count, names.count <= 100,
                    names.allSatisfy({
                        (1...253).contains($0.utf8.count) && !$0.contains("/") && !$0.contains(" ")
                    })
                else {
                    throw ConfigurationRefusal(
                        "ops.hosts is a list of up to 100 host names, for example [\"hub.example\"]")
                }
                configuration.ops.hosts = names
            },
            "Names of this hub that operators and collectors use in `Host` besides loopback names; any "
                + "other is "
                + "`421 host_refused`."),
        HubConfigurationKey(
            "ops.secureCookies", .flag(\.ops.hasSecureCookies),
            "Operators reach the hub by TLS alone, through a proxy: their sessions' cookie goes over TLS only. "
                + "Always so where the hub serves TLS itself. A browser that comes by plain http cannot sign "
                + "in then."),
        HubConfigurationKey(
            "allowInsecure", .flag(\.allowsInsecure),
            "Serve plain http beyond loopback: device tokens and PINs can then be read on the network. Also "
                + "`--allow-insecure`."),
        HubConfigurationKey(
            "allowInsecureDatabase", .flag(\.allowsInsecureDatabase),
            "Use a PostgreSQL on another machine without `sslmode=verify-full`: that connection carries the "
                + "hub's keys. Also `--allow-insecure-database`."),
    ]
}
