internal import AgentAPI
internal import Base
internal import HubProtocol
struct EnglishBannerTexts: BannerTexts {
    var online: String { "ONLINE" }
    var offline: String { "OFFLINE" }
    var connecting: String { "CONNECTING…" }
    var checkingNetwork: String { "CHECKING THE NETWORK…" }
    var stopped: String { "STOPPED" }

    var salesAreKept: String { "sales are kept here and sent by themselves" }
    func waiting(_ count: Int, copied: Int) -> String {
        "\(count) waiting to be sent" + (copied > 0 ? ", \(copied) of them also at another till" : "")
    }
    func readableWaiting(_ count: Int) -> String { "\(count) readable sales and notes wait" }

    func text(_ trouble: Banner.Trouble, lastGood: String?, waitEnds: String?) -> String {
        switch trouble {
        case .switchedOff(let reason): "switched off by hand" + (reason.map { " (\($0))" } ?? "")
        case .flagCorrupt: "the file of the manual switch cannot be read"
        case .connecting:
            lastGood.map { "connecting: the hub was last reached \($0)" }
                ?? "connecting: the hub was not reached yet"
        case .noInterface: "this till has no network: check its cable or Wi-Fi"
        case .loginPage: "the shop's network wants a login: open its login page"
        case .nameNotFound: "the hub's name cannot be found: the shop's internet or its DNS is down"
        case .certificate, .certificateEnded:
            "the hub's certificate is not good: check this till's clock, then inform IT"
        case .noInternet: "the shop's internet is down: check the router"
        case .noResponse:
            "nothing comes back from the hub: the shop's internet is down, or the hub; check the router"
        case .hubSilent(internetResponds: true): "the hub does not answer; the shop's internet is fine"
        case .hubSilent(internetResponds: false): "the hub does not answer, though its machine can be reached"
        case .services(let names):
            "the hub's service is down (\(names.joined(separator: ", "))); nothing to fix in the shop"
        case .signIn: "the hub does not accept this till: sign in"
        case .tooOld: "the hub wants a newer version of this till: have it updated"
        case .slow: "the line to the hub is slow; sales do not wait for it"
        case .notArriving: "the hub responds, but sales do not get through to it"
        case .largePackets: "the connection loses large packets: have the MTU of the router or VPN checked"
        case .busy: waitEnds.map { "the hub asked to wait until \($0)" } ?? "the hub is busy"
        case .superseded: "another copy of this till goes on: nothing of this one is sent"
        case .clockDiffers(let hours): clockDiffers(hours: hours) + ", sales are refused"
        case .clockWrong(let milliseconds):
            "this till's clock is \(age(milliseconds)) off the hub's: set it; sales go by the hub's"
        case .hubClockLeapt(let milliseconds):
            "the hub's clock leapt by \(age(milliseconds)): sales go on by its former time"
        case .dateUnconfirmed(let today, let last):
            "is today \(today)? The hub was last reached on \(last): check this till's date"
        case .diskFull: "the disk is full: nothing can be sold"
        case .slowDisk: "this till's disk is slow, sales wait for it: see `pos doctor`"
        case .drill: "a drill plays an outage, for two minutes at most"
        case .standby(let interface):
            "the main connection is down, sales go over \(interface): check the cable and the router"
        case .entriesNotTaken(1): "1 entry does not get through to the hub: see `pos doctor`"
        case .entriesNotTaken(let count): "\(count) entries do not get through to the hub: see `pos doctor`"
        case .refused(let count): "\(count) refused by the hub: see `pos sync rejected`"
        case .cardDebts(1): "a card was refused after its sale, the customer owes: see `pos doctor`"
        case .cardDebts(let count):
            "\(count) cards were refused after their sales, the customers owe: see `pos doctor`"
        case .owedToCustomers(let count): "\(count) refused by the card machine: see `pos orders owed`"
        case .databaseDamaged: "this till's database is damaged: nothing can be sold here"
        case .journalIncomplete: "this till's database is missing sales: see `pos doctor`"
        case .entriesHeldBack(let count): "\(count) damaged entries are held back: see `pos sync rejected`"
        }
    }

    /// Without its sign.
    private func age(_ milliseconds: Int64) -> String {
        Language.english.age(milliseconds: Int64(clamping: milliseconds.magnitude))
    }

