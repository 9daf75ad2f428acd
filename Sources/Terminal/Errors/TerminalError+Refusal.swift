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
        self.init(kind, code: refusal.code, refusal.message)
    }
}
