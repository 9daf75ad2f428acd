internal import Base
internal import HubProtocol

struct EnglishDashboardTexts: DashboardTexts {
    var languageName: String { "English" }

    func group(_ group: DashboardGroup) -> String {
        switch group {
        case .now: "Now"
        case .fleet: "Fleet"
        case .money: "Sales"
        case .administration: "Administration"
        }
    }

    func page(_ page: DashboardPage) -> String {
        switch page {
        case .overview: "Overview"
        case .services: "Services"
        case .stores: "Stores"
        case .terminals: "Terminals"
        case .offline: "Offline periods"
        case .sales: "Sales"
        case .orders: "Orders"
        case .shifts: "Shifts"
        case .debts: "Debts"
        case .alarms: "Alarms"
        case .flags: "Flags"
        case .refused: "Refused"
        case .overrides: "Overrides"
        case .log: "Log"
        }
    }

    func frame(_ key: PageText.Frame) -> String {
        switch key {
        case .skip: "Skip to content"
        case .navigation: "Pages"
        case .signOut: "Sign out"
        case .signIn: "Sign in"
        case .storeAway:
            "The hub's database does not respond. Terminals go on selling; these figures are old."
        case .since: "since"
        case .figures: "Figures of"
        case .live: "live"
        case .disconnected: "No connection to the hub; the page goes on when it is back."
        case .updated: "Updated"
        case .search: "Search"
        case .filter: "Show"
        case .all: "all"
        case .sort: "Sort by"
        case .apply: "Apply"
        case .previous: "Previous"
        case .next: "Next"
        case .nothing: "Nothing fits."
        case .of: "of"
        case .newest: "Newest"
        case .older: "Older"
        case .store: "Store"
        case .terminal: "Terminal"
        case .name: "Name"
        case .state: "State"
        case .reason: "Reason"
        case .when: "When"
        case .by: "by"
        case .until: "until"
        case .version: "Version"
        case .detail: "Detail"
        case .note: "Note"
        case .order: "Order"
        case .amount: "Amount"
        case .type: "Type"
        case .received: "Received"
        case .day: "24 hours"
        case .week: "7 days"
        case .password: "Password"
        case .firstTime: "First time: set a password with the login code"
        case .loginCode: "Login code"
        case .newPassword: "New password, 10 characters or more"
        case .setPassword: "Set the password and sign in"
        case .withToken: "With an operator token"
        case .token: "Token"
        case .choose: "choose …"
        case .back: "Back, without a change"
        case .never: "never"
        case .justNow: "just now"
        case .id: "Id"
        case .orderNumber: "Order number or id"
        case .currency: "Currency"
        case .count: "Number"
        case .cashier: "Cashier"
        case .timesOf: "Times of"
        case .colon: ": "
        case .comma: ", "
        case .opening: " ("
        case .closing: ")"
        }
    }

    func fleet(_ key: PageText.Fleet) -> String {
        switch key {
        case .wrongNow: "What is wrong now"
        case .allWell: "Nothing is wrong."
        case .searchHint: "Store, number, name, id or version"
        case .mode: "Mode"
        case .causes: "Causes"
        case .outbox: "Outbox"
        case .oldest: "Oldest"
        case .contact: "Last contact"
        case .away: "Away"
        case .byStore: "store"
        case .byMode: "worst first"
        case .byContact: "longest without contact"
        case .byOutbox: "oldest outbox"
        case .byVersion: "version"
        case .sinceHead: "Since"
        case .online: "online"
        case .offlineOrSilent: "offline or silent"
        case .pending: "mutations wait at terminals"
        case .system: "System"
        case .enrolled: "Enrolled"
        case .success: "Successful pushes"
        case .unconfirmed: "unconfirmed"
        case .report: "Last report"
        case .lasts: "lasts"
        case .began: "Began"
        case .length: "Length"
        case .noPeriods: "No terminal was offline in this time."
        case .legendNetwork: "network"
        case .legendService: "service"
        case .legendManual: "by hand"
        case .awayTile: "Offline or silent"
        case .toBeSent: "Waiting to be sent"
        case .waitForPerson: "wait for a person"
        case .goodsGone: "goods are gone and no money came"
        case .storesAway: "Stores that are away"
        case .missingEntries: "Missing entries"
        case .only: "Only those with"
        case .copied: "Of those, at other tills too"
        case .handedIn: "Handed in by other tills"
        case .acceptHandedIn: "Some of it waits for a person: pos-hub terminals accept-relayed"
        case .telephone: "Telephone"
        case .location: "Place"
        case .zone: "Time zone"
        case .nothingKnown: "nothing known"
        case .storeOrTerminal: "Store or terminal"
        case .terminalId: "Terminal's id"
        case .oldestSince: "Oldest since"
        case .ended: "Ended"
        case .lengthSeconds: "Length in seconds"
        case .periodsPlot: "Offline periods, a row for each store or terminal"
        }
    }

