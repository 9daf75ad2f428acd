internal import Glibc
internal import OfflineCore
internal import OfflineMode

extension TerminalError {
    /// Why the manual switch was not moved.
    init(_ error: ManualSwitchError) {
        switch error {
        case .stopped:
            self.init(.tryAgain, code: "agent_gone", "the agent is stopping; start it with `pos agent`")
        case .refused(.notSaved(let cause)):
            self.init(
                .notDurable, code: "flag_not_durable",
                "the switch was not moved, it cannot be made durable (\(cause.words)); free space or repair the data folder"
            )
        case .refused(.tooManyWaiting):
            self.init(.tryAgain, code: "busy", "the disk is too slow for so many switches; try again")
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
