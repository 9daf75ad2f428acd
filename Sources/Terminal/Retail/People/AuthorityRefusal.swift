package import OfflineCore

/// Why a person may not do what was requested. Nothing was done.
package enum AuthorityRefusal: StorageRefusal {
    /// The store has cashiers, and nobody is signed in or named with a PIN.
    case signInRequired
    /// The store has no cashiers, so no sign-in is possible.
    case noCashiers
    /// A cashier or approver was named without a PIN.
    case pinRequired(personId: String)
    case wrongPIN(cashierId: String)
    /// Too many wrong PINs in a row; `milliseconds` are left to wait.
    case pinLocked(cashierId: String, milliseconds: Int64)
    /// The cashier's role does not allow it, and no approver was named.
    case approvalRequired(ApprovalAction, MissingApprover)
    /// The terminal has nothing to check it by, and the hub did not respond; it counts as no try.
    case pinNotChecked(cashierId: String)
    case textTooLong(field: String, limit: Int)
    /// The counters of wrong PINs, or who is signed in, cannot be kept.
    case diskFull(path: String)
    case notRecorded(detail: String)
    case notEnrolled

    /// What is missing about the approver.
    package enum MissingApprover: Hashable, Sendable {
        case nobody
        /// The cashier themselves was named.
        case samePerson
        /// The person of this id may not approve.
        case noManager(String)
    }

    /// For example `pin_locked`.
    package var code: String {
        switch self {
        case .signInRequired: "sign_in_required"
        case .noCashiers: "no_cashiers"
        case .pinRequired: "pin_required"
        case .approvalRequired: "approval_required"
        case .wrongPIN: "wrong_pin"
        case .pinLocked: "pin_locked"
        case .pinNotChecked: "pin_not_checked"
        case .textTooLong: "text_too_long"
        case .diskFull: "disk_full"
        case .notRecorded: "not_recorded"
        case .notEnrolled: "not_enrolled"
        }
    }

    package func text(from texts: any RefusalTexts) -> String { texts.text(self) }

    /// ``RefusalExit/tryAgain`` only where the hub alone could check the PIN; ``RefusalExit/rule`` for a
    /// wrong PIN.
    package var exit: RefusalExit {
        switch self {
        case .signInRequired, .noCashiers, .pinRequired, .approvalRequired, .wrongPIN, .pinLocked: .rule
        case .pinNotChecked: .tryAgain
        case .textTooLong: .usage
        case .diskFull, .notRecorded: .notRecorded
        case .notEnrolled: .home
        }
    }

    /// The wait of ``pinLocked(cashierId:milliseconds:)`` or the action of ``approvalRequired(_:_:)``; else
    /// empty.
    package var details: RefusalDetails {
        switch self {
        case .pinLocked(_, let milliseconds): RefusalDetails(waitMilliseconds: milliseconds)
        case .approvalRequired(let action, _): RefusalDetails(action: action.rawValue)
        case .signInRequired, .noCashiers, .pinRequired, .wrongPIN, .pinNotChecked, .textTooLong, .diskFull,
            .notRecorded, .notEnrolled:
            RefusalDetails()
        }
    }
}
