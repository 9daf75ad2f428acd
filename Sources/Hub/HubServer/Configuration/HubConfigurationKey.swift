package import HubProtocol

/// One key of the hub's configuration: what it means, its unit, its range and where its value goes.
///
/// The reader of files, `pos-hub config`, the refusals and the reference of the keys are all made from this
/// table. A value out of range is refused, never clamped.
package struct HubConfigurationKey: Sendable {
    typealias Target<Value> = any WritableKeyPath<HubConfiguration, Value> & Sendable

    enum Kind: Sendable {
        /// A whole number; `unit` empty: a count.
        case number(unit: String, ClosedRange<Int64>, Target<Int64>)
        case seconds(ClosedRange<Int64>, Target<Duration>)
        case flag(Target<Bool>)
        /// A text, which options of the command line set too.
        case text(
            range: String, @Sendable (HubConfiguration) -> String?,
            @Sendable (String, inout HubConfiguration) throws(ConfigurationRefusal) -> Void)
        /// A list or an object.
        case document(
            range: String, @Sendable (HubConfiguration) -> JSONValue,
            @Sendable (JSONValue, inout HubConfiguration) throws(ConfigurationRefusal) -> Void)
    }

    /// The path in the file, for example `qos.pollSeconds`.
    package let name: String
    /// The default, where the reference words it in another way than the file.
    let standard: String?
    let kind: Kind
    /// What it does and what to beware of.
    let meaning: String

    init(_ name: String, standard: String? = nil, _ kind: Kind, _ meaning: String) {
        self.name = name
        self.standard = standard
        self.kind = kind
        self.meaning = meaning
    }

    /// The value that a configuration has, as its file writes it.
    func value(in configuration: HubConfiguration) -> JSONValue {
        switch kind {
        case .number(_, _, let target): .integer(configuration[keyPath: target])
        case .seconds(_, let target): .integer(configuration[keyPath: target].components.seconds)
        case .flag(let target): .bool(configuration[keyPath: target])
        case .text(_, let show, _): JSONValue(show(configuration))
        case .document(_, let show, _): show(configuration)
        }
    }

    /// Takes a value of the file.
    func read(_ value: JSONValue, into configuration: inout HubConfiguration) throws(ConfigurationRefusal) {
        switch kind {
        case .number(_, let range, let target):
            configuration[keyPath: target] = try number(value, in: range)
        case .seconds(let range, let target):
            configuration[keyPath: target] = .seconds(try number(value, in: range))
        case .flag(let target):
            guard let flag = value.bool else { throw ConfigurationRefusal("\(name) is true or false") }
            configuration[keyPath: target] = flag
        case .text(_, _, let read):
            guard let text = value.string else { throw ConfigurationRefusal("\(name) is a text") }
            try read(text, &configuration)
        case .document(_, _, let read): try read(value, &configuration)
        }
    }

    private func number(
        _ value: JSONValue, in range: ClosedRange<Int64>
    ) throws(ConfigurationRefusal) -> Int64 {
        guard let number = value.integer, range.contains(number) else {
            throw ConfigurationRefusal(
                "\(name) is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func rangeText() -> String {
        func text(_ range: ClosedRange<Int64>, _ unit: String) -> String {
            "\(range.lowerBound)–\(range.upperBound)" + (unit.isEmpty ? "" : " \(unit)")
        }
        return switch kind {
        case .number(let unit, let range, _): text(range, unit)
        case .seconds(let range, _): text(range, "s")
        case .flag: "true, false"
        case .text(let range, _, _), .document(let range, _, _): range
        }
    }

    /// The reference of every key in Markdown, as `docs/reference/configuration.md` holds it.
    package static var referenceTable: String {
        let defaults = HubConfiguration(store: .sqlite(path: ""))
        let rows = all.map { key in
            let value = key.value(in: defaults)
            let standard = key.standard ?? (value == .null ? "none" : value.string ?? value.canonicalText)
            return "| `\(key.name)` | \(standard) | \(key.rangeText()) | \(key.meaning) |"
        }
        return (["| key | default | range | meaning |", "| --- | --- | --- | --- |"] + rows)
            .joined(separator: "\n")
    }

    /// The key called `name`; nil for an unknown one.
    static func named(_ name: String) -> HubConfigurationKey? { all.first { $0.name == name } }
}

/// Why a configuration is not taken: one line for the person who wrote it.
package struct ConfigurationRefusal: Error, Equatable, CustomStringConvertible {
    /// Names the key and what it accepts, such as unit and range, or the nearest known key.
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension HubConfiguration {
    /// Objects whose members' names are not keys.
    private static let maps: Set = ["qos.probes", "schemas.deprecated"]

    /// Reads a file's document over this configuration; `null` leaves a key as it is.
    ///
    /// - Throws: ``ConfigurationRefusal`` for the first unknown key, with the nearest known one, or the first
    ///   value that cannot be used.
    package mutating func read(_ json: JSONValue) throws(ConfigurationRefusal) {
        let values = try Self.flattened(json, prefix: "")
        for (name, value) in values where value != .null {
            guard let key = HubConfigurationKey.named(name) else {
                throw ConfigurationRefusal(
                    "the key \(name) is not known; did you mean \(KnownNames.nearest(to: name, among: HubConfigurationKey.all.map(\.name)) ?? "")?"
                )
            }
            try key.read(value, into: &self)
        }
        switch (values["tls.certificateFile"]?.string, values["tls.keyFile"]?.string) {
        case (nil, nil): break
        case (let certificate?, let key?): tls = TLSFiles(certificate: certificate, key: key)
        case (nil, _?), (_?, nil):
            throw ConfigurationRefusal("tls.certificateFile and tls.keyFile go together")
        }
    }

    /// Sets a key by the text of an option; nil leaves it as it is.
    ///
    /// - Parameter name: `listen`, `store`, `keys`, `roles` or `payments`.
    package mutating func apply(_ name: String, _ text: String?) throws(ConfigurationRefusal) {
        guard let text else { return }
        if name == "roles" { return roles = try Self.roles(text) }
        guard let key = HubConfigurationKey.named(name), case .text(_, _, let read) = key.kind else {
            throw ConfigurationRefusal("there is no key \(name)")
        }
        try read(text, &self)
    }

    /// Adds a probe from `SERVICE=URL`.
    package mutating func applyProbe(_ pair: String) throws(ConfigurationRefusal) {
        let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw ConfigurationRefusal("--probe is SERVICE=URL, not \"\(pair)\"") }
        qos.probes[parts[0]] = parts[1]
    }

    /// The configuration as its file writes it, with every key.
    package var json: JSONValue {
        var root: JSONObject = [:]
        for key in HubConfigurationKey.all {
            let value = key.value(in: self)
            let names = key.name.split(separator: ".").map(String.init)
            guard names.count == 2 else {
                root[key.name] = value
                continue
            }
            var group = root[names[0]]?.object ?? [:]
            group[names[1]] = value
            root[names[0]] = .object(group)
        }
        return .object(root)
    }

    static func roles(_ text: String) throws(ConfigurationRefusal) -> Set<HubRole> {
        var roles: Set<HubRole> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard let role = HubRole(rawValue: String(word)) else {
                throw ConfigurationRefusal(
                    "roles are qos, sync and ops, separated by commas, not \"\(text)\"")
            }
            roles.insert(role)
        }
        return roles
    }

    /// Members by their dotted path.
    private static func flattened(
        _ json: JSONValue, prefix: String
    ) throws(ConfigurationRefusal) -> JSONObject {
        guard let members = json.object else {
            throw ConfigurationRefusal("\(prefix.isEmpty ? "the file" : prefix) is an object")
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
}
