internal import Base
internal import AgentAPI

/// What the banner may say, with what it means for the cashier: the table of the pages under `docs/cashiers`.
enum BannerTable {
    /// One row for each trouble, in the order in which a shop meets them.
    ///
    /// - Returns: Markdown, a table without its headings' page.
    static func markdown(_ language: Language) -> String {
        let words = BannerTexts(language: language, pending: 0, lastGood: nil, waitEnds: nil)
        let head =
            switch language {
            case .english: "| the line says | it means | you do |"
            case .chinese: "| 屏幕提示 | 含义 | 怎么做 |"
            }
        let rows = troubles.map { trouble in
            let guide = guide(trouble, language)
            return "| \(ShopWords.text(words.words(trouble))) | \(guide.meaning) | \(guide.action) |"
        }
        return ([head, "| --- | --- | --- |"] + rows).joined(separator: "\n")
    }

    private static let troubles: [Banner.Trouble] = [
        .connecting, .noInternet, .noResponse, .noInterface, .loginPage, .nameNotFound, .certificate,
        .hubSilent(internetResponds: true), .hubSilent(internetResponds: false), .services(["order"]),
        .switchedOff(reason: nil), .flagCorrupt, .signIn, .tooOld, .slow, .notArriving, .largePackets, .busy,
        .standby(interface: "wwan0"), .entriesNotTaken(2), .refused(2), .cardDebts(2), .owedToCustomers(2),
        .journalIncomplete,
        .entriesHeldBack(2),
        .superseded,
        .clockDiffers(hours: 26), .clockWrong(milliseconds: 300_000),
        .hubClockLeapt(milliseconds: 172_800_000),
        .dateUnconfirmed(today: "2027-11-25", last: "2026-11-25"), .slowDisk, .diskFull, .databaseDamaged,
        .drill,
    ]

    private typealias Guide = (meaning: String, action: String)

    private static func guide(_ trouble: Banner.Trouble, _ language: Language) -> Guide {
        switch language {
        case .english: english(trouble)
        case .chinese: chinese(trouble)
        }
    }

    private static func english(_ trouble: Banner.Trouble) -> Guide {
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
            ("somebody switched this till off the network", "sell, cash only; `online` switches it back")
        case .flagCorrupt:
            ("the till cannot read its switch", "sell, cash only; `online`, then inform the manager")
        case .signIn: ("head office has to allow this till again", "sell; call whoever installs tills")
        case .tooOld: ("this till needs a new version", "sell; call whoever installs tills")
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
                "have the clock set; `clock` sells all the same, if you know why"
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

    private static func chinese(_ trouble: Banner.Trouble) -> Guide {
        switch trouble {
        case .connecting: ("收银机刚刚启动", "照常收银，等几秒")
        case .noInternet: ("外网没有任何应答", "照常收银，只收现金；检查路由器")
        case .noResponse: ("总部没有任何应答", "照常收银，只收现金；检查路由器")
        case .noInterface: ("本机网线或 Wi-Fi 断开", "照常收银，只收现金；检查网线")
        case .loginPage: ("网络要求先登录", "照常收银，只收现金；告诉店长")
        case .nameNotFound: ("域名解析中断", "照常收银，只收现金；告诉店长")
        case .certificate: ("无法确认总部的身份", "照常收银，只收现金；看看本机时间对不对")
        case .hubSilent: ("总部没有应答", "照常收银，只收现金；本店无需处理")
        case .services: ("总部出现故障", "照常收银，只收现金；本店无需处理")
        case .switchedOff: ("有人手动切换为离线", "照常收银，只收现金；输入 `online` 恢复")
        case .flagCorrupt: ("无法读取手动离线标记", "照常收银，只收现金；输入 `online`，再告诉店长")
        case .signIn: ("总部需要重新准许本机", "照常收银；联系安装人员")
        case .tooOld: ("本机需要升级", "照常收银；联系安装人员")
        case .slow: ("网络较慢", "照常收银，无需处理")
        case .notArriving: ("单据在途中被拦住", "照常收银；告诉店长")
        case .largePackets: ("途中丢失数据", "照常收银；告诉店长")
        case .busy: ("总部要求稍等", "照常收银，无需处理")
        case .standby: ("主线路中断，正在使用备用线路", "照常收银；检查网线和路由器")
        case .entriesNotTaken: ("这些单据在途中被拦住", "照常收银；告诉店长")
        case .refused: ("总部没有接受部分单据", "照常收银；告诉店长")
        case .cardDebts: ("断网时刷的卡事后被拒", "照常收银；告诉店长，订单号见 `pos doctor`")
        case .owedToCustomers: ("刷卡机没有退回款项", "照常收银；由店长付现金")
        case .superseded: ("本机数据被复制过", "照常收银；今天联系安装人员")
        case .clockDiffers: ("本机日期或时间不对", "请人校准时钟；确知原因时可输入 `clock` 照常收银")
        case .slowDisk: ("本机磁盘写入很慢", "照常收银，会慢一些；告诉店长")
        case .clockWrong: ("本机日期或时间不对", "照常收银，日期和价格按总部时间；请人校准时钟")
        case .hubClockLeapt: ("总部的日期或时间不对", "照常收银；本店无需处理")
        case .dateUnconfirmed: ("本机日期可能不对", "日期无误则照常收银，否则请人校准时钟")
        case .drill: ("有人在测试本机的断网能力", "照常收银，只收现金；会自动结束")
        case .diskFull: ("没有空间记录新的单据", "**不要在本机收银**；换一台，马上联系技术人员")
        case .journalIncomplete: ("本机缺少已完成的单据", "照常收银；保留所有小票，今天联系技术人员")
        case .entriesHeldBack: ("部分单据内容损坏", "照常收银；今天联系技术人员")
        case .databaseDamaged: ("本机无法读取数据", "**不要在本机收银**；换一台，马上联系技术人员")
        }
    }
}
