internal import ArgumentParser
internal import Foundation
internal import HubProtocol

/// Runs the program: parses its arguments, does the command, ends with its exit code.
public enum HubProgram {
    public static func main() async {
        do {
            var command = try PosHubCommand.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch let failure as CommandFailure {
            FileHandle.standardError.write(Data("pos-hub: \(failure.line.printable)\n".utf8))
            exit(failure.code.rawValue)
        } catch {
            let code = PosHubCommand.exitCode(for: error).rawValue
            let words = PosHubCommand.fullMessage(for: error)
            if code == 0 {
                print(words)
            } else {
                FileHandle.standardError.write(Data((words + "\n").utf8))
            }
            // The library ends with 64 for wrong usage; the contract says 2.
            exit(code == 0 ? 0 : CommandFailure.Code.wrongUsage.rawValue)
        }
    }
}
