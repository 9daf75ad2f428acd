internal import AgentAPI

extension Banner {
    /// The worst of its troubles.
    var advice: BannerAdvice {
        troubles.map { $0.advice(isOffline: isOffline) }
            .reduce(isOffline ? BannerAdvice(.alert, tenders: .cash) : BannerAdvice(.calm)) { $0.worse($1) }
    }
}

extension Banner.Trouble {
    /// What it means for whoever sells: the one decision behind the counter's colour, the status, the pages
    /// for cashiers and the card beside the till.
    func advice(isOffline: Bool) -> BannerAdvice {
        // Online the hub still authorizes cards, on connections that were made before.
        let tenders: BannerAdvice.Tenders = isOffline ? .cash : .all
        return switch self {
        case .slow, .busy, .hubClockLeapt: BannerAdvice(.calm)
        case .connecting, .standby: BannerAdvice(.alert)
        case .noInternet, .noResponse, .noInterface, .hubSilent, .services, .switchedOff, .drill:
            BannerAdvice(.alert, tenders: tenders)
        case .loginPage, .nameNotFound, .flagCorrupt:
            BannerAdvice(.alert, tenders: tenders, call: .manager)
        case .certificate: BannerAdvice(.alert, tenders: tenders, call: .it)
        case .signIn, .tooOld: BannerAdvice(.alert, tenders: .cash, call: .installer)
        case .notArriving, .largePackets, .entriesNotTaken, .refused, .cardDebts, .owedToCustomers, .slowDisk:
            BannerAdvice(.alert, call: .manager)
        case .superseded: BannerAdvice(.alert, call: .installer)
        case .certificateEnded, .journalIncomplete, .entriesHeldBack, .clockWrong:
            BannerAdvice(.alert, call: .it)
        case .clockDiffers, .dateUnconfirmed: BannerAdvice(.alert, sell: .afterCheck, call: .it)
        case .diskFull, .databaseDamaged: BannerAdvice(.stopped, sell: .no, tenders: .none, call: .it)
        }
    }
}
