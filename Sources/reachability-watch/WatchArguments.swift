import Foundation
import Reachability

/// What was asked for on the command line.
struct WatchArguments {
    /// Hosts and addresses to watch; the internet in general when there is none.
    var hosts: [String] = []
    /// `--internet`: what stands for the internet, instead of the usual addresses.
    var internet: [String] = []
    /// `--for`: how long to watch; nil watches until interrupted.
    var duration: Duration?
    /// `--once`: look once and end.
    var looksOnce = false
    var settings = ReachabilitySettings()

    static let usage = """
        usage: reachability-watch [HOST | URL]... [--internet URL]... [--once | --for SECONDS]
                                  [--debounce SECONDS] [--ca FILE]

        Prints a line for every change of what can be reached, without a target of the internet in general.
          --internet URL      asked for the internet instead of the usual addresses; may be repeated.
                              Beside hosts it tells a host that is down from a network that is.
          --once              look once; ends with 0 when everything is reachable and with 1 otherwise
          --for SECONDS       end after that time
          --debounce SECONDS  how long failures last before a target counts as unreachable (8; 1 to 300)
          --ca FILE           certificates to trust instead of the system's (PEM)
        """

    init(_ words: some Sequence<String>) throws(WatchArgumentsError) {
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--help", "-h": throw .helpWanted
            case "--once": looksOnce = true
            case "--internet": internet.append(try Self.value(of: word, words.next()))
            case "--ca": settings.caFile = try Self.value(of: word, words.next())
            case "--for": duration = try Self.seconds(of: word, words.next())
            case "--debounce": settings.debounce = try Self.seconds(of: word, words.next())
            case _ where word.hasPrefix("-"): throw .unknownOption(word)
            case _: hosts.append(word)
            }
        }
    }

    private static func value(of option: String, _ word: String?) throws(WatchArgumentsError) -> String {
        guard let word, !word.hasPrefix("-") else { throw .valueMissing(option) }
        return word
    }

    private static func seconds(of option: String, _ word: String?) throws(WatchArgumentsError) -> Duration {
        guard let number = Double(try value(of: option, word)), number > 0, number < 1e9 else {
            throw .noTime(option)
        }
        return .seconds(number)
    }
}

/// Why the command line cannot be followed.
enum WatchArgumentsError: Error, Equatable, CustomStringConvertible {
    case helpWanted
    case unknownOption(String)
    case valueMissing(String)
    case noTime(String)

    var description: String {
        switch self {
        case .helpWanted: "what can be reached, and every change of it"
        case .unknownOption(let option): "no such option: \(option)"
        case .valueMissing(let option): "\(option) wants a value"
        case .noTime(let option): "\(option) wants seconds above 0"
        }
    }
}
