internal import Base
internal import Agent
internal import AgentAPI
internal import HubProtocol

/// The texts of the commands' output in one language. Money, amounts and times come written.
protocol CommandTexts: FrontEndTexts {
    /// A word of a document as people read it: a state, way, reason, service or action. One of a later
    /// version stays.
    func word(_ word: String) -> String
    func cartDropped(_ id: String) -> String
    func member(_ name: String) -> String
    func unknownMember(_ name: String) -> String
    func quoted(total: String, tax: String) -> String
    func cashRounding(_ money: String) -> String
    func quoteHolds(until moment: String) -> String
    var couponUnchecked: String { get }
    var quoteChanged: String { get }
    var saleNeedsApprover: String { get }
    var clocksDiffer: String { get }
    var noParkedCarts: String { get }
    func taken(_ money: String, by method: String) -> String
    var noCarts: String { get }
    var noArticles: String { get }
    var noDepartments: String { get }
    func parked(_ at: String) -> String
    func resumed(_ at: String) -> String
    /// Behind a cart of another till; nil: its number is not known.
    func ofTill(_ number: Int64?, isSilent: Bool) -> String
    func memberRecorded(_ member: String, id: String) -> String
    func memberKnown(_ member: String, id: String) -> String
    func noteDeleted(_ id: String) -> String
    var noNotes: String { get }
    func manualOffline(since moment: String?) -> String
    var manualOff: String { get }
    var testPagePrinted: String { get }
    func acknowledged(_ loss: String) -> String
    var nothingToAcknowledge: String { get }
    func shiftOpened(_ id: String, float: String) -> String
    func difference(_ money: String) -> String
    func opened(_ at: String) -> String
    func closed(_ at: String) -> String
    func debts(_ money: String) -> String
    var noShifts: String { get }
    func paidIn(_ money: String) -> String
    func paidOut(_ money: String) -> String
    func toSafe(_ money: String) -> String
    var drawerOpened: String { get }
    func verified(_ statement: ShiftStatement) -> String
    var nobodySignedIn: String { get }
    func givenUp(_ id: String, reported: String) -> String
    func sentAgain(_ id: String, as new: String) -> String
    func thisTerminal(_ state: String) -> String
    var noAnswer: String { get }
    var noServices: String { get }
    var untilNow: String { get }
    var neverOffline: String { get }
    var checkPassed: String { get }
    var checkWarned: String { get }
    var checkFailed: String { get }
    var noOrders: String { get }
    var noOrderMatches: String { get }
    func refundedLine(_ quantity: String, name: String) -> String
    func note(_ text: String) -> String
    var paysCashForCard: String { get }
    /// How many tills may have given money back too.
    func unseenTills(_ count: Int) -> String
    var nothingOwed: String { get }
    var nothingGranted: String { get }
    func tillName(_ name: String) -> String
    func silent(seconds: Int64) -> String
    func tookBack(_ money: String, order: String) -> String
    func repaid(_ money: String, reason: String) -> String
    func customerPays(_ money: String) -> String
    func handBack(_ money: String) -> String
    func tenderVoided(_ money: String, method: String) -> String
    func orderVoided(_ number: String) -> String
    var semicolon: String { get }
    var unreadable: String { get }
    func pending(_ count: Int64) -> String
    func oldest(seconds: Int64) -> String
    func refusedCounts(rejected: Int64, conflicted: Int64, through: Int64) -> String
    func hubWait(until moment: String) -> String
    var comma: String { get }
    func attempts(_ count: Int64) -> String
    func waitsForAttachments(_ count: Int) -> String
    func lastPull(age: String) -> String
    var noPull: String { get }
    func newestPullFailed(_ problem: String) -> String
    func rowsSkipped(_ count: Int) -> String
    var versionRefused: String { get }
    func versionRetires(on date: Substring) -> String
    func heldBy(_ state: String, _ holds: String) -> String
    var heldBack: String { get }
    var heldBackMeans: String { get }
    var nothingRefused: String { get }
    var noPrinter: String { get }
    var noCardMachine: String { get }
    var neighboursOff: String { get }
    func listening(_ addresses: String) -> String
    func notListening(_ detail: String) -> String
    func strangers(_ count: Int64) -> String
    var diskIsOld: String { get }
    var noOtherTills: String { get }
    func notConfirmed(since moment: String) -> String
    func otherTills(_ reachable: Int, of all: Int) -> String
    func till(_ till: NeighboursCall.Till) -> String
    func tried(_ result: TryNeighbourCall.Response) -> String
    func foreignBooking(_ receipt: Int64) -> String
    func decideCard(_ key: String) -> String
    func notConfirmed(_ key: String, purpose: String, verdict isDone: Bool, _ money: String) -> String
    var noBooking: String { get }
    /// - Parameters:
    ///   - machine: nil where the machine said no sum.
    ///   - difference: nil where both agree.
    func machineClosed(_ machine: String?, till: String, difference: String?) -> String
    func machineClosedTwice(_ machine: String, till: String) -> String
    func cardDecided(_ key: String, _ state: String) -> String
    func damagedFiles(_ count: Int64) -> String
    var copy: String { get }
    var nothingToPrint: String { get }
    func printing(_ job: String) -> String
    func decides(_ state: String, in time: String) -> String
    func entriesHeldBack(_ count: Int64) -> String
    func cardDebts(_ count: Int64) -> String
    func leapt(over number: String) -> String
    func hub(_ url: String, terminal: String) -> String
    func cardsWaiting(_ count: Int64) -> String
    func cardsWaitingForCard(_ count: Int64) -> String
    func cardsRequested(_ count: Int64) -> String
    func cardsRefused(_ count: Int64) -> String
    func coreState(_ state: String, by source: String) -> String
    func state(_ state: String, by source: String) -> String
    func withApproval(_ way: String) -> String
    func standby(_ path: String) -> String
    var metered: String { get }
    var constrained: String { get }
    func quality(p50: Int64, p95: Int64, failures: Int64, samples: Int64) -> String
    func hubReached(_ at: String) -> String
    var outbox: String { get }
    var changes: String { get }
    var wholeCatalogue: String { get }
    var attachments: String { get }
    var telemetry: String { get }
    func pausedSync(_ name: String, by held: String) -> String
    func smallBatches(_ line: String) -> String
    func minorUnits(_ amount: Int64) -> String
    func upTo(_ amount: String) -> String
    var aSignIn: String { get }
    var anApproval: String { get }
    var voucherNumber: String { get }
    var and: String { get }
    func needs(_ list: String) -> String

