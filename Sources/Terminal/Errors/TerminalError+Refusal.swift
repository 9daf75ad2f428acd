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
        var details: JSONObject = [:]
        details["waitMs"] = refusal.details.waitMilliseconds.map(JSONValue.integer)
        details["action"] = refusal.details.action.map(JSONValue.string)
        details["messageZh"] = refusal.chinese.map(JSONValue.string)
        self.init(kind, code: refusal.code, refusal.message, details: details)
    }
}
