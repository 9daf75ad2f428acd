internal import AgentAPI
internal import Base
internal import OfflineCore
internal import OfflineMode
internal import Printing
internal import Retail

/// With the names of commands: `pos` prints them as they are.
struct EnglishErrorTexts: ErrorTexts {
    func databaseUnusable(_ detail: String) -> String { "\(detail)" }
    func databaseDamaged(_ detail: String) -> String { "\(detail)" }
    func nothingChanged(_ detail: String) -> String { "nothing was changed: \(detail)" }
    func unknownRequest(_ request: String) -> String {
        "the agent has no \(request); are the versions equal?"
    }
    func malformedResponse(_ detail: String, to path: String) -> String {
        "\(detail) in the agent's response to \(path); restart the agent, so that it has the version of this `pos`"
    }
    func enrolmentNotKept(_ detail: String) -> String {
        "the hub enrolled this terminal and it could not be kept (\(detail)); free space, get a new code"
    }
    func enrolmentRefused(_ detail: String) -> String {
        "the hub refused: \(detail); get a new code with `pos-hub enrol-code`"
    }
    func noHub(at url: String, _ detail: String, isForeign: Bool) -> String {
        "\(url) did not answer as a hub: \(detail); "
            + (isForeign
                ? "name the file of its authority's certificate with --ca-file"
                : "check the address and the network, then try again")
    }
    func otherHub(at url: String, _ detail: String) -> String {
        "\(url) is not a hub of this version: \(detail)"
    }
    func agentOwns(_ path: String, command: String) -> String {
        "an agent owns \(path); end it, then run `\(command)` again"
    }
    func databaseMissing(_ path: String) -> String {
        "there is no database at \(path) to repair; restore a copy, or run `pos init`"
    }
    func repairNotWritten(_ detail: String, command: String) -> String {
        "the repair could not be finished: \(detail); nothing was lost, make room and run `\(command)` again"
    }
    func repairReportMalformed(_ detail: String) -> String { "the repair's report is malformed: \(detail)" }
    var agentStopping: String { "the agent is stopping; start it with `pos agent`" }
    func switchNotMoved(_ detail: String) -> String {
        "the switch was not moved, it cannot be made durable (\(detail)); free space or repair the data folder"
    }
    var tooManySwitches: String { "the disk is too slow for so many switches; try again" }
    func ownerSilent(_ process: String?, path: String) -> String {
        "process \(process ?? "unknown") owns \(path) and does not answer; try again"
    }
    func ownedByProcess(_ process: String?, path: String) -> String {
        "process \(process ?? "unknown") already owns \(path), an agent or a `pos sell` that found none; end it first"
    }
    func ownedByProgram(_ path: String) -> String {
        "another program owns \(path) and does not let it go; end it, then run `pos init` again"
    }
    func notEnrolled(_ path: String) -> String {
        "the terminal in \(path) is not enrolled; run `pos init --hub URL --enrol CODE`"
    }
    func configurationNotWritten(_ detail: String) -> String {
        "cannot write the configuration: \(detail); fix the data folder"
    }
    func configurationMissing(_ path: String) -> String {
        "there is no configuration \(path); run `pos init` or name the file with --config"
    }
    func configurationMalformed(_ path: String, _ detail: String) -> String { "\(path): \(detail)" }
    func configurationNoObject(_ path: String) -> String {
        "\(path): the configuration must be a JSON object"
    }
    func unknownKey(_ name: String, in path: String, nearest: String?) -> String {
        "\(path): unknown key \(name)\(nearest.map { ", did you mean \($0)?" } ?? "")"
    }
    func wrongValue(_ value: String, of key: String, _ expected: ConfigurationDemand) -> String {
        "\(key) is \(value); it must be \(text(expected))"
    }
    func notTuned(_ name: String) -> String { "storeConfig: \(name) is not tuned from the hub" }
    func coreAPIs(_ path: String, _ detail: String?) -> String {
        "service.coreAPIsFile \(path): \(detail ?? "it cannot be read")"
    }
    func settingForm(_ text: String, _ form: String, example: String) -> String {
        "\"\(text)\" must be \(form), such as \(example)"
    }
    func notTried(_ name: String, known keys: String) -> String {
        "\(name) cannot be tried; these can: \(keys)"
    }
    func hubURLMissing(_ path: String) -> String {
        "\(path): hub.url is missing; run `pos init --hub URL --enrol CODE`"
    }
    func insecure(_ key: String, _ url: String) -> String {
        "\(key) is \(url): http is for loopback only; use https or set hub.allowInsecure"
    }
    func timeZoneUnknown(_ name: String) -> String {
        "store.timeZone \(name) is not known on this machine; install tzdata"
    }
    var sellOwnsFolder: String { "a `pos sell` owns the data folder; end it, then run the command again" }
    func unreadable(_ content: StoredContent, _ detail: String) -> String {
        "\(name(content)) cannot be read: \(detail)"
    }
    func noteTooLong(_ bytes: Int, limit: Int) -> String {
        "a note has at most \(limit) bytes, and this one \(bytes); shorten it"
    }
    var noteEmpty: String { "a note needs a text" }
    func unknownNote(_ id: String) -> String { "there is no note \(id); `pos note list` shows them" }
    func printerFaulty(_ address: String, _ fault: PrinterFault) -> String {
        "\(address): \(Language.english.printerTexts.text(fault)); the page is printed when the printer is ready"
    }
    func printerSilent(_ address: String) -> String { "\(address): no result within 20 s" }
    func unknownPaper(_ id: String) -> String { "no paper of \(id) waits for a person; `pos printer status`" }
    var neighboursOff: String {
        "the tills of this store do not see each other, or no agent runs; on at the hub: `pos-hub store-config set "
            + "--store-id ID neighbours.enabled=on`"
    }
    func neighbourKeyUnusable(_ path: String) -> String {
        "\(path) is no key for connections to other tills; delete it, the next start makes another one"
    }
    func addressMalformed(_ text: String) -> String {
        "\"\(text)\" is no address; give a numeric one, such as 192.168.1.7 or [fe80::1%eth0]:7710"
    }
    func addressNotPrivate(_ text: String) -> String {
        "\(text) is no address of a shop's own network; try it all the same with --any"
    }
    var noCardMachine: String { "no card machine is configured; set cardMachine.address in terminal.json" }
    func machineRefuses(_ obstacle: DeviceObstacle?) -> String {
        let why =
            switch obstacle {
            case .otherName: "its certificate has another name than cardMachine.poiId"
            case .unknownRoot: "its certificate is not signed by a root in cardMachine.caFile"
            case .outOfValidity: "its certificate is not valid today; compare the clocks of till and machine"
            case .noTLS: "it does not speak TLS as the till does; look at cardMachine.address"
            case .unreadable:
                "it sends nothing that can be read; compare passphrase, identifier and version in cardMachine.keyFile with it"
            case .said(let reason): "it says: \(reason)"
            case nil: "compare cardMachine.passwordFile and the currency with the machine's"
            }
        return "the card machine refuses this till: \(why)"
    }
    func dayNotClosed(_ trouble: DeviceTrouble) -> String {
        switch trouble {
        case .unreachable:
            "the card machine cannot be reached, or did not say that its day is closed; repeat it, and compare "
                + "with its paper"
        case .busy: "the card machine is busy, perhaps with another till; its day is not closed: repeat it"
        case .refused: "the card machine refuses to close its day; `pos card test` says why"
        case .undecided: "the result of a request is open, so its day is not closed; see `pos card status`"
        case .notKept: "this till's disk cannot be read, so its day is not closed; see `pos doctor`"
        }
    }
    var decisionNeedsText: String {
        "a decision needs the number on the machine's paper, or a reason, of at most 200 bytes"
    }
    func cardNotOpen(_ key: String) -> String {
        "no card payment \(key) is open at the machine; `pos card status` lists those that are"
    }
    var noPrinter: String { "no printer is configured; set printer.device in terminal.json" }
    var drillNotOnline: String {
        "a drill begins online, and this till is not; look at `pos status`, then try again"
    }
    var drillRuns: String { "a drill runs already; try again when it is over" }
    func malformedRequest(_ detail: String) -> String { "\(detail)" }
    func unknownField(_ detail: String) -> String { "\(detail)" }
    func cardNumber(_ detail: String?) -> String {
        detail
            ?? "an argument contains what looks like a card number, which is never entered here; nothing was done"
    }
    func noStatement(_ detail: String) -> String { "the file has no statement of a hub for it: \(detail)" }
    var keysMissing: String {
        "this terminal has no keys of its hub yet; run `pos sync now` while the hub responds"
    }
    func statementForeign(key: String) -> String {
        "no hub of this terminal signed this statement (key \(key)); it was changed, or it is another hub's"
    }
    func attachForm(_ limit: Int) -> String { "`attach` names up to \(limit) files by their absolute paths" }
    func notAttached(_ path: String, _ detail: String) -> String {
        "cannot attach \(path): \(detail); nothing was recorded"
    }
    func fileEmpty(_ path: String) -> String { "\(path) is empty; nothing was recorded" }
    func fileTooLarge(_ path: String, _ bytes: Int64, limit: Int64) -> String {
        "\(path) has \(bytes) bytes, an attachment at most \(limit); make it smaller"
    }
    func diskFull(_ path: String) -> String { "the disk of \(path) is full; free some space" }
    func nothingRecorded(_ detail: String) -> String { "nothing was recorded: \(detail)" }
    var plainNeedsReason: String { "--plain needs --reason of 1 to 500 characters" }
    var journalOfNobody: String { "this journal belongs to no terminal yet, so no hub could ingest it" }
    var noSealingKey: String {
        "the hub named no key to encrypt to; `--plain --reason TEXT` leaves the encryption out"
    }
    func nothingExported(_ detail: String) -> String { "nothing was exported: \(detail)" }
    var reasonMissing: String { "say why with --reason TEXT" }
    var keepMissing: String { "say what holds: --keep mine or --keep server" }
    func unknownEntry(_ id: String) -> String {
        "this terminal has no mutation \(id); `pos sync rejected` lists what was refused"
    }
    func notRefused(_ id: String, _ state: SyncState) -> String {
        "\(id) is \(state == .acknowledged ? "applied" : state.rawValue); only what the hub refused, or what `pos sync status` shows with a problem, is edited, resolved or discarded"
    }
    func malformedEdit(_ detail: String) -> String { "\(detail)" }
    var nothingToEdit: String { "name what to change with --set PATH=VALUE, --unset PATH or --payload FILE" }
    func noSuchPlace(_ path: String) -> String { "the payload has no place `\(path)`" }
    var nothingChangedNotEnrolled: String { "nothing was changed: the terminal is not enrolled" }
    var nothingChangedLeaseSpent: String { "nothing was changed: a lease was spent meanwhile" }
    func deviceKeyCorrupt(_ path: String) -> String {
        "\(path) is no device key; move it away and run `pos init` to enrol anew"
    }
    func deviceKeyMissing(_ path: String) -> String {
        "\(path) is missing; run `pos init --hub URL --enrol CODE` to enrol"
    }
    func deviceKeyNotWritten(_ detail: String) -> String {
        "cannot write the device key: \(detail); fix the data folder"
    }
    func noDescriptor(_ path: String, ofMachine: Bool) -> String {
        "\(path) cannot be opened: \(ofMachine ? "this machine" : "this process") has no free file descriptor; raise the limit (`ulimit -n`, LimitNOFILE) and try again"
    }
    func fileUnreadable(_ path: String, error: Int32) -> String {
        "\(path) cannot be read (error \(error)); check its owner and its permissions"
    }
    func lockLost(_ lock: String, home: String) -> String {
        "\(lock) was removed or replaced: another agent may own \(home), so this one ends; what it has acknowledged is on the disk"
    }
    func homeUnusable(_ path: String) -> String {
        "cannot make the data folder \(path); choose another one with --home or fix the permissions"
    }
    func homeNotPrivate(_ path: String) -> String {
        "others may enter \(path), and its mode cannot be changed; make it this user's, mode 0700"
    }
    func homeOfOther(_ owner: String, _ path: String) -> String {
        "\(path) belongs to the user \(owner); run the command as \(owner), such as `runuser -u \(owner) -- pos …`"
    }
    func homeMissing(_ path: String) -> String {
        "there is no terminal in \(path); run `pos init --hub URL --enrol CODE --home \(path)`"
    }
    func homeNotWritable(_ path: String, _ error: String, _ cause: HomeFault) -> String {
        "\(path) cannot be written (\(error)): \(advice(on: cause))"
    }
    func homeIncomplete(_ path: String, missing: String) -> String {
        "\(path) holds a terminal's database, and \(missing) is missing: restore it, or enrol again with `pos init --hub URL --enrol-stdin --home \(path)`, which keeps every sale"
    }
    func authorityUnreadable(_ path: String) -> String {
        "hub.caFile \(path) cannot be read; correct the path"
    }
    func transportNotStarted(_ detail: String) -> String { "cannot start the transport: \(detail)" }
    func addressesUnusable(_ detail: String) -> String { "hub.url or qos.url: \(detail)" }
    func socketLost(_ path: String, _ detail: String) -> String {
        "the agent's socket \(path) was lost: \(detail)"
    }
    func tooManyWatchers(_ count: Int) -> String {
        "\(count) programs wait for the status already; end some of them"
    }
    func callFailed(_ call: String) -> String { "\(call) failed; try again" }
    func noRequest(_ detail: String) -> String { "this is no request: \(detail)" }
    var headTooLarge: String { "a request's head may have 16 KiB" }
    var bodyTooLarge: String { "a request may have at most 1 MiB" }
    func agentGone(_ failure: String?) -> String {
        "the agent \(failure.map { "did not answer (\($0))" } ?? "answered something that is not JSON"); look at `pos agent`, then try again: with the same --key nothing is sold twice"
    }
    func socketNameTooLong(_ path: String) -> String {
        "\(path) is longer than the 107 bytes of a socket's name; choose a shorter --home"
    }
    func socketUnusable(_ path: String, _ error: String) -> String {
        "cannot listen on \(path): \(error); look at the data folder"
    }

