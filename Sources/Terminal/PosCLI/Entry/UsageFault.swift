internal import ArgumentParser
internal import Base
internal import HubProtocol

/// What is wrong with a command line; `PosTexts` has its text in every language.
///
/// The parser gives its own faults as English sentences alone. They are read back here, and a sentence of
/// another form stays as it is.
indirect enum UsageFault: Hashable, Sendable {
    // The parser's own.
    case unknownOption(String, meant: String?)
    case missingValue(of: String)
    case missingArgument(String)
    case unexpected([String])
    case unexpectedValue(String, of: String)
    case noneOf([String], value: String, of: String)
    case invalidValue(String, of: String, reason: UsageFault?)
    case unknownCommand(CommandNames.Advice)
    case other(String)

    // Options that do not go together.
    case excludes(String, [String])
    case needs(String, [String])
    case form(of: String, String, not: String)
    case saleNamedOnce
    case noCondition
    case nothingSoldForIt
    case oneEnrolmentCode
    case ownCart
    case pinsInLines

    // What a sale or a file is written as.
    case noBarcode(String)
    case quantityUnreadable(String)
    case noMethod
    case amountTooLarge(String)
    case amountMalformed(String)
    case noJSON(String)

    /// The fault that a sentence of the parser is about; one of our own is known by its English text.
    init(sentence: String) {
        if let own = Output.usageFault, own.english == sentence {
            self = own
            return
        }
        if let match = sentence.wholeMatch(of: #/Unknown option '(.+?)'(?:\. Did you mean '(.+)'\?)?/#) {
            self = .unknownOption(String(match.1), meant: match.2.map(String.init))
        } else if let match = sentence.wholeMatch(of: #/Missing value for '(.+)'/#) {
            self = .missingValue(of: String(match.1))
        } else if let match = sentence.wholeMatch(of: #/Missing expected argument '(.+)'/#) {
            self = .missingArgument(String(match.1))
        } else if let match = sentence.wholeMatch(
            of: #/(?:Unexpected argument|\d+ unexpected arguments:) '(.+)'/#)
        {
            self = .unexpected(String(match.1).components(between: "', '"))
        } else if let match = sentence.wholeMatch(
            of: #/The option '(.+?)' does not take any value, but '(.*)' was specified\./#)
        {
            self = .unexpectedValue(String(match.2), of: String(match.1))
        } else if let match = sentence.wholeMatch(
            of: #/The value '(.*)' is invalid for '(.+?)'[:.] Please provide one of (.+)\./#)
        {
            let choices = match.3.matches(of: #/'([^']+)'/#).map { String($0.1) }
            self = .noneOf(choices, value: String(match.1), of: String(match.2))
        } else if let match = sentence.wholeMatch(of: #/The value '(.*)' is invalid for '(.+?)'(?:: (.+))?/#)
        {
            self = .invalidValue(
                String(match.1), of: String(match.2), reason: match.3.map { UsageFault(sentence: String($0)) }
            )
        } else {
            self = .other(sentence)
        }
    }
}

extension UsageFault {
    fileprivate var english: String { Language.english.posTexts.usage(self) }
}

extension String {
    fileprivate func components(between separator: String) -> [String] {
        split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }
}

extension ValidationError {
    /// The parser passes texts on and nothing else: what the fault is stays with the command line's output.
    init(_ fault: UsageFault) {
        Output.note(fault)
        self.init(fault.english)
    }
}