    func label(_ row: StatusRow) -> String
    func text(_ limit: CapabilityLimit) -> String
    func inStock(_ quantity: String, countedAt: String?) -> String
    func signedIn(_ cashier: SessionResponse.Cashier) -> String
    func saleCount(_ count: Int64) -> String
    func doctorSummary(score: Int64, failed: Int, of checks: Int) -> String
    func refunded(_ refund: RefundRecord) -> String
    func returnedElsewhere(_ refund: ReceiptSale.Refund, _ money: String) -> String
    /// What becomes of money that goes back to a card by the terminal's own machine.
    func back(_ card: CardReturnRecord) -> String
    func attachment(_ name: String, bytes: Int64, received: Int64?) -> String
    func salesWait(_ count: Int64, worth sums: String) -> String
    func ready(_ result: EnrolmentResult) -> String
    var drillBegins: String { get }
    var agentEnded: String { get }
    var outputLost: String { get }
    func noTerminal(for person: String) -> String
    var noPINEntered: String { get }
    var plainNeedsReason: String { get }
    func exported(_ export: ExportCall.Response, plain: Bool) -> String
    var databaseWhole: String { get }
    func broughtOver(_ report: RepairReport) -> String
    func kept(_ path: String) -> String
    func lost(_ entry: RepairReport.LostEntry) -> String
    func lostMore(_ count: Int64) -> String
    var lostNothing: String { get }
    var lostEndUnknown: String { get }
    func goesOn(epoch: Int64) -> String
    var identityLost: String { get }
}

