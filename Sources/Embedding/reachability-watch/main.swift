import Foundation
import Reachability

// Prints each change of the monitors on one line; see `reachability-watch --help`.
do throws(WatchArgumentsError) {
    let arguments = try WatchArguments(CommandLine.arguments.dropFirst())
    exit(await Watch(arguments).run())
} catch {
    FileHandle.standardError.write(Data("reachability-watch: \(error)\n\n\(WatchArguments.usage)\n".utf8))
    exit(error == .helpWanted ? 0 : 64)
}
