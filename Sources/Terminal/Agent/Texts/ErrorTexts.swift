internal import AgentAPI
internal import Base
internal import OfflineCore
internal import OfflineMode
internal import Printing
internal import Retail

/// Why the agent or a command could not do its work, in one language: what is no refusal of the business
/// layer. Each text is one line: what happened and what to do next. A detail is of whoever noticed it, in
/// English.
protocol ErrorTexts: Sendable {
    func databaseUnusable(_ detail: String) -> String
    func databaseDamaged(_ detail: String) -> String
    func nothingChanged(_ detail: String) -> String
    func unknownRequest(_ request: String) -> String
    func malformedResponse(_ detail: String, to path: String) -> String
    func enrolmentNotKept(_ detail: String) -> String
    func enrolmentRefused(_ detail: String) -> String
    func noHub(at url: String, _ detail: String, isForeign: Bool) -> String
    func otherHub(at url: String, _ detail: String) -> String
    func agentOwns(_ path: String, command: String) -> String
    func databaseMissing(_ path: String) -> String
    func repairNotWritten(_ detail: String, command: String) -> String
    func repairReportMalformed(_ detail: String) -> String
    var agentStopping: String { get }
    func switchNotMoved(_ detail: String) -> String
    var tooManySwitches: String { get }
    func ownerSilent(_ process: String?, path: String) -> String
    func ownedByProcess(_ process: String?, path: String) -> String
    func ownedByProgram(_ path: String) -> String
    func notEnrolled(_ path: String) -> String
    func configurationNotWritten(_ detail: String) -> String
    func configurationMissing(_ path: String) -> String
    func configurationMalformed(_ path: String, _ detail: String) -> String
    func configurationNoObject(_ path: String) -> String
    func unknownKey(_ name: String, in path: String, nearest: String?) -> String
    func wrongValue(_ value: String, of key: String, _ expected: ConfigurationDemand) -> String
    func notTuned(_ name: String) -> String
    func coreAPIs(_ path: String, _ detail: String?) -> String
    func settingForm(_ text: String, _ form: String, example: String) -> String
    func notTried(_ name: String, known keys: String) -> String
    func hubURLMissing(_ path: String) -> String
    func insecure(_ key: String, _ url: String) -> String
    func timeZoneUnknown(_ name: String) -> String
    var sellOwnsFolder: String { get }
    func unreadable(_ content: StoredContent, _ detail: String) -> String
    func noteTooLong(_ bytes: Int, limit: Int) -> String
    var noteEmpty: String { get }
    func unknownNote(_ id: String) -> String
    func printerFaulty(_ address: String, _ fault: PrinterFault) -> String
    func printerSilent(_ address: String) -> String
    func unknownPaper(_ id: String) -> String
    var noPrinter: String { get }
    var noCardMachine: String { get }
    var neighboursOff: String { get }
    func neighbourKeyUnusable(_ path: String) -> String
    func addressMalformed(_ text: String) -> String
    func addressNotPrivate(_ text: String) -> String
    var decisionNeedsText: String { get }
    func machineRefuses(_ obstacle: DeviceObstacle?) -> String
    /// The machine's own end of day.
    func dayNotClosed(_ trouble: DeviceTrouble) -> String
    func cardNotOpen(_ key: String) -> String
    var drillNotOnline: String { get }
    var drillRuns: String { get }
    func malformedRequest(_ detail: String) -> String
    func unknownField(_ detail: String) -> String
    func cardNumber(_ detail: String?) -> String
    func noStatement(_ detail: String) -> String
    var keysMissing: String { get }
    func statementForeign(key: String) -> String
    func attachForm(_ limit: Int) -> String
    func notAttached(_ path: String, _ detail: String) -> String
    func fileEmpty(_ path: String) -> String
    func fileTooLarge(_ path: String, _ bytes: Int64, limit: Int64) -> String
    func diskFull(_ path: String) -> String
    func nothingRecorded(_ detail: String) -> String
    var plainNeedsReason: String { get }
    var journalOfNobody: String { get }
    var noSealingKey: String { get }
    func nothingExported(_ detail: String) -> String
    var reasonMissing: String { get }
    var keepMissing: String { get }
    func unknownEntry(_ id: String) -> String
    func notRefused(_ id: String, _ state: SyncState) -> String
    func malformedEdit(_ detail: String) -> String
    var nothingToEdit: String { get }
    func noSuchPlace(_ path: String) -> String
    var nothingChangedNotEnrolled: String { get }
    var nothingChangedLeaseSpent: String { get }
    func deviceKeyCorrupt(_ path: String) -> String
    func deviceKeyMissing(_ path: String) -> String
    func deviceKeyNotWritten(_ detail: String) -> String
    func noDescriptor(_ path: String, ofMachine: Bool) -> String
    func fileUnreadable(_ path: String, error: Int32) -> String
    func lockLost(_ lock: String, home: String) -> String
    func homeUnusable(_ path: String) -> String
    func homeNotPrivate(_ path: String) -> String
    func homeOfOther(_ owner: String, _ path: String) -> String
    func homeMissing(_ path: String) -> String
    func homeNotWritable(_ path: String, _ error: String, _ cause: HomeFault) -> String
    func homeIncomplete(_ path: String, missing: String) -> String
    func authorityUnreadable(_ path: String) -> String
    func transportNotStarted(_ detail: String) -> String
    func addressesUnusable(_ detail: String) -> String
    func socketLost(_ path: String, _ detail: String) -> String
    func tooManyWatchers(_ count: Int) -> String
    func callFailed(_ call: String) -> String
    func noRequest(_ detail: String) -> String
    var headTooLarge: String { get }
    var bodyTooLarge: String { get }
    func agentGone(_ failure: String?) -> String
    func socketNameTooLong(_ path: String) -> String
    func socketUnusable(_ path: String, _ error: String) -> String

    func text(_ stop: DrainStop) -> String
    /// Why `pos sync now` did not send everything; nil: it did.
    ///
    /// - Parameter waitEnds: the end of the hub's request to wait, in the store's time; nil: none holds.
    func text(_ ending: DrainReport.Ending, waitEnds: String?) -> String?
    /// Something to do before all else, with the rest of the text behind it.
    func first(_ step: String, then rest: String) -> String
}

/// What the value of a key has to be.
enum ConfigurationDemand {
    case key(ConfigurationKey.Kind)
    case address, timeZone, interval, paper, timeOfDay
    case oneOf([String])
    /// The form itself, the same in every language.
    case form(String)
    case printer(PrinterAddressError)
}

/// What of the store on disk cannot be read.
enum StoredContent {
    case history, outbox, catalogue, attachments
}

/// Why nothing can be written into the data folder.
enum HomeFault {
    case readOnly, full, other
    /// It belongs to this user; nil: to another one whose name is not known.
    case ofUser(String?)
}

extension Language {
    var errorTexts: any ErrorTexts {
        switch self {
        case .english: EnglishErrorTexts()
        case .chinese: ChineseErrorTexts()
        }
    }
}

extension TerminalError {
    /// An error with its message in every language.
    init(_ kind: Kind, code: String, _ message: (any ErrorTexts) -> String) {
        self.init(kind, code: code, text: { message($0.errorTexts) })
    }
}