    func service(_ key: PageText.Service) -> String {
        switch key {
        case .service: "Service"
        case .scope: "Scope"
        case .source: "Decided by"
        case .history: "Changes"
        case .evidence: "Evidence"
        case .failing: "Failing terminals"
        case .failedOf: "failed of"
        case .overrideInForce: "Override"
        case .untilCleared: "until it is taken back"
        case .takeBack: "Take back"
        case .waiting: "Waits for a second operator"
        case .confirm: "Confirm"
        case .confirmBy: "to be confirmed before"
        case .notOwn: "Another operator has to confirm this."
        case .setOverride: "Set an override"
        case .forStore: "Store (empty: the chain)"
        case .forStoreOnly: "Store"
        case .ends: "Ends after"
        case .min15: "15 min"
        case .h1: "1 h"
        case .h4: "4 h"
        case .h24: "24 h"
        case .chainNote: "For the chain another operator has to confirm it within 30 minutes."
        case .inForce: "In force"
        case .noOverrides: "No override is in force."
        case .chain: "all stores"
        case .who: "Who"
        case .what: "What"
        case .subject: "Subject"
        case .outcome: "Outcome"
        case .intact: "The chain of hashes of these entries is intact."
        case .broken: "The chain of hashes is broken at entry"
        case .operatorsDid: "What operators did"
        case .outcomeRefused: "refused"
        case .outcomeProposed: "waits"
        case .outcomeDone: "done"
        case .end: "Until"
        }
    }

    func record(_ key: PageText.Record) -> String {
        switch key {
        case .openOnly: "open"
        case .openOne: "open"
        case .acknowledged: "acknowledged"
        case .acknowledge: "Acknowledge"
        case .lastTime: "Last time"
        case .times: "Times"
        case .noAlarms: "No alarm is open."
        case .flag: "Flag"
        case .dayReceived: "Day of arrival (UTC)"
        case .flagsAre: "The hub accepted these and found something to look at in them."
        case .noFlags: "Nothing was flagged."
        case .noRefusals: "Nothing refused is open."
        case .resolvedBy: "Resolved by"
        case .resolve: "Resolve"
        case .resolved: "resolved"
        case .keep: "Keep"
        case .keepTerminal: "the terminal's: it has to send it again"
        case .keepServer: "the hub's: it is given up"
        case .keptServer: "the hub's state is kept"
        case .keptTerminal: "the terminal sends it again"
        case .resolveNote:
            "What is given up is never applied here; at the terminal somebody discards or edits the entry."
        case .sent: "What the terminal sent"
        case .serverHas: "What the hub has"
        case .allRefused: "All refused mutations"
        case .refusedMutations: "Refused mutations"
        case .refusedMutation: "Refused mutation"
        case .alarm: "Alarm"
        }
    }

    func sale(_ key: PageText.Sale) -> String {
        switch key {
        case .salesOf: "Sales of"
        case .businessDay: "Business day"
        case .saleCount: "Sales"
        case .gross: "Gross"
        case .discounts: "Discounts"
        case .refunds: "Refunds"
        case .net: "Net"
        case .tax: "Tax in it"
        case .noSales: "Nothing was sold on this day."
        case .byTender: "By tender"
        case .tender: "Tender"
        case .salesByStore: "By store"
        case .others: "others"
        case .find: "Find"
        case .flagged: "Flagged"
        case .lines: "Lines"
        case .article: "Article"
        case .barcode: "Barcode"
        case .quantity: "Quantity"
        case .price: "Price"
        case .payments: "Payments"
        case .cameBack: "Voids and refunds"
        case .mutation: "Mutation"
        case .sameDay: "Other orders of the day in this store"
        case .ordersOf: "Orders of the day"
        case .simulated: "simulated"
        case .void: "void"
        case .refund: "refund"
        case .total: "Total"
        case .change: "Change"
        case .refunded: "Came back"
        case .approver: "Approver"
        case .member: "Member"
        case .ownDays: "The stores' time zones differ: each store is counted with its own day."
        case .ownDay: "Each store's own day"
        case .tillMode: "Mode of the till"
        case .sold: "Sold"
        case .notBegun: "This day has not begun. Choose today or an earlier one."
        }
    }