    func text(_ stop: DrainStop) -> String {
        switch stop {
        case .signInNeeded:
            "the hub does not accept this terminal's token; it is tried again each minute, and where it was "
                + "revoked `pos init` signs this terminal in"
        case .upgradeRequired: "the hub wants a newer version of this terminal; it is tried again hourly"
        case .epochSuperseded: "another copy of this terminal goes on; run `pos init` to enrol this one anew"
        }
    }
    func text(_ ending: DrainReport.Ending, waitEnds: String?) -> String? {
        switch (ending, waitEnds) {
        case (.drained, _): nil
        case (.keysWaiting, _):
            "some rows wait for what they depend on or carry, or the hub has a problem with them"
        case (.hubTrouble, let ends?), (.serverWait, let ends?):
            "the hub asked to wait until \(ends), and nothing is sent before"
        case (.hubTrouble, nil): "the hub was not reached or could not serve"
        case (.serverWait, nil): "the hub asked to wait"
        case (.manualOffline, _): "switched off by hand; `pos offline off` ends it"
        case (.stopped(let stop), _): text(stop)
        case (.storeTrouble, _): "the outbox on disk could not be read or written"
        case (.interrupted, _): "the agent stopped"
        }
    }
    func first(_ step: String, then rest: String) -> String { "\(step) first; \(rest)" }

