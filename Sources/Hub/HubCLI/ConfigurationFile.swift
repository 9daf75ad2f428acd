internal import Foundation
internal import HubCore
internal import HubProtocol
internal import HubServer

/// The hub's configuration file: JSON with the keys of `config/hub.json`. An unknown key is refused with the
/// nearest known one, a value out of range with its range.
enum ConfigurationFile {
    /// Every key, in the order of the file.
    static let keys = [
        "listen", "store", "keys", "roles", "tls.certificateFile", "tls.keyFile", "payments",
        "tokens.lifetimeSeconds", "renewal.hosts", "limits.requestsPerMinute", "limits.memberReadsPerMinute",
        "limits.connectionsPerAddress", "limits.openRequestsPerAddressPerSecond", "limits.trustedAddresses",
        "limits.mutationsPerDay", "limits.bytesPerDay", "limits.attachmentsPerDay",
        "limits.pointsPerMutation", "limits.pointsPerDay", "limits.plausibleSaleAmount",
        "schemas.minimum", "schemas.deprecated",
        "attachments.urlLifetimeSeconds",
        "qos.pollSeconds", "qos.probeSeconds", "qos.recoverySeconds", "qos.capacityPerMinute", "qos.probes",
        "ops.open", "ops.hosts", "allowInsecure", "allowInsecureDatabase",
    ]