    func shift(_ key: PageText.Shift) -> String {
        switch key {
        case .shift: "Shift"
        case .opened: "Opened"
        case .closed: "Closed"
        case .expected: "Cash expected"
        case .counted: "Counted"
        case .difference: "Difference"
        case .noShifts: "No shift fits."
        case .notClosed: "Not closed yet. The terminal sends the sums with its closing."
        case .disputedMeans:
            "The hub's journal has other figures. Where a refused sale is the cause, its edit starts a new comparison."
        case .openByStore: "Open by store"
        case .byTax: "By tax"
        case .rate: "Rate"
        case .taxable: "Paid under it"
        case .taxAmount: "Tax"
        case .drawer: "Drawer"
        case .differences: "What differs"
        case .figure: "Figure"
        case .ofTerminal: "Terminal's"
        case .ofHub: "Hub's"
        case .statements: "Statements"
        case .epoch: "Epoch"
        case .key: "Key"
        case .noStatements: "The hub has countersigned nothing yet: entries are still to come."
        case .issued: "Signed"
        case .cardMachine: "Card machine"
        case .cardMachineAre:
            "The machine's own end of day beside the terminal's sum, and payments that a person decided by the machine's paper."
        case .ofMachine: "Machine's"
        case .decidedCharged: "Decided: charged"
        case .decidedNotCharged: "Decided: not charged"
        case .decidedVoided: "Void decided: done"
        case .decidedNotVoided: "Void decided: not done"
        case .decidedRefunded: "Refund decided: done"
        case .decidedNotRefunded: "Refund decided: not done"
        case .decidedBy: "Decided by"
        case .debtsOpen: "Debts open"
        case .debtsAre: "Cards taken offline and refused afterwards: the goods are gone and no money came."
        case .noDebts: "No debt is open."
        case .taken: "Taken"
        case .refusedAt: "Refused"
        case .settle: "Settle"
        case .settled: "settled"
        case .settleNote: "Paid or written off, how"
        case .allShifts: "All shifts"
        case .allDebts: "All debts"
        case .noReason: "no reason given"
        case .float: "Float"
        case .journalEntries: "Journal entries"
        case .lastHash: "Last hash"
        case .cashCounted: "Cash counted"
        }
    }

    func role(_ role: PageWord.Role) -> String {
        switch role {
        case .viewer: "viewer"
        case .operator: "operator"
        case .manager: "manager"
        case .integrator: "integrator"
        }
    }

    func source(_ source: PageWord.Source) -> String {
        switch source {
        case .reports: "reports of terminals"
        case .probe: "the hub's probe"
        case .operator: "operator"
        }
    }

    func cause(_ cause: PageWord.Cause) -> String {
        switch cause {
        case .silent: "no contact"
        case .manual: "by hand"
        case .network: "network"
        case .service: "service"
        }
    }

    func fault(_ fault: PageWord.NetworkFault) -> String {
        switch fault {
        case .noLink: "no cable and no Wi-Fi"
        case .certificate: "a certificate has ended, or a clock is wrong"
        case .foreignName: "the certificate is made out to another name"
        case .portal: "a login page responds"
        case .names: "names are not found"
        case .noInternet: "the internet does not respond"
        case .hubDark: "the hub alone does not respond"
        case .lost: "connections get lost"
        }
    }

    func name(of service: PageWord.Service) -> String {
        switch service {
        case .account: "account"
        case .marketing: "marketing"
        case .member: "member"
        case .order: "order"
        case .payment: "payment"
        case .product: "product"
        }
    }

    func name(_ figure: ShiftFigure) -> String { Language.english.sharedTexts.name(figure) }

    func state(_ state: PageWord.Order) -> String {
        switch state {
        case .completed: "completed"
        case .voided: "voided"
        case .refunded: "refunded"
        case .refundedInPart: "refunded in part"
        }
    }

    func state(_ state: ServiceState) -> String {
        switch state {
        case .healthy: "healthy"
        case .recovering: "recovering"
        case .faulty: "faulty"
        }
    }

    func state(_ state: ShiftSettlement.State) -> String {
        switch state {
        case .open: "open"
        case .provisional: "provisional"
        case .confirmed: "confirmed"
        case .disputed: "disputed"
        }
    }

    func state(_ hold: RelayHold?) -> String {
        switch hold {
        case nil: "taken"
        case .revoked: "waits: the terminal is revoked"
        case .unconfirmed: "waits: the terminal is not confirmed"
        case .conflict: "waits: against another entry"
        case .superseded: "waits: of an earlier epoch"
        case .epoch: "waits: of an epoch that is not known"
        }
    }

