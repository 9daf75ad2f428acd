package import AgentAPI
package import Base
internal import Glibc
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode
internal import Retail

/// What a command of the terminal ends with when it cannot do its work: an exit code and one line that says
/// what happened and what to do next.
package struct TerminalError: Error, Equatable, Sendable {
    /// The exit codes of the command-line contract.
    package enum Kind: Int32, Sendable, CaseIterable {
        /// A business rule refused it.
        case refused = 1
        /// The command was used wrongly.
        case usage = 2
        /// The configuration or the home cannot be used.
        case unusable = 3
        /// The hub said no.
        case hubRefused = 4
        /// It cannot be recorded durably: nothing was sold.
        case notDurable = 5
        /// Temporarily impossible: try again.
        case tryAgain = 75
    }

    /// What the command's exit code is; it decides the status of the agent's response too.
    package let kind: Kind
    /// A stable word for programs, for example `unknown_barcode`.
    package let code: String
    /// One line for people.
    package let message: String
    /// What the error says beside its text.
    package let details: AgentFailure.Details

    /// Makes an error with its message in every language.
    ///
    /// - Parameters:
    ///   - details: without them code and message are enough; their translations are replaced.
    ///   - text: one line for people in a language.
    package init(
        _ kind: Kind, code: String, details: AgentFailure.Details = AgentFailure.Details(),
        text: (Language) -> String
    ) {
        (self.kind, self.code, message) = (kind, code, text(.english))
        var details = details
        for language in Language.allCases where language != .english {
            details.translations[language] = text(language)
        }
        self.details = details
    }

    /// The error of a response, with the translations that it has.
    init(_ kind: Kind, received failure: AgentFailure) {
        (self.kind, code, message, details) = (kind, failure.code, failure.message, failure.details)
    }

    /// As responses and `--json` carry it.
    package var failure: AgentFailure {
        AgentFailure(code: code, message: message, exit: Int64(kind.rawValue), details: details)
    }
}

extension TerminalError {
    /// The business layer's refusal with its exit code.
    init(_ refusal: some Refusal) {
        let kind: Kind =
            switch refusal.exit {
            case .rule: .refused
            case .usage: .usage
            case .home: .unusable
            case .notRecorded: .notDurable
            case .tryAgain: .tryAgain
            }
        var details = AgentFailure.Details(
            waitMilliseconds: refusal.details.waitMilliseconds, action: refusal.details.action,
            article: refusal.details.article, currency: refusal.details.currency,
            cart: refusal.details.cart, returned: refusal.details.returned)
        details.frontEnd = refusal.details.frontEnd
        details.terminalId = refusal.details.terminalId
        details.orderNumber = refusal.details.orderNumber
        details.soldAt = refusal.details.soldAt.map(Timestamp.text(milliseconds:))
        self.init(kind, code: refusal.code, details: details, text: refusal.text)
    }
}

extension TerminalError {
    /// Why the manual switch was not moved.
    init(_ error: ManualSwitchError) {
        switch error {
        case .stopped:
            self.init(.tryAgain, code: "agent_gone") { $0.agentStopping }
        case .refused(.notSaved(let cause)):
            self.init(.notDurable, code: "flag_not_durable") { $0.switchNotMoved(cause.words) }
        case .refused(.tooManyWaiting):
            self.init(.tryAgain, code: "busy") { $0.tooManySwitches }
        }
    }
}

extension ManualFlagError {
    fileprivate var words: String {
        switch self {
        case .notDurable(let path, let call, let code):
            "\(call) of \(path): \(String(cString: strerror(code)))"
        }
    }
}
