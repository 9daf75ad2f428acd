internal import AgentAPI
internal import HubProtocol
internal import Retail

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
        let details = AgentFailure.Details(
            waitMilliseconds: refusal.details.waitMilliseconds, action: refusal.details.action,
            chineseMessage: refusal.chinese)
        self.init(kind, code: refusal.code, refusal.message, details: details)
    }
}
