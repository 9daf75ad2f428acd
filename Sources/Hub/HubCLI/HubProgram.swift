package import ArgumentParser
internal import Foundation
internal import HubProtocol

/// Runs the program: parses its arguments, does the command, ends with its exit code.
package enum HubProgram {
    /// Reads the process's arguments and returns on success; any failure ends the process with its exit code.
    package static func main() async {
        let code = await exitCode(of: Array(CommandLine.arguments.dropFirst()))
        if code != 0 { exit(code) }
    }

    /// Runs a command line, writes why it failed where it does, and returns the contract's exit code.
    static func exitCode(of arguments: [String]) async -> Int32 {
        if arguments.prefix(while: { $0 != "--" }).contains("--json") { Output.expectDocument() }
        do {
            var command = try PosHubCommand.parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            return report(failure)
        } catch {
            switch PosHubCommand.exitCode(for: error) {
            case .success: Output.line(PosHubCommand.fullMessage(for: error))
            case .validationFailure:
                if let advice = CommandNames(of: PosHubCommand.self).advice(on: arguments) {
                    return report(.usage(advice.text))
                }
                let line = PosHubCommand.message(for: error).split(separator: "\n").joined(separator: " ")
                return report(.usage("\(line); see `pos-hub --help` and `pos-hub COMMAND --help`"))
            case _: return report(CommandFailure(starting: error))
            }
        }
        return 0
    }

    private static func report(_ failure: CommandFailure) -> Int32 {
        Output.failure(failure)
        return failure.code.rawValue
    }
}

extension CommandNames {
    /// Those of a command and of all below it.
    init(of command: any ParsableCommand.Type) {
        let configuration = command.configuration
        self.init(
            command._commandName, configuration.subcommands.map { CommandNames(of: $0) },
            takesOtherWords: configuration.defaultSubcommand != nil)
    }
}

/// What this build calls itself.
enum HubVersion {
    /// Three numbers, as `pos-hub --version` shows them.
    static let current = "0.1.0"
}

/// `pos-hub`: the hub and the commands that look after it.
package struct PosHubCommand: AsyncParsableCommand {
    /// Name, version and commands of `pos-hub`, as `--help` and `docs/reference/commands.md` list them.
    package static let configuration = CommandConfiguration(
        commandName: "pos-hub",
        abstract: "The hub: collects sales, publishes master data, decides on services.",
        version: "pos-hub \(HubVersion.current)",
        subcommands: [
            ServeCommand.self, ImportCommand.self, WithdrawCommand.self, EraseCommand.self,
            MembersCommand.self,
            EnrolCodeCommand.self,
            TerminalsCommand.self,
            QoSCommand.self, StoreConfigCommand.self,
            JournalCommand.self, WebhookCommand.self, ArchiveCommand.self, OrdersCommand.self,
            SalesCommand.self,
            AlarmsCommand.self, FlagsCommand.self,
            RefusedCommand.self,
            LeasesCommand.self, DebtsCommand.self,
            ShiftsCommand.self, StatementCommand.self,
            RebuildCommand.self, AuditCommand.self, CheckCommand.self, IngestCommand.self,
            ReceiptCommand.self,
            OperatorCommand.self,
            ConfigCommand.self, BackupCommand.self, RestoreCommand.self, DoctorCommand.self,
            MigrateCommand.self, AttachmentsCommand.self, KeyCommand.self,
        ])

    /// A command without arguments, as the parser makes it before it reads them.
    package init() {}
}
