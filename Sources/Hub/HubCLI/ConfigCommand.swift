import Base

internal import ArgumentParser
internal import HubCore
internal import HubProtocol
internal import HubServer

/// `pos-hub config`: the settings that a hub with these options would have.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Show every setting with its value, without starting the hub.")

    @OptionGroup var options: StoreOptions

    func run() throws {
        Output.document(try options.configuration().json)
    }
}