    func mode(_ mode: FleetMode) -> String {
        switch mode {
        case .online: "online"
        case .degraded: "degraded"
        case .offline: "offline"
        case .silent: "silent"
        case .waiting: "never seen"
        case .revoked: "revoked"
        }
    }

    func done(_ result: FormResult) -> String {
        switch result {
        case .set, .confirmed: "The override holds."
        case .proposed: "The override waits for a second operator."
        case .acknowledged: "The alarm is acknowledged."
        case .resolved: "The decision is noted."
        case .settled: "The debt is settled."
        case .cleared: "It is taken back."
        }
    }

    func unit(_ unit: TimeUnit) -> String {
        switch unit {
        case .day: "d"
        case .hour: "h"
        case .minute: "min"
        case .second: "s"
        }
    }

    func ago(_ span: String) -> String { "\(span) ago" }
    func lasting(_ span: String, failing percent: Int64?) -> String {
        "for \(span)" + (percent.map { ", \($0) % fail" } ?? "")
    }
    func stillLasts(_ title: String) -> String { "\(title), lasts" }
    func failed(percent: Int64) -> String { "\(percent) % of requests of the last minute fail" }
    func store(_ id: String) -> String { "store \(id)" }
    func terminal(_ id: String) -> String { "terminal \(id)" }
    func sales(of day: String) -> String { "Sales of \(day)" }
    func sales(count: String) -> String { "\(count) sales" }
    func online(_ number: String) -> String { "\(number) online" }
    func wholeStores(_ number: String) -> String { "whole stores: \(number)" }
    func moreStores(_ number: String) -> String { "more stores: \(number)" }
    func refusedAtTerminals(_ number: String) -> String { "terminals hold: \(number)" }
    func oldest(_ span: String) -> String { "oldest \(span)" }
    func states(of service: String) -> String { "States of \(service) in the last 24 hours" }
    func entries(sold: String, received: String, gap: String) -> String {
        "\(sold) entries, \(received) received, gap \(gap)"
    }

    func title(of problem: Problem) -> String { problem.title }
    func detail(of problem: Problem) -> String { problem.detail }

    func refusal(_ refusal: LoginRefusal) -> String {
        switch refusal {
        case .wrong:
            "Name, password, code or token is wrong, or has ended. Write them again; `pos-hub operator add` gives a new code."
        case .withoutStore: "This process has no order store: sign in with a token."
        case .tooMany(let seconds): "Too many attempts. Try again in \(seconds) seconds."
        case .password(let shortest): "A password has \(shortest) signs or more, 200 bytes at most."
        case .busy: "The hub's store does not respond. Try again."
        }
    }

    func wanted(_ service: String, _ state: String, _ place: String, until end: String?) -> String {
        "The service \(service) becomes \(state) for \(place), \(end.map { "until \($0)" } ?? "until it is taken back")."
    }

    func unknownStore(_ id: String) -> String { "No terminal is of a store \(id). Check the store's id." }

    func title(of trouble: Trouble.Kind) -> String {
        switch trouble {
        case .storeAway: "The hub's database does not respond"
        case .service(let name, let state, _, _): "\(self.name(ofService: name)) is \(self.state(state))"
        case .scopes(let name, _, _): "\(self.name(ofService: name)) fails for some"
        case .proposal(let proposal):
            "An override of \(name(ofService: proposal.service)) waits for a second operator"
        case .overrides(let count): "Overrides in force: \(count)"
        case .storesAway(let stores): "Whole stores offline or silent: \(stores)"
        case .terminalsAway(let count): "Terminals of other stores offline or silent: \(count)"
        case .oldOutbox(let terminals, _): "Terminals whose sales wait for over an hour: \(terminals)"
        case .refused(let open, let held):
            open > 0
                ? "Refused mutations to resolve: \(open)" : "Refused mutations that terminals hold: \(held)"
        case .gaps(let terminals, _): "Journals with missing entries: \(terminals)"
        case .unconfirmed(let count): "Terminals that wait for a confirmation: \(count)"
        case .alarms(let count): "Open alarms: \(count)"
        case .disputedShifts(let count): "Disputed shifts: \(count)"
        case .debts(let count): "Cards taken offline and refused: \(count)"
        }
    }

    func scopes(stores: Int, terminals: Int) -> String {
        "stores: \(stores), terminals: \(terminals)"
    }
    func missing(entries: String) -> String {
        "entries that did not arrive between others that did: \(entries)"
    }

    func replaces(_ sentence: String, by name: String, reason: String) -> String {
        "It takes the place of what \(name) set: \(sentence) (\(reason))"
    }
}
