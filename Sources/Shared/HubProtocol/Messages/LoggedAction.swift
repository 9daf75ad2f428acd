/// What the operators' log says that somebody did, by its words.
///
/// Nothing else is logged as done, so that each has a text in every language of the pages. What a role may
/// not do is logged by its row of the table of rights.
package enum LoggedAction: String, Hashable, Sendable, CaseIterable {
    case signIn = "sign-in"
    case signOut = "sign-out"
    case setPassword = "set-password"
    case overrideService = "override-service"
    case confirmOverride = "confirm-override"
    case clearOverride = "clear-override"
    case acknowledgeAlarm = "acknowledge-alarm"
    case resolveRefusal = "resolve-refusal"
    case settleDebt = "settle-debt"
    case releaseLease = "release-lease"
    case rebuild
    case mintCode = "mint-code"
    case mintCodes = "mint-codes"
    case revokeCode = "revoke-code"
    case revokeTerminal = "revoke-terminal"
    case confirmTerminal = "confirm-terminal"
    case linkTerminal = "link-terminal"
    case registerTerminal = "register-terminal"
    case acceptRelayed = "accept-relayed"
    case addOperator = "add-operator"
    case removeOperator = "remove-operator"
    case changeStoreSettings = "change-store-settings"
    /// By a command and over HTTP alike; the subject is the kind.
    case importFile = "import"
    case withdraw
    case eraseMember = "erase-member"
    case mergeMembers = "merge-members"
    case revertMembers = "revert-members"
    case releaseHeldPoints = "release-held-points"
    case rotateKeys = "rotate-keys"
    case exportKeys = "export-keys"
    case importKeys = "import-keys"
    case replaceLostKeys = "replace-lost-keys"
    case addWebhook = "add-webhook"
    case removeWebhook = "remove-webhook"
    case rotateWebhook = "rotate-webhook"
    case skipWebhook = "skip-webhook"
    case archive
}