/// The texts of the checkout of `pos sell` in lines, in one language.
protocol CheckoutTexts: Sendable {
    func decides(in seconds: Int64) -> String
    func backOnline(in seconds: Int64) -> String
    func worksOutside(_ command: String) -> String
    var firstLine: String { get }
    var signInFirst: String { get }
    func basketKept(_ basket: String) -> String
    func leaveAgain(_ basket: String) -> String
    func waiting(for what: String, seconds: Int) -> String
    var nothingScanned: String { get }
    func withQuantityHelp(_ message: String) -> String
    func noLine(_ number: String) -> String
    func takenOff(_ line: String) -> String
    var cardResult: String { get }
    var saleResult: String { get }
    func orderMissing(after word: String) -> String
    var approverMissing: String { get }
    func pin(of id: String) -> String
    var help: String { get }
    func largeChange(_ money: String) -> String
    var signInRequired: String { get }
    var pinMissing: String { get }
    var totalChanged: String { get }
    var agentGone: String { get }
    var agentBack: String { get }
    func coupons(_ list: String) -> String
    func unknownMemberNoted(_ id: String) -> String
    func stillDue(_ money: String) -> String
    func taken(_ taken: String, due left: String) -> String
    func unseen(_ number: String, total: String) -> String
    var isExchange: String { get }
    var basketFirst: String { get }
    func cartLeft(_ offer: String) -> String
    func basket(lines: String, money: String) -> String
    func quantityForm(_ typed: String) -> String
    var discountForm: String { get }
    var discountOfAllForm: String { get }
    var pointsForm: String { get }
    func paymentForm(_ word: String) -> String

    func total(_ total: String, tax: String, inCash: String?) -> String
    /// Behind a refusal: how it is confirmed here.
    var clockDiffers: String { get }
    var voucherUsed: String { get }
    func unknownBarcode(_ message: String) -> String
    func soldByMeasure(_ article: String?) -> String
    func withoutPrice(_ article: String?) -> String
    func needsApproval(_ action: String) -> String
}

/// Why a command of `pos` could not do its work, in one language. A detail is of whoever noticed it, in
/// English.
protocol CommandErrorTexts: Sendable {
    func programMissing(_ name: String, for command: String, at path: String, _ error: String) -> String
    func outputUnwritable(_ path: String) -> String
    func fileUnreadable(_ path: String) -> String
    func noJSON(_ path: String) -> String
    func syncIncomplete(_ reason: String?, retryHelps: Bool) -> String
    func pinLineMissing(of secret: PINEntry.Secret) -> String
    func tooFewDescriptors(_ limit: UInt, needed: UInt) -> String
    func internalError(_ detail: String) -> String
    var cardNumberArgument: String { get }
    func usage(_ fault: UsageFault) -> String
    func secretSeen(_ option: String, use safe: String) -> String
    func wrongUsage(_ detail: String) -> String
    func wrongUsageHelp(_ detail: String) -> String
    func loopFailed(_ call: String, error: Int32) -> String
    var receiptMalformed: String { get }
    func fileUnwritable(_ path: String, _ detail: String) -> String
    var inputEnded: String { get }
    func malformedLine(_ detail: String) -> String
    func notSold(_ detail: String) -> String
}

/// All texts of the program `pos` that are not the counter's.
protocol PosTexts: CommandTexts, CheckoutTexts, CommandErrorTexts {}

extension Language {
    /// The one place that chooses the texts of `pos`.
    var posTexts: any PosTexts {
        switch self {
        case .english: EnglishPosTexts()
        case .chinese: ChinesePosTexts()
        }
    }
}

/// The rows of `pos status`, beside which their content stands.
enum StatusRow {
    case since, network, service, can, pay, points, line, sync, outbox, pull, store, held, debts, cards,
        numbers
    case version, hub
}

extension TerminalError {
    /// An error of the program itself, with its message in every language.
    init(_ kind: Kind, code: String, _ message: (any PosTexts) -> String) {
        self.init(kind, code: code, text: { message($0.posTexts) })
    }
}
