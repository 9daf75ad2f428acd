package import Base
package import HubProtocol

/// The error of a request, as the response carries it and as `--json` prints it.
package struct AgentFailure: Hashable, Sendable {
    /// What the error says beside its text; every member may be missing.
    package struct Details: Hashable, Sendable {
        /// How long to wait before the same request can succeed, in milliseconds.
        package var waitMilliseconds: Int64?
        /// The action that needs an approver.
        package var action: String?
        /// The message in the other languages than English.
        package var translations: [Language: String]
        /// The name of the article that needs a price.
        package var article: String?
        /// ISO 4217: what that price has to be in.
        package var currency: String?
        /// The id of the parked cart that the sale waits as.
        package var cart: String?
        /// What came back of a sale before, or is about to at another terminal, oldest first.
        package var returned: [ReceiptSale.Refund]
        /// The front end that has the cart on its screen.
        package var frontEnd: String?
        /// The number of the sale that the cart became.
        package var orderNumber: String?
        /// When it was sold, RFC 3339.
        package var soldAt: String?
        /// The till of the store that has the cart, or does not respond.
        package var terminalId: String?

        /// Every argument defaults to nil or nothing, which leaves its member out of the document.
        package init(
            waitMilliseconds: Int64? = nil, action: String? = nil,
            translations: [Language: String] = [:], article: String? = nil, currency: String? = nil,
            cart: String? = nil,
            returned: [ReceiptSale.Refund] = []
        ) {
            self.returned = returned
            self.cart = cart
            self.article = article
            self.currency = currency
            self.waitMilliseconds = waitMilliseconds
            self.action = action
            self.translations = translations
        }

        fileprivate init(_ json: JSONValue) {
            self.init(
                waitMilliseconds: json["waitMs"]?.integer, action: json["action"]?.string,
                article: json["article"]?.string, currency: json["currency"]?.string,
                cart: json["cartId"]?.string,
                returned: (json["returned"]?.array ?? []).compactMap { try? ReceiptSale.Refund(json: $0) })
            for language in Language.allCases {
                translations[language] = json[Self.key(of: language)]?.string
            }
            frontEnd = json["frontEnd"]?.string
            orderNumber = json["orderNumber"]?.string
            soldAt = json["soldAt"]?.string
            terminalId = json["terminalId"]?.string
        }

        fileprivate var members: JSONObject {
            var members: JSONObject = [:]
            members["waitMs"] = waitMilliseconds.map(JSONValue.integer)
            members["action"] = action.map(JSONValue.string)
            for (language, text) in translations { members[Self.key(of: language)] = .string(text) }
            members["article"] = article.map(JSONValue.string)
            members["currency"] = currency.map(JSONValue.string)
            members["cartId"] = cart.map(JSONValue.string)
            if !returned.isEmpty { members["returned"] = .array(returned.map(\.json)) }
            members["frontEnd"] = frontEnd.map(JSONValue.string)
            members["orderNumber"] = orderNumber.map(JSONValue.string)
            members["soldAt"] = soldAt.map(JSONValue.string)
            members["terminalId"] = terminalId.map(JSONValue.string)
            return members
        }

        /// `messageZh` for Chinese.
        private static func key(of language: Language) -> String {
            "message\(language.rawValue.prefix(1).uppercased())\(language.rawValue.dropFirst())"
        }
    }

    /// A stable name for programs.
    package let code: String
    /// One line for people.
    package let message: String
    /// The exit code of a command that fails with it; nil: the response has none.
    package let exit: Int64?
    /// Empty by default; its members stand beside `code` and `message` in the document.
    package let details: Details

    /// An error with `details` that are empty by default; `exit` is nil where the response has none.
    package init(code: String, message: String, exit: Int64?, details: Details = Details()) {
        self.code = code
        self.message = message
        self.exit = exit
        self.details = details
    }

    /// The message in this language; in English where there is none.
    package func text(in language: Language) -> String { details.translations[language] ?? message }

    /// Reads the error of a response; nil where it has none. An agent of another version may leave members
    /// out, and its error stays an error.
    ///
    /// - Parameter status: of the response, for the text of an error without one.
    package init?(response: JSONValue, status: Int) {
        guard let error = response["error"] else { return nil }
        self.init(
            code: error["code"]?.string ?? "unknown",
            message: error["message"]?.string ?? "the agent answered \(status)",
            exit: error["exit"]?.integer, details: Details(error))
    }

    /// The body of a response.
    package var response: JSONValue {
        var members = self.members
        members["exit"] = exit.map(JSONValue.integer)
        return ["error": .object(members)]
    }

    /// The document of a command that fails.
    package var document: JSONValue { ["error": .object(members)] }

    /// One line of the output of `pos sell --stdin`.
    ///
    /// - Parameter request: its key goes with the error, unless it looks like a card number; nil where it is
    ///   no JSON.
    package func streamLine(of request: JSONValue?) -> JSONValue {
        var key = request?["key"] ?? .null
        if CardNumber.isLike(key.canonicalText) { key = .null }
        return ["key": key, "error": .object(members)]
    }

    private var members: JSONObject {
        var members = details.members
        members["code"] = .string(code)
        members["message"] = .string(message)
        return members
    }
}
