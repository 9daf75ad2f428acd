internal import AgentAPI
internal import Base
internal import CurlHTTP
internal import CurlTransport
internal import HubProtocol
internal import LinuxNetwork
internal import OfflineCore
internal import OfflineMode
internal import Retail
internal import TerminalStore

/// What the doctor and the drill find, and what helps, in one language. Ages and spans are in milliseconds;
/// sums of money, times and lists of names are texts already. The names of checks are the same in every
/// language.
protocol DoctorTexts: Sendable {
    // The till and what it keeps.
    func articles(_ count: Int) -> String
    var importArticles: String { get }
    func noPull(_ problem: String?) -> String
    /// The last good pull; milliseconds.
    func pulled(_ age: Int64) -> String
    func pullFailed(_ problem: String) -> String
    func passedOver(_ count: Int, last names: String) -> String
    var pullAgain: String { get }
    var numbersFine: String { get }
    func text(_ leap: OrderNumberLeap) -> String
    var compareNumbers: String { get }
    var storeFine: String { get }
    var repair: String { get }
    /// A database that cannot be opened, with the words of the program.
    func unusable(_ message: String) -> String
    func text(_ loss: JournalLoss) -> String
    /// That a repair lost something.
    func text(_ repair: RepairReport) -> String
    func repaired(_ report: RepairReport) -> String
    var compareReceipts: String { get }
    func text(_ absence: HubAbsence) -> String
    var ingest: String { get }
    func heldBack(_ count: Int) -> String
    var sendHeldBack: String { get }
    func outbox(_ depth: OutboxDepth, hours: Int64) -> String
    var outboxUnreadable: String { get }
    var resolveOutbox: String { get }
    func disk(free mebibytes: Int64, hasRoom: Bool) -> String
    var freeSpace: String { get }
    func left(sales: Int64, carts: Int, of limit: Int) -> String
    var dropCarts: String { get }
    var diskNotMeasured: String { get }
    func diskSpeed(_ milliseconds: Int64, isSlow: Bool) -> String
    var speedUpDisk: String { get }
    func folder(_ path: String, isOpen: Bool) -> String
    func manualSwitch(_ reason: String?) -> String
    var manualSwitchOff: String { get }

    // The hub, and what ends by itself.
    func encrypted(_ url: String) -> String
    func plain(_ url: String) -> String
    var encrypt: String { get }
    var notPinging: String { get }
    func text(_ permission: ICMPPermission) -> String
    var permitPing: String { get }
    func text(_ comparison: ClockComparison) -> String
    var setClock: String { get }
    var setHubClock: String { get }
    var noTimeZone: String { get }
    func version(_ word: SchemaMessage, _ version: String) -> String
    var update: String { get }
    /// Below 0: it has ended; nil: not known.
    func token(left: Int64?) -> String
    var renewToken: String { get }
    /// `end`: what was seen before.
    func refused(_ fault: CertificateFault, end: String?) -> String
    func handshakeFailed(_ detail: String, end: String?) -> String
    var certificateUnseen: String { get }
    func certificate(days left: Int64) -> String
    func certificateEnded(_ end: String) -> String
    var asLastSeen: String { get }
    var renewCertificate: String { get }
    func standby(_ interface: String, for main: String?) -> String
    func checkPath(_ main: String?) -> String
    var noDecisions: String { get }
    func decisions(_ age: Int64) -> String
    func decisionClock(_ apart: Int64) -> String
    var setDecisionClock: String { get }
    var checkDecisions: String { get }
    var enrol: String { get }
    func notSending(_ problem: String) -> String
    var checkWay: String { get }
    func entries(_ count: Int, _ named: String) -> String
    var resolveEntries: String { get }

    // Cards, tenders and the printer.
    func unseenSales(_ count: Int, _ numbers: String) -> String
    var lookAtSales: String { get }
    var noReason: String { get }
    func cardDebts(_ count: Int, owed: String, _ named: String) -> String
    var settleDebts: String { get }
    func owedToCustomers(_ count: Int, _ named: String) -> String
    var repay: String { get }
    func waitingForMachine(_ count: Int, _ named: String) -> String
    var checkMachine: String { get }
    func waitingForCards(_ count: Int, _ named: String) -> String
    var presentCards: String { get }
    func requestedOfMachine(_ count: Int, _ named: String) -> String
    var confirmRequests: String { get }
    func openAtFormerMachine(_ count: Int, _ named: String) -> String
    var decidePayments: String { get }
    var standardPassword: String { get }
    var setMachinePassword: String { get }
    var noMachineKey: String { get }
    var setMachineKey: String { get }
    func text(_ route: TenderAbility.Route, refusal code: String) -> String
    func upTo(_ limit: String) -> String
    var statusSaysWhy: String { get }
    var printing: String { get }
    var printerResponds: String { get }

    // Other tills of the store.
    var tillsNotSought: String { get }
    var noOtherTills: String { get }
    var noTillAddress: String { get }
    var nameTillAddress: String { get }
    func tillsSeen(_ count: Int, of all: Int) -> String
    var findTills: String { get }
    func notListening(_ detail: String) -> String
    var freePort: String { get }
    func tillsClock(_ number: Int64, milliseconds: Int64) -> String
    var setClocks: String { get }
    var journalWasLonger: String { get }
    var enrolAfterOldDisk: String { get }
    func keptLong(_ tills: Int) -> String
    func keysNotConfirmed(since moment: String) -> String
    var confirmKeys: String { get }
    var handInKept: String { get }

    var paperOut: String { get }
    var paperLow: String { get }
    func papersWait(_ count: Int) -> String
    var retryPrinter: String { get }

    // What an outage leaves: copies of the hub's data.
    var copyUnreadable: String { get }
    var noCopy: String { get }
    func copied(_ age: Int64) -> String
    /// Behind another text.
    func changed(_ age: Int64) -> String
    var noCashiers: String { get }
    func pins(_ count: Int) -> String
    func pinsUnreadable(_ count: Int, of all: Int) -> String
    var importCashiers: String { get }
    var noCheapPINs: String { get }
    func cheapPINs(_ count: Int, _ ids: String, more: Int) -> String
    func members(_ count: Int) -> String
    var noLeases: String { get }
    func lease(_ left: Int64, _ kind: String, of leases: Int) -> String
    func leases(_ sums: String, until: String) -> String
    var noOffers: String { get }
    func offers(_ counts: FeedCopyCounts) -> String

    // The drill of an outage.
    func offline(after seconds: String, _ causes: String) -> String
    func notOffline(after seconds: String) -> String
    var lowerDebounce: String { get }
    var nothingToPrice: String { get }
    var importSome: String { get }
    func priced(_ name: String, _ price: String, milliseconds: Int64) -> String
    var canRecord: String { get }
    var doctorSaysWhy: String { get }
    var givenUp: String { get }
    func online(after seconds: String) -> String
    func notOnline(after seconds: String) -> String
    var lookForOutage: String { get }
}

extension Language {
    var doctorTexts: any DoctorTexts {
        switch self {
        case .english: EnglishDoctorTexts()
        case .chinese: ChineseDoctorTexts()
        }
    }
}
