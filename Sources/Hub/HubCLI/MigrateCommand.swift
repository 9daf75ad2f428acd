internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub migrate`: brings a store up to this version, or moves a hub from SQLite to PostgreSQL.
struct MigrateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Migrate a store to this version, or move it to PostgreSQL.",
        discussion:
            "With --from and --to: stop the hub of the SQLite store first. Tokens, keys and cursors of "
            + "the terminals go on to count; the files stay as they are.")

    @OptionGroup var options: StoreOptions

    @Option(help: "The store to move, sqlite:PATH.")
    var from: String?

    @Option(help: "The empty database to move it into, postgresql://USER@HOST/DATABASE.")
    var to: String?

    func run() throws {
        let response: JSONValue
        do {
            response = try migrated()
        } catch {
            throw CommandFailure(starting: error)
        }
        try options.show(response) { response in
            guard let rows = response["rows"]?.integer else {
                let store = response["store"]?.string ?? ""
                return response["isNew"] == true
                    ? "there was no store at \(store): a new, empty one is made. For a hub that exists name it with "
                        + "--config or --store"
                    : "\(store) is up to date"
            }
            return "\(rows) rows moved to \(response["store"]?.string ?? "")"
        }
    }

    private func migrated() throws -> JSONValue {
        switch (from, to) {
        case (nil, nil):
            let location = try options.configuration().store
            let isNew = try StoreMigration.run(on: location)
            return ["store": .string(location.shown), "isNew": .bool(isNew)]
        case (let from?, let to?):
            guard case .sqlite(let path)? = StoreLocation(from),
                case .postgresql(let url)? = StoreLocation(to)
            else {
                throw CommandFailure.usage("--from is sqlite:PATH and --to postgresql://USER@HOST/DATABASE")
            }
            var progress = ProgressBar(label: "rows")
            let configuration = try options.configuration()
            try options.requireSecure(.postgresql(url: url), of: configuration)
            let keysFolder = configuration.keysFolder
            let rows = try StoreMigration.move(path: path, keysFolder: keysFolder, to: url) {
                progress.show($0)
            }
            progress.finish()
            return [
                "store": .string(StoreLocation.postgresql(url: url).shown), "rows": .integer(Int64(rows)),
            ]
        case (nil, _?), (_?, nil):
            throw CommandFailure.usage("--from and --to go together")
        }
    }
}
