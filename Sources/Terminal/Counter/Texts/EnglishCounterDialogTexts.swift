internal import AgentAPI
internal import HubProtocol

/// The frame and the dialogs.
extension EnglishCounterTexts {
    var chargedAtTheEnd: String { "charged at the end" }
    func takenBy(_ method: String) -> String { "taken: \(method)" }
    var linesInIt: String { "lines in it" }
    var worth: String { "worth" }
    var taken: String { "taken" }
    var cartIsKept: String { "The cart is kept: the next counter offers it." }
    var askToLeave: String { "Leave?" }
    var totalOfCart: String { "total" }
    var memberOfCart: String { "member" }
    var cashier: String { "cashier" }
    var aWindowLeftThisCart: String { "A window left this cart" }
    var emptyTheCart: String { "Empty the cart?" }
    var dropThisCartForGood: String { "Drop this cart for good?" }
    var enterOnceHandedBack: String { "Enter once the customer has it back." }
    func at(till: String) -> String { "at till \(till)" }
    func atSilentTill(_ till: String) -> String { "at till \(till), silent" }
    func doubt(_ code: String) -> String? {
        switch code {
        case "owner_silent":
            "That till does not respond. Enter once more copies the cart; it may be sold there."
        case "cart_copied":
            "Another till has or sold this cart as well. Enter once more takes it all the same."
        default: nil
        }
    }
    func at(screen: String) -> String { "at \(screen)" }
    var leftByAWindow: String { "left by a window" }
    var withoutAName: String { "without a name" }
    func takenMoney(_ money: String) -> String { "taken \(money)" }
    var unseenCards: String {
        "A card paid for these, and nobody saw the result. Did the customer take the goods?"
    }
    var cardSalesThatNobodySaw: String { "Card sales that nobody saw" }
    var nothingWaitsForADecision: String { "Nothing waits for a decision." }
    var refusedByHeadOffice: String { "Refused by head office" }
    var madeAt: String { "made at" }
    var whatIsToHappen: String { "What is to happen?" }
    var noPrinterIsSetUpFor: String { "No printer is set up for this till." }
    var printer: String { "Printer" }
    var withLimits: String { "with limits" }
    var comma: String { ", " }
    var obstacles: String { "What does not work now" }
    var total: String { "Total" }
    func goesBack(by method: String, _ money: String) -> String { "goes back by \(method): \(money)" }
    var cashForCard: String { "It was paid by card or voucher; it goes back in cash." }
    var giveBack: String { "Give back" }
    func noCash(backBy methods: String) -> String { "No cash: it goes back by \(methods)" }
    var goodsBack: String { "Goods back" }
    var headOfficeHasIt: String { "head office has it" }
    var keptHereSentLater: String { "kept here, sent later" }
    var change: String { "Change" }
    var paidWithoutChange: String { "Paid · no change" }
    var notApprovedYet: String { " (not approved yet)" }
    var simulated: String { " (simulated)" }
    var scanToBeginTheNextSale: String { "Scan to begin the next sale" }
    var whatToDo: String { "What to do" }
    var scanOrType: String { "scan, or type a code + Enter" }
    var oneMoreInTheCart: String { "one more in the cart" }
    var codeWithQuantity: String { "3*CODE · CODE:0.357" }
    var quantityWithTheScan: String { "quantity with the scan" }
    var quantityOfTheMarkedLine: String { "quantity of the marked line" }
    var marksAnotherLine: String { "marks another line" }
    var takesTheMarkedLineOff: String { "takes the marked line off" }
    var pay: String { "pay" }
    var enteredPrice: String { "a price that was entered here, by F5" }
    var tabThenLetter: String { "Tab, then a letter" }
    var withoutFunctionKeys: String { "everything, without F-keys" }
    var altThatLetter: String { "Alt + that letter" }
    var theSameAtOnce: String { "the same at once" }
    var closesAndTakesNothing: String { "closes, and takes nothing" }
    var escWhileCard: String { "Esc while a card is asked" }
    var givesThePaymentUp: String { "gives the payment up" }
    var leavesOrAsks: String { "leaves; asks when the cart is full" }
    var help: String { "Help" }
    var noCartParked: String { "No cart is parked. F8 with a full cart parks it." }
    var parkedCarts: String { "Parked carts" }
    var searchHint: String { "any part of the name, SKU or barcode" }
    var nothingFound: String { "Nothing found. Try fewer letters." }
    var search: String { "Search" }
    var anArticleWithoutACode: String { "an article without a code" }
    func notInCatalogue(_ code: String) -> String { "what the catalogue does not have: \(code)" }
    var sellByDepartment: String { "Sell by department" }
    var receiptHint: String { "scan the receipt's code, or type its number" }
    var isVoid: String { "void" }
    var noSaleWasMadeHereYet: String { "No sale was made here yet." }
    var refundWhichSale: String { "Refund: which sale?" }
    var allOfItCameBackBefore: String { "All of it came back before." }
    var comesBack: String { "comes back" }
    var refundWhatComesBack: String { "Refund: what comes back?" }
    var windowTooSmall: String { "the window is smaller than 80 × 24" }
    var nobodySignedIn: String { "nobody is signed in · F11" }
    var printerWaits: String { "! printer: Alt-T" }
    func store(_ id: String) -> String { "store \(id)" }
    func till(_ number: Int64) -> String { "till \(number)" }
    var noShiftIsOpen: String { "no shift is open" }
    var otherTills: String { "Other tills" }
    var noOtherTill: String { "The shop has no other till." }
    var tillsAreOff: String { "The tills of this shop do not see each other." }
    func tillsThere(_ counts: NeighbourCounts) -> String {
        "\(counts.reachable) of \(counts.all) other tills"
    }
    func tillState(_ state: NeighboursCall.State, isOnline: Bool?) -> String {
        switch state {
        case .reachable: isOnline == true ? "online" : "offline"
        case .silent: "not heard since"
        case .unknown: "not heard yet"
        }
    }
    func lastHeard(_ time: String) -> String { "last heard \(time)" }
    func waitThere(_ count: Int64) -> String { "\(count) wait there" }
    func hasOfOurs(_ count: Int64) -> String { "has \(count) of ours" }
    func notConfirmed(since moment: String) -> String {
        "Head office has not confirmed these tills since \(moment)."
    }
    var diskIsOld: String {
        "Another till has seen sales of this till that its disk does not have. Call your manager: this till may "
            + "run from an old copy."
    }
    var connectingToTheTillsService: String { "connecting to the till's service" }
    var sku: String { "SKU" }
    var article: String { "Article" }
    var qty: String { "Qty" }
    var price: String { "Price" }
    var discountColumn: String { "Discount" }
    var amount: String { "Amount" }
    var signInFirstBig: String { "F11  sign in first" }
    var scanTheFirstArticle: String { "Scan the first article" }
    var signInHint: String { "or Tab, then s · an id and a PIN are asked for" }
    var scanHint: String { "or type its code and press Enter · F2 finds it by name" }
    var quantityHint: String { "3*CODE sells three · F8 brings back a parked cart" }
    var menuHint: String { "Tab shows everything that can be done here" }
    func tax(ofIt money: String) -> String { "of it tax \(money)" }
    func inCash(_ money: String) -> String { "in cash \(money)" }
    func bigTotal(in currency: String) -> String { "TOTAL \(currency)" }
    func takenSoFar(_ money: String) -> String { "Taken \(money)" }
    var notFound: String { " (not found)" }
    func hadPoints(_ points: Int64) -> String { "had \(points) points" }
    func hasPoints(_ points: Int64) -> String { "\(points) points" }
    var member: String { "Member" }
    var points: String { "Points" }
    var exchangeBack: String { "Comes back" }
    var coupons: String { "Coupons" }
    func changeOf(_ money: String) -> String { "change \(money)" }
    var lastSale: String { "Last sale" }
    var pricing: String { "Pricing" }
    var scanPrompt: String { " Scan ▸ " }
    var waitingForPayment: String { "waiting for the payment" }
    func escapeGivesUp(seconds: Int) -> String { "\(seconds) s · Esc gives it up" }
    func words(of step: DeviceProgress) -> String {
        switch step {
        case .insertCard: "card machine: present the card"
        case .enterPIN: "card machine: enter the PIN"
        case .removeCard: "card machine: remove the card"
        case .wait: "card machine: please wait"
        case .wrongPIN: "card machine: wrong PIN"
        case .approved: "card machine: approved"
        case .declined: "card machine: declined"
        }
    }
    func waitingForService(seconds: Int) -> String { "waiting for the till's service · \(seconds) s" }
    var close: String { "close" }
    var choose: String { "choose" }
    var perform: String { "do it" }
    var letter: String { "letter" }
    var atOnce: String { "at once" }
    var takeEntry: String { "take it" }
    var handBack: String { "hand back" }
    var noCard: String { "no card" }
    var noExchange: String { "no exchange" }
    var takeTender: String { "take it" }
    var discountKey: String { "discount" }
    var nextCustomer: String { "next customer" }
    var openIt: String { "open it" }
    var dropIt: String { "drop it" }
    var itWasSold: String { "it was sold" }
    var voidIt: String { "void it" }
    var later: String { "later" }
    var decide: String { "decide" }
    var goOn: String { "go on" }
    var intoTheCart: String { "into the cart" }
    var space: String { "Space" }
    var mark: String { "mark" }
    var all: String { "all" }
    var exchange: String { "exchange" }
    var payBack: String { "pay back" }
    var leaveKept: String { "leave, it is kept" }
    var goOnSelling: String { "go on selling" }
    var takeCart: String { "take it" }
    var leaveCart: String { "leave it" }
    var itIsHandedBack: String { "it is handed back" }
    var keepTheCart: String { "keep the cart" }
    var sendItAgain: String { "send it again" }
    var giveItUp: String { "give it up" }
    var leaveRefusal: String { "leave it" }
    var copyOfTheLastReceipt: String { "copy of the last receipt" }
    var printWhatWaits: String { "print what waits" }
    var testPage: String { "test page" }
    var menu: String { "Menu" }
    var leave: String { "Leave" }
    var openShiftHint: String { "No shift is open. O counts the drawer and opens one." }
    var theDrawersShift: String { "The drawer's shift" }
    var since: String { "since" }
    var state: String { "state" }
    var sales: String { "Sales" }
    var refundsAndVoids: String { "Refunds and voids" }
    var amountsAreShownAfterTheCount: String { "Amounts are shown after the count." }
    var net: String { "Net" }
    var cashExpected: String { "Cash expected" }
    var cashCounted: String { "Cash counted" }
    var difference: String { "Difference" }
    var cardDebts: String { "Owed: cards refused after the sale" }
    var customersOwe: String { "the customers owe: inform the manager" }
    var noSale: String { "no sale" }
    var openAShift: String { "open a shift" }
    var cashIn: String { "cash in" }
    var cashOut: String { "cash out" }
    var toTheSafe: String { "to the safe" }
    var countAndClose: String { "count and close" }
    func moreAbove(_ count: Int) -> String { "▲ \(count) more" }
    func moreBelow(_ count: Int) -> String { "▼ \(count) more" }
    var payTitle: String { "Pay" }
    func less(points: Int64) -> String { "less \(points) points" }
    var exchangeBackInTenders: String { "comes back" }
    var stillDue: String { "Still due" }
    var amountOrChooseBelow: String { "Amount, or choose below" }
    func spent(_ points: Int64) -> String { "\(points) spent" }
    func upTo(_ points: Int64) -> String { "up to \(points)" }
    var aManagerApproves: String { "a manager approves" }
    func leftToPay(_ money: String) -> String { "still due \(money)" }
    func foreignBooking(_ receipt: Int64) -> String {
        "Card machine: somebody else made booking \(receipt)."
    }
    var exact: String { "exact" }
    var theRest: String { "the rest" }
}
