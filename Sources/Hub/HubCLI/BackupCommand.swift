internal import ArgumentParser
internal import HubProtocol
internal import HubServer

/// `pos-hub backup`: everything of a hub in one file.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract:
            "Write the store, the keys and the files beside it into one new file, beside a running hub.",
        discussion:
            "The file is its owner's alone (0600) and holds the private keys: keep it where nobody else "
            + "reads it. On PostgreSQL the command says what to run instead, exit code 4.")

    @OptionGroup var options: StoreOptions

    @Argument(help: "The file; it must not be there yet.")
    var file: String

    func run() async throws {
        let response: JSONValue
        do {
            response = try StoreBackup.write(options.configuration(), to: file)
        } catch {
            throw CommandFailure(ofBackup: error)
        }
        try options.show(response) { response in
            "\(response["terminals"]?.integer ?? 0) terminals with \(response["entries"]?.integer ?? 0) "
                + "journal entries, decisions and keys in \(file); keep it on another machine, where nobody "
                + "else reads it"
        }
    }
}

/// `pos-hub restore`: a hub from such a file.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Make an empty store the hub that a backup holds.",
        discussion:
            "The hub must not run. Keys and the list of revoked terminals that are there are joined with "
            + "those of the backup. Run it as the hub's user.")

    @OptionGroup var options: StoreOptions

    @Argument(help: "What `pos-hub backup` wrote.")
    var file: String

    func run() async throws {
        let response: JSONValue
        do {
            response = try await StoreBackup.restore(file, to: options.configuration())
        } catch {
            throw CommandFailure(ofBackup: error)
        }
        try options.show(response) { response in
            let steps = (response["next"]?.array ?? []).compactMap(\.string).enumerated().map {
                "  \($0.offset + 1). \($0.element)"
            }
            return
                ([
                    "\(response["terminals"]?.integer ?? 0) terminals with "
                        + "\(response["entries"]?.integer ?? 0) journal entries of "
                        + "\(response["madeAt"]?.string ?? "an unknown time") are in "
                        + "\(response["store"]?.string ?? ""). Next:"
                ] + steps).joined(separator: "\n")
        }
    }
}

extension CommandFailure {
    /// Why nothing was backed up or restored: the command refuses what a person has to decide.
    fileprivate init(ofBackup error: any Error) {
        switch error as? StoreBackupError {
        case .notEmpty, .ofDatabase, .foreignKeys: self = .refused("\(error)")
        case .otherUser: self = .unusable("\(error)")
        case nil: self.init(starting: error)
        }
    }
}
