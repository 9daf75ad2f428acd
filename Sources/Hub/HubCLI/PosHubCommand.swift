public import ArgumentParser

/// `pos-hub`: the hub and the commands that look after it.
public struct PosHubCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "pos-hub", abstract: "The hub that tills sell against.", version: "pos-hub 0.1.0",
        subcommands: [
            ServeCommand.self, ImportCommand.self, WithdrawCommand.self, EraseCommand.self,
            EnrolCodeCommand.self,
            TerminalsCommand.self,
            QoSCommand.self, StoreConfigCommand.self,
            AuditCommand.self, CheckCommand.self, IngestCommand.self, ReceiptCommand.self,
            OperatorCommand.self,
            ConfigCommand.self,
            MigrateCommand.self, AttachmentsCommand.self, KeyCommand.self,
        ])

    public init() {}
}