    /// Reads the file at `path` over `configuration`.
    static func read(_ path: String, into configuration: inout HubConfiguration) throws(CommandFailure) {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw .unusable("the configuration \(path) cannot be read")
        }
        let json: JSONValue
        do {
            json = try JSONParser.parse(data)
        } catch {
            throw .unusable("the configuration \(path) is not JSON: \(error)")
        }
        do throws(CommandFailure) {
            try apply(json, into: &configuration)
        } catch {
            throw .unusable("the configuration \(path): \(error.line)")
        }
    }

    private static func apply(
        _ json: JSONValue, into configuration: inout HubConfiguration
    ) throws(CommandFailure) {
        let values = try flattened(json, prefix: "")
        for (key, value) in values where value != .null {
            guard keys.contains(key) else { throw unknown(key) }
            try apply(key, value, into: &configuration)
        }
        switch (values["tls.certificateFile"]?.string, values["tls.keyFile"]?.string) {
        case (nil, nil): break
        case (let certificate?, let key?): configuration.tls = TLSFiles(certificate: certificate, key: key)
        case (nil, _?), (_?, nil): throw .usage("tls.certificateFile and tls.keyFile go together")
        }
    }

    private static func apply(
        _ key: String, _ value: JSONValue, into configuration: inout HubConfiguration
    ) throws(CommandFailure) {
        switch key {
        case "listen", "store", "keys", "payments":
            try configuration.apply(key, try text(key, value))
        case "roles":
            let elements = (value.array ?? []).compactMap(\.string)
            try configuration.apply(key, elements.joined(separator: ","))
        case "tokens.lifetimeSeconds":
            configuration.tokenLifetime = .seconds(try number(key, value, in: 1...34_560_000))
        case "renewal.hosts":
            guard let hosts = value.array?.compactMap(\.string), hosts.count == value.array?.count,
                hosts.allSatisfy({ (1...253).contains($0.utf8.count) && !$0.contains("/") })
            else { throw .usage("renewal.hosts is a list of host names of 1 to 253 bytes, without ports") }
            configuration.renewalHosts = Set(hosts.map { $0.lowercased() })
        case "limits.requestsPerMinute":
            configuration.limits.requestsPerMinute = try number(key, value, in: 60...10_000_000)
        case "limits.memberReadsPerMinute":
            configuration.limits.memberReadsPerMinute = try number(key, value, in: 1...1_000_000)
        case "limits.mutationsPerDay", "limits.bytesPerDay", "limits.attachmentsPerDay",
            "limits.pointsPerMutation", "limits.pointsPerDay", "limits.plausibleSaleAmount":
            try applyLimit(key, value, into: &configuration.limits.intake)
        case "limits.connectionsPerAddress":
            configuration.limits.connectionsPerAddress = try number(key, value, in: 10...1_000_000)
        case "limits.openRequestsPerAddressPerSecond":
            configuration.limits.openRequestsPerAddressPerSecond = try number(key, value, in: 1...100_000)
        case "limits.trustedAddresses": configuration.limits.trustedAddresses = try addresses(key, value)
        case "schemas.minimum": configuration.schemas.minimum = try number(key, value, in: 0...1_000_000)
        case "schemas.deprecated": configuration.schemas.retiring = try retirements(value)
        case "qos.pollSeconds": configuration.qos.poll = .seconds(try number(key, value, in: 1...300))
        case "attachments.urlLifetimeSeconds":
            configuration.uploadLifetime = .seconds(try number(key, value, in: 1...86_400))
        case "qos.probeSeconds": configuration.qos.probe = .seconds(try number(key, value, in: 1...300))
        case "qos.recoverySeconds": configuration.qos.recovery = .seconds(try number(key, value, in: 1...600))
        case "qos.capacityPerMinute":
            configuration.qos.capacityPerMinute = try number(key, value, in: 60...10_000_000)
        case "qos.probes":
            for (service, url) in value.object ?? [:] {
                configuration.qos.probes[service] = try text(key, url)
            }
        case "ops.open": configuration.ops.isOpen = try flag(key, value)
        case "ops.hosts": configuration.ops.hosts = try hosts(key, value)
        case "allowInsecure": configuration.allowsInsecure = try flag(key, value)
        case "allowInsecureDatabase": configuration.allowsInsecureDatabase = try flag(key, value)
        case _: _ = try text(key, value)
        }
    }

    /// A day holds at least the largest batch and the largest attachment, so that nothing waits for good.
    private static func applyLimit(
        _ key: String, _ value: JSONValue, into limits: inout IntakeLimits
    ) throws(CommandFailure) {
        switch key {
        case "limits.mutationsPerDay":
            limits.mutationsPerDay = try number(key, value, in: 200...1_000_000_000)
        case "limits.bytesPerDay":
            limits.bytesPerDay = try number(key, value, in: 33_554_432...1_000_000_000_000)
        case "limits.attachmentsPerDay":
            limits.attachmentsPerDay = try number(key, value, in: 10...1_000_000)
        case "limits.pointsPerMutation":
            limits.pointsPerMutation = try number(key, value, in: 1...MemberRules.deltas.upperBound)
        case "limits.pointsPerDay":
            limits.pointsPerDay = try number(key, value, in: 1...MemberRules.deltas.upperBound)
        case _:
            limits.plausibleSaleAmount = try number(key, value, in: 1...9_007_199_254_740_991)
        }
    }

    private static func addresses(_ key: String, _ value: JSONValue) throws(CommandFailure) -> [AddressRange]
    {
        guard let items = value.array else { throw .usage("\(key) is a list of addresses") }
        var ranges: [AddressRange] = []
        for item in items {
            guard let range = item.string.flatMap({ AddressRange($0) }) else {
                throw .usage(
                    "\(key): \(item.canonicalText) is no address; write 10.1.2.3, 10.0.0.0/8 or 2001:db8::/32"
                )
            }
            ranges.append(range)
        }
        return ranges
    }

    private static func retirements(
        _ value: JSONValue
    ) throws(CommandFailure) -> [Int64: SchemaSupport.Retirement] {
        var retiring: [Int64: SchemaSupport.Retirement] = [:]
        for (name, dates) in value.object ?? [:] {
            guard let schema = Int64(name), let deprecated = time(dates["deprecatedAt"]),
                let sunset = time(dates["sunsetAt"])
            else {
                throw .usage(
                    "schemas.deprecated is {\"<schema>\":{\"deprecatedAt\":<RFC 3339>,\"sunsetAt\":…}}")
            }
            let retirement = SchemaSupport.Retirement(deprecatedAt: deprecated, sunsetAt: sunset)
            guard retirement.givesNotice else {
                throw .usage("schemas.deprecated: \(name) has to be accepted for at least 12 months")
            }
            retiring[schema] = retirement
        }
        return retiring
    }

    private static func time(_ value: JSONValue?) -> Int64? {
        value?.string.flatMap(Timestamp.milliseconds(of:))
    }

    /// Objects whose members' names are not keys.
    private static let maps: Set = ["qos.probes", "schemas.deprecated"]

    /// Members by their dotted path.
    private static func flattened(
        _ json: JSONValue, prefix: String
    ) throws(CommandFailure) -> JSONObject {
        guard let members = json.object else {
            throw .usage("\(prefix.isEmpty ? "the file" : prefix) is an object")
        }
        var values: JSONObject = [:]
        for (name, value) in members {
            let key = prefix.isEmpty ? name : "\(prefix).\(name)"
            if value.object == nil || maps.contains(key) {
                values[key] = value
            } else {
                for (path, inner) in try flattened(value, prefix: key) { values[path] = inner }
            }
        }
        return values
    }

    private static func unknown(_ key: String) -> CommandFailure {
        let nearest = keys.min { EditDistance.between(key, $0) < EditDistance.between(key, $1) } ?? ""
        return .usage("the key \(key) is not known; did you mean \(nearest)?")
    }

    private static func text(_ key: String, _ value: JSONValue) throws(CommandFailure) -> String {
        guard let text = value.string else { throw .usage("\(key) is a text") }
        return text
    }

    private static func flag(_ key: String, _ value: JSONValue) throws(CommandFailure) -> Bool {
        guard let flag = value.bool else { throw .usage("\(key) is true or false") }
        return flag
    }

    private static func hosts(_ key: String, _ value: JSONValue) throws(CommandFailure) -> [String] {
        let names = (value.array ?? []).compactMap(\.string)
        guard let list = value.array, names.count == list.count, names.count <= 100,
            names.allSatisfy({ (1...253).contains($0.utf8.count) && !$0.contains("/") && !$0.contains(" ") })
        else { throw .usage("\(key) is a list of up to 100 host names, for example [\"hub.example\"]") }
        return names
    }

    private static func number(
        _ key: String, _ value: JSONValue, in range: ClosedRange<Int64>
    ) throws(CommandFailure) -> Int64 {
        guard let number = value.integer, range.contains(number) else {
            throw .usage("\(key) is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
