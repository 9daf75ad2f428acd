package import Base
package import HubProtocol

/// Why a command of the cashier was not done: a stable code, one line for people with what to do next, and
/// the kind of the exit code.
package protocol Refusal: Error, Hashable, Sendable {
    /// Stable, lower case with underscores; front ends decide by it.
    var code: String { get }
    /// One line: what happened and what to do next.
    func text(from texts: any RefusalTexts) -> String
    var exit: RefusalExit { get }
    /// What a front end needs in addition to the code. Default: nothing.
    var details: RefusalDetails { get }
}

extension Refusal {
    /// One line: what happened and what to do next.
    package func text(in language: Language) -> String { text(from: language.refusalTexts) }
    /// In English, with the names of commands.
    package var message: String { text(in: .english) }
    /// Empty: the code is enough.
    package var details: RefusalDetails { RefusalDetails() }
}

/// A refusal of what reads or writes the terminal's store.
package protocol StorageRefusal: Refusal {
    static func diskFull(path: String) -> Self
    static func notRecorded(detail: String) -> Self
    static var notEnrolled: Self { get }
}

extension StorageRefusal {
    init(_ error: StorageError) {
        self =
            switch error {
            case .diskFull(let path): .diskFull(path: path)
            case .notEnrolled: .notEnrolled
            case .unavailable(let detail): .notRecorded(detail: detail)
            case .leaseSpent: .notRecorded(detail: "another sale spent the lease meanwhile")
            case .cartGranted: .notRecorded(detail: "another till has the cart")
            }
    }

    /// What the store returns to one call; its error becomes this refusal.
    static func accessing<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ call: @autoclosure () async throws(StorageError) -> Value
    ) async throws(Self) -> Value {
        do throws(StorageError) {
            return try await call()
        } catch {
            throw Self(error)
        }
    }
}

/// Members of a refusal in addition to its code and message.
package struct RefusalDetails: Hashable, Sendable {
    /// How long to wait before the same can be tried again, in milliseconds.
    package var waitMilliseconds: Int64?
    /// What needs an approver.
    package var action: String?
    /// The name of the article that needs a price.
    package var article: String?
    /// ISO 4217: what that price has to be in.
    package var currency: String?
    /// The id of the parked cart that the sale waits as.
    package var cart: String?
    /// What came back of a sale before, or is about to at another terminal.
    package var returned: [ReceiptSale.Refund]
    /// The front end that has the cart on its screen.
    package var frontEnd: String?
    /// The number of the sale that the cart became.
    package var orderNumber: String?
    /// When it was sold, in Unix milliseconds.
    package var soldAt: Int64?
    /// The till of the store that has the cart, or does not respond.
    package var terminalId: String?

    /// Makes details; what is nil or empty, the default of all, is left out of the response.
    package init(
        waitMilliseconds: Int64? = nil, action: String? = nil, article: String? = nil,
        currency: String? = nil, cart: String? = nil, returned: [ReceiptSale.Refund] = [],
        terminalId: String? = nil
    ) {
        self.terminalId = terminalId
        self.returned = returned
        self.cart = cart
        self.waitMilliseconds = waitMilliseconds
        self.action = action
        self.article = article
        self.currency = currency
    }
}

/// The exit codes that a refusal may end a command with.
package enum RefusalExit: Int32, Hashable, Sendable {
    /// Refused by a business rule.
    case rule = 1
    /// The request itself is wrong.
    case usage = 2
    /// The data folder is not ready for it yet.
    case home = 3
    /// Cannot record durably: nothing was sold.
    case notRecorded = 5
    /// Temporarily impossible.
    case tryAgain = 75
}
