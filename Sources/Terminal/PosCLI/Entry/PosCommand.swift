public import ArgumentParser
internal import Agent

/// The root of the command line.
public struct PosCommand: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        commandName: "pos",
        abstract: "The till that keeps selling.",
        version: "pos \(TerminalVersion.current)",
        subcommands: [
            InitCommand.self, AgentCommand.self, SellCommand.self, QuoteCommand.self,
            CartCommand.self, ProductsCommand.self, SignInCommand.self, SignOutCommand.self,
            WhoAmICommand.self, StatusCommand.self, OfflineCommand.self,
            OrdersCommand.self, SyncCommand.self, NoteCommand.self, QoSCommand.self, HistoryCommand.self,
            PrinterCommand.self, ReplayCommand.self, DoctorCommand.self, RepairCommand.self, DemoCommand.self,
        ])

    public init() {}
}
