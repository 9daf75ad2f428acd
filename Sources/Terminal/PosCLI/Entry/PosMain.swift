package import Agent
package import ArgumentParser
package import LinuxRuntime

internal import Foundation
internal import HubProtocol
internal import Glibc

/// Runs a command line and ends the process with the contract's exit code.
package enum PosMain {
    /// Parses the program's arguments, runs the command and exits. For the main thread, before any task was
    /// made.
    ///
    /// - Parameter root: the program's root command.
    package static func run<Root: AsyncParsableCommand>(_ root: Root.Type) -> Never {
        // Before anything else: every user can read what stands there.
        let taken = SecretArguments.take()
        let arguments = taken.arguments
        for option in taken.exposed {
            Output.error(Output.words.secretSeen(option, use: SecretArguments.safeForms[option] ?? "-"))
        }
        // Before anything is made: no file of a terminal is for other users, whoever made its folder.
        umask(0o077)
        // A reader that went away must end in an error of the write, not in the death of the process.
        signal(SIGPIPE, SIG_IGN)
        expectDocument(of: arguments)
        raiseDescriptorLimit()
        let loop: EventLoop
        do throws(TerminalError) {
            loop = try ProgramLoop.get()
        } catch {
            end(with: error)
        }
        // `pool` is the way out where the loop as an executor fails, and the way that other compilers take.
        if getenv("POS_EXECUTOR").map({ String(cString: $0) }) != "pool" { loop.becomeGlobalExecutor() }
        Task.detached { exit(await exitCode(of: arguments, as: root)) }
        while true { loop.run() }
    }

    /// Before anything can fail: with `--json` that is a document too.
    private static func expectDocument(of arguments: [String]) {
        if arguments.prefix(while: { $0 != "--" }).contains("--json") { Output.expectDocument() }
    }

    /// Up to what the system allows: each program that talks to an agent holds a descriptor of its.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_max < leastDescriptors else { return }
        end(
            with: TerminalError(.tryAgain, code: "too_few_descriptors") {
                $0.tooFewDescriptors(UInt(limit.rlim_max), needed: UInt(leastDescriptors))
            })
    }

    /// `EX_IOERR` of sysexits.h.
    private static let outputLost: Int32 = 74

    /// Fewer file descriptors than an agent needs that talks to nobody (some 25) with a few callers.
    private static let leastDescriptors: rlim_t = 32

    /// Runs a command line, writes why it failed where it does, and returns the contract's exit code.
    static func exitCode<Root: AsyncParsableCommand>(
        of arguments: [String], as root: Root.Type
    ) async -> Int32 {
        expectDocument(of: arguments)
        do {
            let parsed = try root.parseAsRoot(arguments)
            if var command = parsed as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = parsed
                try command.run()
            }
            guard !Output.isLost else {
                Output.error(Output.words.outputLost)
                return outputLost
            }
            return 0
        } catch let error as TerminalError {
            return report(error)
        } catch let code as ExitCode {
            return code.rawValue
        } catch {
            return reportParsing(error, of: root, arguments)
        }
    }

    private static func end(with error: TerminalError) -> Never {
        exit(report(error))
    }

    private static func report(_ error: TerminalError) -> Int32 {
        Output.failure(error)
        return error.kind.rawValue
    }

    private static func reportParsing<Root: AsyncParsableCommand>(
        _ error: any Error, of root: Root.Type, _ arguments: [String]
    ) -> Int32 {
        switch root.exitCode(for: error) {
        case .success:
            print(root.fullMessage(for: error))
            return 0
        case .validationFailure: break
        default:
            return report(TerminalError(.unusable, code: "internal_error") { $0.internalError("\(error)") })
        }
        let line = root.message(for: error).split(separator: "\n").joined(separator: " ")
        // The parser repeats the argument that it does not accept.
        guard !CardNumber.isLike(line) else {
            return report(
                TerminalError(.usage, code: "card_number_refused") { $0.cardNumberArgument })
        }
        if let advice = CommandNames(of: root).advice(on: arguments) {
            return report(
                TerminalError(.usage, code: "wrong_usage") {
                    $0.wrongUsage($0.usage(.unknownCommand(advice)))
                })
        }
        return report(
            TerminalError(.usage, code: "wrong_usage") {
                $0.wrongUsageHelp($0.usage(UsageFault(sentence: line)))
            })
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

/// The root of the command line.
package struct PosCommand: AsyncParsableCommand {
    /// The subcommands in the order of `pos --help`.
    package static let configuration = CommandConfiguration(
        commandName: "pos",
        abstract: "The till that keeps selling.",
        version: "pos \(TerminalVersion.current)",
        subcommands: [
            InitCommand.self, AgentCommand.self, SellCommand.self, QuoteCommand.self,
            CartCommand.self, ProductsCommand.self, ShiftCommand.self, SignInCommand.self,
            SignOutCommand.self,
            WhoAmICommand.self, StatusCommand.self, OfflineCommand.self,
            OrdersCommand.self, SyncCommand.self, MemberCommand.self, NoteCommand.self, QoSCommand.self,
            HistoryCommand.self,
            PrinterCommand.self, CardCommand.self, NeighboursCommand.self, ReplayCommand.self,
            DoctorCommand.self,
            MetricsCommand.self,
            RepairCommand.self, DemoCommand.self,
        ])

    package init() {}
}

/// The program's one loop: its main thread runs it, and every task runs on it.
package enum ProgramLoop {
    private static let made = Result { () throws(EventLoopError) in try EventLoop() }

    /// The loop, made by the first call.
    ///
    /// - Throws: kind `tryAgain` when the system had no descriptors left for it.
    package static func get() throws(TerminalError) -> EventLoop {
        do {
            return try made.get()
        } catch {
            throw TerminalError(.tryAgain, code: "no_resources") {
                $0.loopFailed(error.call, error: error.code)
            }
        }
    }
}