    private func text(_ demand: ConfigurationDemand) -> String {
        switch demand {
        case .key(let kind): text(kind)
        case .address: "an address such as https://hub.example"
        case .timeZone: "an IANA name such as Asia/Shanghai"
        case .interval: "an interval such as 22:00-06:00"
        case .paper: "58 or 80, in mm"
        case .timeOfDay: "a time of day such as 04:00"
        case .oneOf(let words): words.joined(separator: " or ")
        case .form(let form): form
        case .printer(let error): "\(error)"
        }
    }

    private func text(_ kind: ConfigurationKey.Kind) -> String {
        switch kind {
        case .integer(let unit, let standard, let range):
            "an integer from \(range.lowerBound) to \(range.upperBound) \(unit) (default \(standard))"
        case .limit(let unit, let standard, let range):
            "an integer from \(range.lowerBound) to \(range.upperBound) \(unit) (default \(standard))"
        case .boolean(let standard): "true or false (default \(standard))"
        case .decision(let standard): "true or false (default \(standard))"
        case .text: "a string"
        case .list: "a list of strings"
        case .words(let words): "a list out of \(words.joined(separator: ", "))"
        case .choice(let words, let standard): "\(words.joined(separator: " or ")) (default \(standard))"
        }
    }

    private func name(_ content: StoredContent) -> String {
        switch content {
        case .history: "the history"
        case .outbox: "the outbox"
        case .catalogue: "the catalogue"
        case .attachments: "the attachments"
        }
    }

    private func advice(on fault: HomeFault) -> String {
        switch fault {
        case .readOnly:
            "the file system can only be read, as after an error of the disk: look at the disk, remount it; "
                + "`pos sync export` gets everything out meanwhile"
        case .ofUser(let name):
            "it belongs to \(name.map { "the user \($0)" } ?? "another user"); run this as that user, or correct "
                + "owner and mode"
        case .full: "free some space"
        case .other: "look at the data folder and the disk"
        }
    }
}
