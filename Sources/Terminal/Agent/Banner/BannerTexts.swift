internal import Base
internal import OfflineCore
internal import Retail

/// The banner in one language.
struct BannerTexts {
    let language: Language
    /// How many rows wait in the outbox.
    let pending: Int
    /// The last response of the hub in the store's time, for a till that looks for it; nil when it never was.
    let lastGood: String?
    /// The end of the hub's request to wait in the store's time; nil while none is valid.
    let waitEnds: String?

    /// One line: the mode, whose trouble it is, what happens to the sale, what helps.
    func text(of banner: Banner) -> String {
        var parts = [head(of: banner)]
        parts += banner.troubles.map(words)
        if banner.troubles.contains(where: \.keepsSales) {
            parts.append(said("sales are kept here and sent by themselves", "单据保存在本机，恢复后自动上传"))
        }
        if pending > 0 { parts.append(said("\(pending) waiting to be sent", "\(pending) 笔待上传")) }
        if let help = help(banner.action) { parts.append(help) }
        return parts.joined(separator: " · ")
    }

    /// The line of a terminal that cannot start.
    func stopped(by trouble: Banner.Trouble, action: Banner.Action) -> String {
        var parts = [said("STOPPED", "已停止"), words(trouble)]
        if pending > 0 {
            parts.append(said("\(pending) readable sales and notes wait", "\(pending) 笔可读单据待上传"))
        }
        if let help = help(action) { parts.append(help) }
        return parts.joined(separator: " · ")
    }

    private func said(_ english: String, _ chinese: String) -> String {
        switch language {
        case .english: english
        case .chinese: chinese
        }
    }

    private func head(of banner: Banner) -> String {
        if banner.isOffline { return said("OFFLINE", "离线") }
        // Never an optimistic online before the hub was seen, nor beside a network that seems to be gone: T1
        // still runs then.
        if banner.troubles == [.connecting] { return said("CONNECTING…", "连接中…") }
        return banner.troubles.contains(where: \.isOfNetwork)
            ? said("CHECKING THE NETWORK…", "正在检查网络…") : said("ONLINE", "在线")
    }

    /// The trouble alone.
    func words(_ trouble: Banner.Trouble) -> String {
        switch trouble {
        case .switchedOff(let reason):
            said("switched off by hand", "已手动切换为离线") + (reason.map { said(" (\($0))", "（\($0)）") } ?? "")
        case .flagCorrupt:
            said("the file of the manual switch cannot be read", "手动离线标记文件无法读取")
        case .connecting: connecting
        case .noInterface:
            said("this till has no network: check its cable or Wi-Fi", "本机没有网络：请检查网线或 Wi-Fi")
        case .loginPage:
            said("the shop's network wants a login: open its login page", "本店网络需要登录：请打开登录页面")
        case .nameNotFound:
            said(
                "the hub's name cannot be found: the shop's internet or its DNS is down",
                "找不到服务器地址：本店外网或 DNS 中断")
        case .certificate:
            said(
                "the hub's certificate is not good: check this till's clock, then inform IT",
                "服务器证书无效：请检查本机时钟，并通知系统管理员")
        case .noInternet: said("the shop's internet is down: check the router", "本店外网中断：请检查路由器")
        case .noResponse:
            said(
                "nothing comes back from the hub: the shop's internet is down, or the hub; check the router",
                "联系不上总部：本店外网或总部服务器中断，请检查路由器")
        case .hubSilent(internetResponds: true):
            said("the hub does not answer; the shop's internet is fine", "总部服务器没有应答，本店外网正常")
        case .hubSilent(internetResponds: false):
            said("the hub does not answer, though its machine can be reached", "总部服务器没有应答，但可以连通其主机")
        case .services(let names):
            said(
                "the hub's service is down (\(names.joined(separator: ", "))); nothing to fix in the shop",
                "总部服务故障（\(names.joined(separator: "、"))），本店无需处理")
        case .signIn:
            said("the hub does not accept this till: sign in", "总部不接受本机身份：请重新登录")
        case .tooOld:
            said("the hub wants a newer version of this till: have it updated", "总部要求更新版本：请升级本机")
        case .slow: said("the line to the hub is slow; sales do not wait for it", "网络较慢，收银不受影响")
        case .notArriving:
            said("the hub responds, but sales do not get through to it", "总部有应答，但单据无法送达")
        case .largePackets:
            said(
                "the connection loses large packets: have the MTU of the router or VPN checked",
                "网络丢失大数据包：请检查路由器或 VPN 的 MTU 设置")
        case .busy: busy
        case .superseded:
            said(
                "another copy of this till goes on: nothing of this one is sent", "本机的另一副本正在使用：本机单据无法上传")
        case .clockDiffers(let hours):
            language.clockDiffers(hours: hours) + said(", sales are refused", "，暂不能收银")
        case .clockWrong(let milliseconds): clockWrong(milliseconds)
        case .hubClockLeapt(let milliseconds): hubClockLeapt(milliseconds)
        case .dateUnconfirmed(let today, let last): dateUnconfirmed(today, last: last)
        case .diskFull: said("the disk is full: nothing can be sold", "磁盘已满：无法收银")
        case .slowDisk: slowDisk
        case .drill:
            said("a drill plays an outage, for two minutes at most", "正在进行断网演练，最多两分钟")
        case .standby(let interface): standby(interface)
        case .entriesNotTaken(let count): entriesNotTaken(count)
        case .refused(let count): refused(count)
        case .cardDebts(let count): cardDebts(count)
        case .owedToCustomers(let count): owedToCustomers(count)
        case .databaseDamaged:
            said("this till's database is damaged: nothing can be sold here", "本机数据库已损坏：无法收银")
        case .journalIncomplete:
            said(
                "this till's database is missing sales: see `pos doctor`", "本机数据库缺少单据：请运行 `pos doctor`")
        case .entriesHeldBack(let count): entriesHeldBack(count)
        }
    }