    func clockDiffers(hours: Int64) -> String { "this till's clock is \(hours) h off the hub's: set it" }

    func help(_ action: Banner.Action, by command: String) -> String? {
        switch action {
        case .none, .resolve, .examine: nil
        case .retry: "try now: `\(command)`"
        case .signIn: "sign in: `\(command)`"
        case .switchOn: "back: `\(command)`"
        case .repair: "end the agent and repair: `\(command)`"
        }
    }

    func guide(_ trouble: Banner.Trouble) -> (meaning: String, action: String) {
        switch trouble {
        case .connecting: ("This till was just started.", "It takes some seconds.")
        case .noInternet: ("Nothing comes back from outside.", "Look at the router.")
        case .noResponse: ("Head office or the line is down.", "Look at the router.")
        case .noInterface: ("The cable or Wi-Fi of this till is off.", "Look at the cable.")
        case .loginPage: ("A login page stands in the way.", "")
        case .nameNotFound: ("The address book of the internet is down.", "")
        case .certificate: ("This till cannot be sure whom it talks to.", "Is the till's clock right?")
        case .certificateEnded: ("The till will be offline soon.", "Is the till's clock right? Call now.")
        case .hubSilent: ("Head office does not respond.", "Nothing to do in the shop.")
        case .services: ("Head office has a fault.", "Nothing to do in the shop.")
        case .switchedOff: ("Somebody switched this till off the network.", "F12 switches it back.")
        case .flagCorrupt: ("The till cannot read its switch.", "Press F12.")
        case .signIn: ("Head office has to allow this till again.", "")
        case .tooOld: ("This till needs a new version.", "")
        case .slow: ("The connection is slow.", "It takes care of itself.")
        case .notArriving: ("Something on the way stops the sales.", "")
        case .largePackets: ("Something on the way loses data.", "")
        case .busy: ("Head office asked to wait.", "It takes care of itself.")
        case .standby:
            ("The shop's usual line is dead, another one is used.", "Look at the cable and the router.")
        case .entriesNotTaken: ("Something on the way stops these entries.", "")
        case .refused: ("Head office did not accept some sales.", "")
        case .cardDebts: ("Cards that were taken offline were refused later.", "")
        case .owedToCustomers: ("The card machine did not give money back.", "The manager pays it in cash.")
        case .superseded: ("A copy of this till was made.", "Call today.")
        case .clockDiffers:
            (
                "Date or time of this till is wrong.",
                "Have the clock set. F10 once more sells all the same, if you know why."
            )
        case .slowDisk: ("The disk of this till takes long to write.", "A sale takes a little longer.")
        case .clockWrong:
            (
                "Date or time of this till is wrong.",
                "Dates and prices of sales are right. Have the clock set."
            )
        case .hubClockLeapt: ("Head office has a wrong date or time.", "Nothing to do in the shop.")
        case .dateUnconfirmed:
            ("Date or time of this till may be wrong.", "Sell if the date is right. Else have the clock set.")
        case .drill: ("Somebody tests this till for an outage.", "It ends by itself.")
        case .diskFull: ("There is no room for another sale.", "Use another till. Call now.")
        case .journalIncomplete: ("The till misses sales that it made.", "Keep all receipts. Call today.")
        case .entriesHeldBack: ("Some entries are damaged.", "Call today.")
        case .databaseDamaged: ("The till cannot read its disk.", "Use another till. Call now.")
        }
    }

    var serviceStopped: (meaning: String, action: String) {
        ("The till's own program has ended.", "Wait a minute. Then use another till, and call.")
    }

    func word(_ sell: BannerAdvice.Sell) -> String {
        switch sell {
        case .yes: "yes"
        case .afterCheck: "check first"
        case .no: "NO"
        }
    }

    func word(_ tenders: BannerAdvice.Tenders) -> String {
        switch tenders {
        case .all: "all"
        case .cash: "cash only"
        case .none: "none"
        }
    }

    func word(_ person: BannerAdvice.Person) -> String {
        switch person {
        case .nobody: "nobody"
        case .manager: "manager"
        case .installer: "installer"
        case .it: "IT"
        }
    }
}
