/// Why nothing was done with a shift.
package enum ShiftRefusal: StorageRefusal {
    /// One is open; a terminal has one drawer.
    case alreadyOpen(shiftId: String)
    case noneOpen
    case unknown(String)
    /// An amount, in minor units, is outside of its range.
    case amountInvalid(field: String, range: ClosedRange<Int64>)
    /// What was counted is of a tender that the shift cannot have, or is named twice.
    case unknownTender(String, known: [String])
    /// A movement of cash has no amount or no reason.
    case amountMissing
    case reasonMissing
    case textTooLong(field: String, limit: Int)
    /// The catalogue has no article, so the currency is not known.
    case currencyUnknown
    /// Carts that are not sold have so much of their customers, which is no cash of the shift.
    case cartHasMoney(String, cart: String)
    /// What was counted differs by more than is tolerated; nil: the store counts blind.
    case countDiffers(by: String?)
    /// More would be taken out than the drawer should have; nil: the store counts blind.
    case drawerShort(has: String?)
    case authority(AuthorityRefusal)
    case diskFull(path: String)
    case notRecorded(detail: String)
    case notEnrolled

    /// For example `shift_not_open`.
    package var code: String {
        switch self {
        case .alreadyOpen: "shift_open_already"
        case .noneOpen: "shift_not_open"
        case .unknown: "unknown_shift"
        case .amountInvalid: "amount_invalid"
        case .unknownTender: "unknown_payment_method"
        case .amountMissing: "amount_missing"
        case .reasonMissing: "reason_missing"
        case .textTooLong: "text_too_long"
        case .currencyUnknown: "currency_unknown"
        case .cartHasMoney: "cart_has_money"
        case .countDiffers: "count_differs"
        case .drawerShort: "drawer_short"
        case .authority(let refusal): refusal.code
        case .diskFull: "disk_full"
        case .notRecorded: "not_recorded"
        case .notEnrolled: "not_enrolled"
        }
    }

    package func text(from texts: any RefusalTexts) -> String { texts.text(self) }

    /// ``RefusalExit/rule`` unless the request, the disk, the enrolment or ``authority(_:)`` gives another
    /// one.
    package var exit: RefusalExit {
        switch self {
        case .alreadyOpen, .noneOpen, .unknown, .currencyUnknown, .cartHasMoney, .countDiffers, .drawerShort:
            .rule
        case .amountInvalid, .unknownTender, .amountMissing, .reasonMissing, .textTooLong: .usage
        case .authority(let refusal): refusal.exit
        case .diskFull, .notRecorded: .notRecorded
        case .notEnrolled: .home
        }
    }

    /// Those of ``authority(_:)``; else empty.
    package var details: RefusalDetails {
        if case .authority(let refusal) = self { return refusal.details }
        if case .cartHasMoney(_, let cart) = self { return RefusalDetails(cart: cart) }
        return RefusalDetails()
    }
}
