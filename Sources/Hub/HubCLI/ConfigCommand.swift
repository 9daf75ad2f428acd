internal import ArgumentParser
internal import HubCore
internal import HubProtocol
internal import HubServer

/// `pos-hub config`: the settings that a hub with these options would have.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show every setting as it would hold, without starting anything.")

    @OptionGroup var options: StoreOptions

    func run() throws {
        Output.document(try options.configuration().json)
    }
}

extension HubConfiguration {
    /// The configuration as its file writes it.
    fileprivate var json: JSONValue {
        [
            "listen": .string(listen.description), "store": .string(store.shown),
            "keys": JSONValue(keysFolder),
            "roles": .array(HubRole.allCases.filter(roles.contains).map { .string($0.rawValue) }),
            "tls": ["certificateFile": JSONValue(tls?.certificate), "keyFile": JSONValue(tls?.key)],
            "payments": .string(payments.text),
            "tokens": ["lifetimeSeconds": .integer(tokenLifetime.components.seconds)],
            "renewal": ["hosts": .array(renewalHosts.sorted().map(JSONValue.string))],
            "limits": limits.json,
            "schemas": schemas.json,
            "attachments": ["urlLifetimeSeconds": .integer(uploadLifetime.components.seconds)],
            "qos": [
                "pollSeconds": .integer(qos.poll.components.seconds),
                "probeSeconds": .integer(qos.probe.components.seconds),
                "recoverySeconds": .integer(qos.recovery.components.seconds),
                "capacityPerMinute": .integer(qos.capacityPerMinute),
                "probes": .object(JSONObject(qos.probes.mapValues(JSONValue.string))),
            ],
            "ops": ["open": .bool(ops.isOpen), "hosts": .array(ops.hosts.map(JSONValue.string))],
            "allowInsecure": .bool(allowsInsecure), "allowInsecureDatabase": .bool(allowsInsecureDatabase),
        ]
    }
}

extension LimitsConfiguration {
    fileprivate var json: JSONValue {
        [
            "requestsPerMinute": .integer(requestsPerMinute),
            "connectionsPerAddress": .integer(connectionsPerAddress),
            "openRequestsPerAddressPerSecond": .integer(openRequestsPerAddressPerSecond),
            "trustedAddresses": .array(trustedAddresses.map { .string($0.description) }),
            "memberReadsPerMinute": .integer(memberReadsPerMinute),
            "mutationsPerDay": .integer(intake.mutationsPerDay),
            "bytesPerDay": .integer(intake.bytesPerDay),
            "attachmentsPerDay": .integer(intake.attachmentsPerDay),
            "pointsPerMutation": .integer(intake.pointsPerMutation),
            "pointsPerDay": .integer(intake.pointsPerDay),
            "plausibleSaleAmount": .integer(intake.plausibleSaleAmount),
        ]
    }
}

extension SchemaSupport {
    fileprivate var json: JSONValue {
        let deprecated = retiring.map { schema, retirement -> (String, JSONValue) in
            (
                String(schema),
                [
                    "deprecatedAt": .string(Timestamp.text(milliseconds: retirement.deprecatedAt)),
                    "sunsetAt": .string(Timestamp.text(milliseconds: retirement.sunsetAt)),
                ]
            )
        }
        return [
            "minimum": .integer(minimum),
            "deprecated": .object(JSONObject(deprecated)),
        ]
    }
}