    private func standby(_ interface: String) -> String {
        said(
            "the main connection is down, sales go over \(interface): check the cable and the router",
            "主线路中断，单据经备用线路 \(interface) 上传：请检查网线和路由器")
    }

    private func entriesNotTaken(_ count: Int) -> String {
        said(
            count == 1
                ? "1 entry does not get through to the hub: see `pos doctor`"
                : "\(count) entries do not get through to the hub: see `pos doctor`",
            "\(count) 笔单据无法送达总部：请运行 `pos doctor`")
    }

    private func refused(_ count: Int) -> String {
        said(
            "\(count) refused by the hub: see `pos sync rejected`",
            "\(count) 笔单据被总部拒绝：请运行 `pos sync rejected`")
    }

    private func entriesHeldBack(_ count: Int) -> String {
        said(
            "\(count) damaged entries are held back: see `pos sync rejected`",
            "\(count) 笔单据内容损坏，未上传：请运行 `pos sync rejected`")
    }

    private func clockWrong(_ milliseconds: Int64) -> String {
        said(
            "this till's clock is \(span(milliseconds)) off the hub's: set it; sales go by the hub's",
            "本机时钟与总部相差\(span(milliseconds))：请校准时钟；收银按总部时间")
    }

    private func hubClockLeapt(_ milliseconds: Int64) -> String {
        said(
            "the hub's clock leapt by \(span(milliseconds)): sales go on by its former time",
            "总部时钟跳变\(span(milliseconds))：收银按原来的时间")
    }

    private func dateUnconfirmed(_ today: String, last: String) -> String {
        said(
            "is today \(today)? The hub was last reached on \(last): check this till's date",
            "今天是 \(today) 吗？上次连上总部是 \(last)：请核对本机日期")
    }

    /// A difference without its sign, in the unit that is read fastest.
    private func span(_ milliseconds: Int64) -> String {
        let minutes = Int64(milliseconds.magnitude / 60_000)
        if minutes < 120 { return said("\(minutes) min", " \(minutes) 分钟") }
        if minutes < 48 * 60 { return said("\(minutes / 60) h", " \(minutes / 60) 小时") }
        return said("\(minutes / 1_440) days", " \(minutes / 1_440) 天")
    }

    private func owedToCustomers(_ count: Int) -> String {
        said(
            "\(count) refused by the card machine: see `pos orders owed`",
            "\(count) 笔退款被刷卡机拒绝：请运行 `pos orders owed`")
    }

    private func cardDebts(_ count: Int) -> String {
        said(
            count == 1
                ? "a card was refused after its sale, the customer owes: see `pos doctor`"
                : "\(count) cards were refused after their sales, the customers owe: see `pos doctor`",
            "\(count) 笔离线刷卡事后被拒，顾客尚欠：请运行 `pos doctor`")
    }

    private var slowDisk: String {
        said(
            "this till's disk is slow, sales wait for it: see `pos doctor`", "本机磁盘很慢，收银须等待：请运行 `pos doctor`")
    }

    private var busy: String {
        guard let waitEnds else { return said("the hub is busy", "总部繁忙") }
        return said("the hub asked to wait until \(waitEnds)", "总部繁忙，\(waitEnds) 之前不上传")
    }

