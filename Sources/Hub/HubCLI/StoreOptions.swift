internal import ArgumentParser
internal import Foundation
internal import HubProtocol
internal import HubServer

/// The options that every command takes.
struct StoreOptions: ParsableArguments {
    @Option(
        help:
            "Configuration file (JSON). Default: /etc/holdfast/hub.json where it exists and --store is not given; `pos-hub config` shows every key."
    )
    var config: String?

    @Option(
        help:
            "sqlite:PATH or postgresql://USER@HOST/DATABASE. Default: sqlite:~/.local/share/holdfast/hub.sqlite."
    )
    var store: String?

    @Option(
        help: "Folder with the hub's private keys, shared by all processes of one store. Default: beside it.")
    var keys: String?

    @Flag(help: "Use a database on another machine without verifying its certificate.")
    var allowInsecureDatabase = false

    @Flag(help: "Print one JSON object and nothing else on standard output.")
    var json = false

    /// The defaults, the file, then the options.
    ///
    /// - Parameter installed: the file of the package. A command beside the installed hub has to work on that
    ///   hub; one that names a store is about another.
    func configuration(
        installed: String = "/etc/holdfast/hub.json"
    ) throws(CommandFailure) -> HubConfiguration {
        var configuration = HubConfiguration(store: .sqlite(path: Self.defaultPath))
        let isInstalled = store == nil && FileManager.default.fileExists(atPath: installed)
        if let file = config ?? (isInstalled ? installed : nil) {
            try ConfigurationFile.read(file, into: &configuration)
        }
        try ConfigurationFile.apply([("store", store), ("keys", keys)], to: &configuration)
        if allowInsecureDatabase { configuration.allowsInsecureDatabase = true }
        try requireSecure(configuration.store, of: configuration)
        return configuration
    }

    /// Refuses a database on another machine whose certificate nobody verifies, unless that was accepted.
    func requireSecure(
        _ store: StoreLocation, of configuration: HubConfiguration
    ) throws(CommandFailure) {
        guard !configuration.allowsInsecureDatabase,
            let reason = store.insecurity(in: ProcessInfo.processInfo.environment)
        else { return }
        throw .unusable(reason)
    }

    private static var defaultPath: String {
        let environment = ProcessInfo.processInfo.environment
        // The XDG base directories: an empty variable is none, and a relative path is ignored.
        func folder(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let data = folder("XDG_DATA_HOME") ?? (folder("HOME") ?? "/var/lib") + "/.local/share"
        return data + "/holdfast/hub.sqlite"
    }
}

extension StoreOptions {
    /// Prints a response: as JSON alone with `--json`, otherwise as text.
    func show(_ response: JSONValue, asText summary: (JSONValue) -> String) throws {
        if json { return Output.document(response) }
        Output.line(summary(response).printableLines)
    }

    /// Warns of a store without a terminal, whose id may be misspelt; a new store has none yet. Where the order
    /// store cannot be read, as with the roles apart, nobody knows.
    func warn(ofStore storeId: String) async {
        let page = BackOfficeCall.Page(SalesFilter(storeId: storeId), cursor: nil, limit: 1)
        guard let configuration = try? configuration(),
            let list = try? await HubAccess(configuration: configuration).perform(
                .backOffice(.listTerminals(page))), list["terminals"]?.array?.isEmpty == true
        else { return }
        Output.warning(
            "no terminal of the store \(storeId) is enrolled; `pos-hub terminals list` names the stores")
    }
}
