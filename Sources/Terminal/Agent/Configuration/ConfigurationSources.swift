internal import Configuration
internal import Foundation
internal import HubProtocol
internal import Retail
internal import SystemPackage

/// Where a terminal's settings come from; single keys are read here, each with its default, and what does not
/// fit is refused.
///
/// The environment wins over the file, the file over what the store tunes from the hub, that over the
/// default.
struct ConfigurationSources: Sendable {
    private let reader: ConfigReader
    let file: ConfigurationFile
    private let environment: [String: String]
    /// What the store tunes from the hub, by key.
    private var store: JSONObject = [:]

    /// Reads file and environment, once: a later change of either counts from the next start on.
    static func read(
        path: String, environment: [String: String]
    ) async throws(TerminalError) -> ConfigurationSources {
        let file = try ConfigurationFile(path: path)
        do {
            let snapshot = try await FileProvider<JSONSnapshot>(filePath: FilePath(path))
            let variables = EnvironmentVariablesProvider(environmentVariables: environment)
            return ConfigurationSources(
                reader: ConfigReader(providers: [variables.prefixKeys(with: "pos"), snapshot]), file: file,
                environment: environment)
        } catch let error as TerminalError {
            throw error
        } catch {
            throw TerminalError(.unusable, code: "configuration_malformed") {
                $0.configurationMalformed(path, "\(error)")
            }
        }
    }

    private init(reader: ConfigReader, file: ConfigurationFile, environment: [String: String]) {
        self.reader = reader
        self.file = file
        self.environment = environment
    }

    /// The settings of environment, file and defaults alone.
    func configuration() throws(TerminalError) -> TerminalConfiguration { try TerminalConfiguration(self) }

    /// The settings with what the store tunes.
    ///
    /// - Returns: why single values of the store are not followed, in words, beside the settings without
    ///   them.
    func configuration(
        tunedBy settings: StoreSettings
    ) throws(TerminalError) -> (configuration: TerminalConfiguration, refused: [String]) {
        var tuned = self
        var refused: [String] = []
        for (name, value) in settings.values.sorted(by: { $0.key < $1.key }) {
            do throws(TerminalError) {
                try check(name, value)
                tuned.store[name] = value
            } catch {
                refused.append(error.message)
            }
        }
        return (try tuned.configuration(), refused)
    }

    /// Refuses what the hub may not tune, and a value that this terminal would refuse in its own file.
    private func check(_ name: String, _ value: JSONValue) throws(TerminalError) {
        guard let setting = StoreSetting.named(name), !setting.isForHub, !setting.isOfStoreAlone else {
            throw TerminalError(.unusable, code: "configuration_unknown_key") { $0.notTuned(name) }
        }
        try ConfigurationKey.named(name).check(value, source: "storeConfig")
        var alone = self
        alone.store = [name: value]
        _ = try alone.configuration()
    }

    /// Whether environment, file or store give a text key a value.
    func isSet(_ name: String) -> Bool {
        reader.string(forKey: ConfigKey(name)) != nil || store[name] != nil
    }

    func text(_ name: String) throws(TerminalError) -> String? {
        guard case .text(let standard) = ConfigurationKey.named(name).kind else { return nil }
        return reader.string(forKey: ConfigKey(name)) ?? store[name]?.string ?? standard
    }

    func choice(_ name: String) throws(TerminalError) -> String {
        let key = ConfigurationKey.named(name)
        guard case .choice(let words, let standard) = key.kind else { return "" }
        let word = reader.string(forKey: ConfigKey(name)) ?? store[name]?.string ?? standard
        guard words.contains(word) else { throw key.refusal(of: word, source: key.environmentName) }
        return word
    }

    /// A switch that the store turns on, and that file and environment can only turn off.
    func isPermitted(_ name: String) throws(TerminalError) -> Bool {
        try choice(name) == "on" && store[name]?.string == "on"
    }

    func list(_ name: String) throws(TerminalError) -> [String] {
        reader.stringArray(forKey: ConfigKey(name)) ?? []
    }

    /// The words of a list: those that the store lists, nil when it lists none, and those of file or
    /// environment.
    func words(_ name: String) throws(TerminalError) -> (store: Set<String>?, own: Set<String>) {
        let key = ConfigurationKey.named(name)
        guard case .words(let known) = key.kind else { return (nil, []) }
        let own = reader.stringArray(forKey: ConfigKey(name)) ?? []
        if let unknown = own.first(where: { !known.contains($0) }) {
            throw key.refusal(of: unknown, source: key.environmentName)
        }
        return (store[name]?.array.map { Set($0.compactMap(\.string)) }, Set(own))
    }

    /// A limit that file and environment may lower below what the store sets, or the default, and not raise.
    func limit(_ name: String) throws(TerminalError) -> Int {
        guard case .integer(_, let standard, _) = ConfigurationKey.named(name).kind else { return 0 }
        return min(try integer(name), store[name]?.integer.map(Int.init) ?? standard)
    }

    /// A limit without a number as its default: what file or environment set, and what the store set.
    func refundLimit(_ name: String) throws(TerminalError) -> RefundLimitSettings.Limit {
        let key = ConfigurationKey.named(name)
        guard case .limit(_, _, let range) = key.kind else { return RefundLimitSettings.Limit() }
        if let raw = environment[key.environmentName] {
            guard let value = Int(raw), range.contains(value) else {
                throw key.refusal(of: raw, source: key.environmentName)
            }
        }
        return RefundLimitSettings.Limit(
            own: reader.int(forKey: ConfigKey(name)).map(Int64.init), store: store[name]?.integer)
    }

    func flag(_ name: String) throws(TerminalError) -> Bool {
        guard case .boolean(let standard) = ConfigurationKey.named(name).kind else { return false }
        return try decision(name) ?? standard
    }

    /// Nil where nobody decided it.
    func decision(_ name: String) throws(TerminalError) -> Bool? {
        let key = ConfigurationKey.named(name)
        if let value = reader.bool(forKey: ConfigKey(name)) { return value }
        if let raw = environment[key.environmentName] {
            throw key.refusal(of: raw, source: key.environmentName)
        }
        return store[name]?.bool
    }

    func integer(_ name: String) throws(TerminalError) -> Int {
        let key = ConfigurationKey.named(name)
        guard case .integer(_, let standard, let range) = key.kind else { return 0 }
        if let raw = environment[key.environmentName] {
            guard let value = Int(raw), range.contains(value) else {
                throw key.refusal(of: raw, source: key.environmentName)
            }
        }
        return reader.int(forKey: ConfigKey(name)) ?? store[name]?.integer.map(Int.init) ?? standard
    }

    func seconds(_ name: String) throws(TerminalError) -> Duration {
        .seconds(try integer(name))
    }
}
