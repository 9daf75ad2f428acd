import Foundation
import Reachability

/// The arguments of the command line.
struct WatchArguments {
    /// Hosts and addresses to watch; the internet in general when there is none.
    var hosts: [String] = []
    /// `--internet`: the addresses that represent the internet, instead of the usual ones.
    var internet: [String] = []
    /// `--for`: how long to watch; nil watches until interrupted.
    var duration: Duration?
    /// `--once`: check once and end.
    var looksOnce = false
    var settings = ReachabilitySettings()

    static let usage = """
        usage: reachability-watch [HOST | URL]... [--internet URL]... [--once | --for SECONDS]
                                  [--debounce SECONDS] [--ca FILE]

        Prints a line for every change of what can be reached, without a target of the internet in general.
          --internet URL      probed for the internet instead of the usual addresses; may be repeated.
                              With hosts it shows whether a host or the network is down.
          --once              check once; ends with 0 when everything is reachable and with 1 otherwise
          --for SECONDS       end after that time
          --debounce SECONDS  how long failures last before a target counts as unreachable (8; 1 to 300)
          --ca FILE           certificates to trust instead of the system's (PEM)
        """

    init(_ arguments: some Sequence<String>) throws(WatchArgumentsError) {
        var arguments = arguments.makeIterator()
        while let argument = arguments.next() {
            switch argument {
            case "--help", "-h": throw .helpWanted
            case "--once": looksOnce = true
            case "--internet": internet.append(try Self.value(of: argument, arguments.next()))
            case "--ca": settings.caFile = try Self.value(of: argument, arguments.next())
            case "--for": duration = try Self.seconds(of: argument, arguments.next())
            case "--debounce": settings.debounce = try Self.seconds(of: argument, arguments.next())
            case _ where argument.hasPrefix("-"): throw .unknownOption(argument)
            case _: hosts.append(argument)
            }
        }
    }

    private static func value(of option: String, _ argument: String?) throws(WatchArgumentsError) -> String {
        guard let argument, !argument.hasPrefix("-") else { throw .valueMissing(option) }
        return argument
    }

    private static func seconds(of option: String, _ argument: String?) throws(WatchArgumentsError)
        -> Duration
    {
        guard let number = Double(try value(of: option, argument)), number > 0, number < 1e9 else {
            throw .noTime(option)
        }
        return .seconds(number)
    }
}

/// Why the command line is refused.
enum WatchArgumentsError: Error, Equatable, CustomStringConvertible {
    case helpWanted
    case unknownOption(String)
    case valueMissing(String)
    case noTime(String)

    var description: String {
        switch self {
        case .helpWanted: "what can be reached, and every change of it"
        case .unknownOption(let option): "no such option: \(option)"
        case .valueMissing(let option): "\(option) needs a value"
        case .noTime(let option): "\(option) needs seconds above 0"
        }
    }
}
