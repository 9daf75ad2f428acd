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
        case .certificate: "the hub's certificate is not good: check this till's clock, then inform IT"
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

    var guideHead: String { "| the line says | it means | you do |" }

    func guide(_ trouble: Banner.Trouble) -> (meaning: String, action: String) {
        switch trouble {
        case .connecting: ("this till was just started", "sell; it takes some seconds")
        case .noInternet: ("nothing comes back from outside", "sell, cash only; look at the router")
        case .noResponse: ("nothing comes back from head office", "sell, cash only; look at the router")
        case .noInterface: ("cable or Wi-Fi of this till is off", "sell, cash only; look at the cable")
        case .loginPage: ("a login page stands in the way", "sell, cash only; inform the manager")
        case .nameNotFound:
            ("the address book of the internet is down", "sell, cash only; inform the manager")
        case .certificate:
            ("this till cannot be sure whom it talks to", "sell, cash only; is the till's clock right?")
        case .hubSilent: ("head office does not respond", "sell, cash only; nothing to do in the shop")
        case .services: ("head office has a fault", "sell, cash only; nothing to do in the shop")
        case .switchedOff:
            ("somebody switched this till off the network", "sell, cash only; F12 switches it back")
        case .flagCorrupt:
            ("the till cannot read its switch", "sell, cash only; F12, then inform the manager")
        case .signIn:
            ("head office has to allow this till again", "sell, cash only; call whoever installs tills")
        case .tooOld: ("this till needs a new version", "sell, cash only; call whoever installs tills")
        case .slow: ("the connection is slow", "sell; it takes care of itself")
        case .notArriving: ("something on the way stops the sales", "sell; inform the manager")
        case .largePackets: ("something on the way loses data", "sell; inform the manager")
        case .busy: ("head office asked to wait", "sell; it takes care of itself")
        case .standby:
            ("the shop's usual line is dead, another one is used", "sell; look at the cable and the router")
        case .entriesNotTaken: ("something on the way stops these entries", "sell; inform the manager")
        case .refused: ("head office did not accept some sales", "sell; inform the manager")
        case .cardDebts:
            (
                "cards that were taken without a connection were refused later",
                "sell; inform the manager, who sees the orders in `pos doctor`"
            )
        case .owedToCustomers:
            ("the card machine did not give money back", "sell; the manager pays it in cash")
        case .superseded: ("a copy of this till was made", "sell; call whoever installs tills today")
        case .clockDiffers:
            (
                "date or time of this till is wrong",
                "have the clock set; F10 once more sells all the same, if you know why"
            )
        case .slowDisk:
            (
                "the disk of this till takes long to write",
                "sell; it takes a little longer; inform the manager"
            )
        case .clockWrong:
            ("date or time of this till is wrong", "sell, dates and prices are right; have the clock set")
        case .hubClockLeapt:
            ("head office has a wrong date or time", "sell; nothing to do in the shop")
        case .dateUnconfirmed:
            ("date or time of this till may be wrong", "sell if the date is right; else have the clock set")
        case .drill: ("somebody tests this till for an outage", "sell, cash only; it ends by itself")
        case .diskFull:
            ("there is no room for another sale", "**do not sell here**; use another till, call IT now")
        case .journalIncomplete:
            ("the till misses sales that it made", "sell; keep all receipts, call IT today")
        case .entriesHeldBack: ("some entries are damaged", "sell; call IT today")
        case .databaseDamaged:
            ("the till cannot read its disk", "**do not sell here**; use another till, call IT now")
        }
    }
}
