internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub store-config`: what the tills of a store take from the hub, T1 first of all.
struct StoreConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store-config", abstract: "Set configuration values for all terminals of a store.",
        subcommands: [Show.self, Set.self, Clear.self])

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the values that are set.")

        @OptionGroup var options: StoreOptions

        @Option(name: .customLong("store-id"), help: "The store.")
        var storeId: String

        func run() async throws {
            try await StoreConfigCommand.perform(.storeSettings(storeId: storeId), options)
        }
    }

    struct Set: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set values by the keys of the terminal's configuration; all or none.")

        @OptionGroup var options: StoreOptions

        @Option(name: .customLong("store-id"), help: "The store.")
        var storeId: String

        @Argument(help: "KEY=VALUE, for example network.debounceSeconds=10.")
        var settings: [String]

        func run() async throws {
            var changes: JSONObject = [:]
            for setting in settings {
                let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else {
                    throw CommandFailure.usage("\(setting): write KEY=VALUE")
                }
                let (key, text) = (String(parts[0]), String(parts[1]))
                changes[key] = StoreSetting.named(key)?.value(of: text) ?? .string(text)
            }
            await options.warn(ofStore: storeId)
            try await StoreConfigCommand.perform(
                .changeStoreSettings(storeId: storeId, changes), options)
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove values; the terminals use their own configuration again.")

        @OptionGroup var options: StoreOptions

        @Option(name: .customLong("store-id"), help: "The store.")
        var storeId: String

        @Argument(help: "Keys that were set.")
        var keys: [String]

        func run() async throws {
            let changes = JSONObject(keys.map { ($0, JSONValue.null) })
            try await StoreConfigCommand.perform(
                .changeStoreSettings(storeId: storeId, changes), options)
        }
    }

    private static func perform(_ call: AdminCall, _ options: StoreOptions) async throws {
        let response = try await options.perform(call)
        try options.show(response) { response in
            let values = StoreSettings(json: response["settings"] ?? .null).values
            guard !values.isEmpty else { return "nothing is tuned; the tills use their own configuration" }
            return values.sorted { $0.key < $1.key }
                .map { "\($0.key) = \($0.value.canonicalText)" }.joined(separator: "\n")
        }
    }
}
