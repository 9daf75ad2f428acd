/// What exactly the request of a person is refused for, so that a page can say it in the person's language.
///
/// It does not travel: a program decides by ``Problem/code`` and shows ``Problem/detail``.
package enum ProblemReason: Hashable, Sendable {
    /// What a person looks for by an id.
    package enum Subject: Hashable, Sendable {
        case terminal, store, order, shift, alarm, debt, refusal
    }

    /// A parameter that the page does not have; `meant` is the known one that it was mistyped from.
    case unknownParameter(String, meant: String?, known: [String])
    /// A parameter or field without one of the values that it may have.
    case unknownValue(String, known: [String])
    /// A parameter or field that should be a whole number.
    case noNumber(String)
    /// A parameter that stands twice in one query.
    case repeated(String)
    /// A text that is no day.
    case noDay(String)
    /// The place in a list that the page should begin behind is none of it.
    case foreignCursor
    /// A note or reason that is empty, too long or has several lines.
    case noLine
    /// There is nothing of this kind under this id.
    case unknown(Subject, id: String)
    /// Somebody settled the debt before.
    case debtSettled
    /// Somebody decided on the refused mutation before.
    case refusalResolved
    /// The override is not the one any more that the page showed; who made the one of now, nil without one.
    case overrideChanged(by: String?)
    /// Somebody acknowledged the alarm before, or it was raised again since the page was made (nil).
    case alarmChanged(by: String?)
    /// What waited for a second operator was confirmed or taken back, or is over.
    case proposalGone
    /// Who proposed an override confirms it.
    case ownProposal
    /// The override would have ended already.
    case overrideEnded
    /// An override without a state that there is.
    case unknownState
    /// An override without a reason, or with one that is too long.
    case noReason
    /// A text that is no store's id.
    case noStoreId
    /// A service that there is not.
    case unknownService(String, known: [String])
    /// This process decides on no services.
    case withoutDecisions
    /// The address is that of no page.
    case noPage
    /// The person's role may not do this.
    case forbidden
    /// The form is of an earlier session.
    case staleForm
}