    private var connecting: String {
        guard let lastGood else {
            return said("connecting: the hub was not reached yet", "正在连接：尚未连上总部")
        }
        return said("connecting: the hub was last reached \(lastGood)", "正在连接：上次连上总部 \(lastGood)")
    }

    private func help(_ action: Banner.Action) -> String? {
        guard let command = action.command else { return nil }
        return switch action {
        // Their troubles name the command themselves.
        case .none, .resolve, .examine: nil
        case .retry: said("try now: `\(command)`", "立即重试：`\(command)`")
        case .signIn: said("sign in: `\(command)`", "登录：`\(command)`")
        case .switchOn: said("back: `\(command)`", "恢复：`\(command)`")
        case .repair: said("end the agent and repair: `\(command)`", "请停止程序后修复：`\(command)`")
        }
    }
}

extension Language {
    /// What to do about a clock so far from the hub's, for a sentence that goes on with why.
    func clockDiffers(hours: Int64) -> String {
        switch self {
        case .english: "this till's clock is \(hours) h off the hub's: set it"
        case .chinese: "本机时钟与总部相差 \(hours) 小时：请校准时钟"
        }
    }
}

extension Banner.Action {
    /// The command that does it; nil for none.
    var command: String? {
        switch self {
        case .none: nil
        case .retry: TillObstacle.retry
        case .signIn: TillObstacle.enrol
        case .switchOn: TillObstacle.goOnline
        case .repair: StoreCondition.repairCommand
        case .resolve: "pos sync rejected"
        case .examine: "pos doctor"
        }
    }
}

extension Banner.Trouble {
    /// Whether the hub does not get the sales now.
    fileprivate var keepsSales: Bool {
        switch self {
        case .slow, .databaseDamaged, .journalIncomplete, .entriesHeldBack, .clockDiffers, .clockWrong,
            .hubClockLeapt, .dateUnconfirmed, .diskFull, .slowDisk, .entriesNotTaken, .refused, .cardDebts,
            .owedToCustomers, .drill, .standby:
            false
        case .switchedOff, .flagCorrupt, .connecting, .noInterface, .loginPage, .nameNotFound, .certificate,
            .noInternet, .noResponse, .superseded, .hubSilent, .services, .signIn, .tooOld, .notArriving,
            .largePackets, .busy:
            true
        }
    }

    /// Whether nothing of the hub comes through, as long as it lasts.
    var isOfNetwork: Bool {
        switch self {
        case .noInterface, .loginPage, .nameNotFound, .certificate, .noInternet, .noResponse: true
        case .switchedOff, .flagCorrupt, .connecting, .hubSilent, .services, .signIn, .tooOld, .slow,
            .notArriving, .largePackets, .busy, .databaseDamaged, .journalIncomplete, .entriesHeldBack,
            .superseded, .clockDiffers, .clockWrong, .hubClockLeapt, .dateUnconfirmed, .diskFull, .drill,
            .slowDisk, .standby, .entriesNotTaken, .refused, .cardDebts, .owedToCustomers:
            false
        }
    }

    /// A stable word for programs.
    var word: String {
        switch self {
        case .switchedOff: "switchedOff"
        case .flagCorrupt: "flagCorrupt"
        case .connecting: "connecting"
        case .noInterface: "noInterface"
        case .loginPage: "loginPage"
        case .nameNotFound: "nameNotFound"
        case .certificate: "certificate"
        case .noInternet: "noInternet"
        case .hubSilent: "hubSilent"
        case .services: "services"
        case .signIn: "signIn"
        case .tooOld: "tooOld"
        case .slow: "slow"
        case .notArriving: "notArriving"
        case .largePackets: "largePackets"
        case .busy: "busy"
        case .databaseDamaged: "databaseDamaged"
        case .journalIncomplete: "journalIncomplete"
        case .entriesHeldBack: "entriesHeldBack"
        case .noResponse: "noAnswer"
        case .superseded: "superseded"
        case .clockDiffers: "clockDiffers"
        case .clockWrong: "clockWrong"
        case .hubClockLeapt: "hubClockLeapt"
        case .dateUnconfirmed: "dateUnconfirmed"
        case .diskFull: "diskFull"
        case .slowDisk: "slowDisk"
        case .drill: "drill"
        case .standby: "standby"
        case .entriesNotTaken: "entriesNotTaken"
        case .refused: "refused"
        case .cardDebts: "cardDebts"
        case .owedToCustomers: "owedToCustomers"
        }
    }
}
