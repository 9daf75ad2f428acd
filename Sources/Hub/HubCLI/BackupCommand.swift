internal import ArgumentParser
internal import HubCore
internal import HubProtocol
internal import HubServer

/// `pos-hub backup`: everything of a hub in one file, or one more in a folder of them.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract:
            "Write the store, the keys and the files beside it into one new file, beside a running hub.",
        discussion:
            "A file is its owner's alone (0600) and holds the private keys: keep it where nobody else "
            + "reads it. With --into the file gets a name by its time, is read back, and then older files of "
            + "this command and this hub go as --keep-daily, --keep-weekly and --keep-monthly say; other files "
            + "of the folder stay, and a backup that fails removes nothing. On PostgreSQL the command says what "
            + "to run instead, exit code 4.")

    @OptionGroup var options: StoreOptions

    @Argument(help: "The file; it must not be there yet.")
    var file: String?

    @Option(help: "A folder of backups that rotate, instead of a file.")
    var into: String?

    @Option(help: "With --into: of how many days the newest backup stays, 1 to 3660. Default: 7.")
    var keepDaily: Int?

    @Option(help: "With --into: of how many weeks, from Monday, 0 to 3660. Default: 5.")
    var keepWeekly: Int?

    @Option(help: "With --into: of how many months, 0 to 3660. Default: 12.")
    var keepMonthly: Int?

    func validate() throws {
        guard (file == nil) != (into == nil) else {
            throw ValidationError("backup takes a file, or --into with a folder")
        }
        guard into != nil || [keepDaily, keepWeekly, keepMonthly].allSatisfy({ $0 == nil }) else {
            throw ValidationError("--keep-daily, --keep-weekly and --keep-monthly go with --into")
        }
        guard rotation != nil else {
            throw ValidationError(
                "--keep-daily is from 1, --keep-weekly and --keep-monthly from 0 to "
                    + "\(BackupRotation.range.upperBound)")
        }
    }

    private var rotation: BackupRotation? {
        let standard = BackupRotation.standard
        return BackupRotation(
            daily: keepDaily ?? standard.daily, weekly: keepWeekly ?? standard.weekly,
            monthly: keepMonthly ?? standard.monthly)
    }

    func run() async throws {
        let response: JSONValue
        do {
            let configuration = try options.configuration()
            if let path = configuration.store.missingFile { throw CommandFailure.noStore(at: path) }
            if let into {
                response = try StoreBackup.write(configuration, into: into, rotation: rotation ?? .standard)
            } else {
                response = try StoreBackup.write(configuration, to: file ?? "")
            }
        } catch {
            throw CommandFailure(ofBackup: error)
        }
        try options.show(response) { response in
            let removed = response["removed"]?.array.map { removed in
                "; the folder has \(response["kept"]?.integer ?? 0) backups of this hub, \(removed.count) older "
                    + "ones were removed"
            }
            return
                "\(response["terminals"]?.integer ?? 0) terminals with \(response["entries"]?.integer ?? 0) "
                + "journal entries, decisions and keys in \(response["file"]?.string ?? "")\(removed ?? ""); keep it "
                + "on another machine, where nobody else reads it"
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
        case .otherUser, .noFolder, .unreadableList: self = .unusable("\(error)")
        case .folderBusy, .noRoom: self = .tryAgain("\(error)")
        case nil: self.init(starting: error)
        }
    }
}
