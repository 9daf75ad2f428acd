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

struct ChineseDoctorTexts: DoctorTexts {
    func articles(_ count: Int) -> String {
        count > 0 ? "本机有 \(count) 种商品" : "没有商品；请在总部导入，再运行 `pos sync now`"
    }
    var importArticles: String { "在总部运行 `pos-hub import products FILE.csv`，再运行 `pos sync now`" }
    func noPull(_ problem: String?) -> String { "还没有成功更新过\(problem.map { "：\($0)" } ?? "")" }
    func pulled(_ milliseconds: Int64) -> String { "上次成功更新在 \(age(milliseconds))前" }
    func pullFailed(_ problem: String) -> String { "，最近一次失败：\(problem)" }
    func passedOver(_ count: Int, last names: String) -> String { "；跳过总部 \(count) 行，最后的：\(names)" }
    var pullAgain: String { "运行 `pos sync now`；跳过的行须在总部更正" }
    var numbersFine: String { "外部单号均有效" }
    func text(_ leap: OrderNumberLeap) -> String {
        let what =
            switch leap.reason {
            case .headNotBelieved: "总部给出的单号"
            case .recovered: "本机磁盘上的单号"
            }
        return "\(what) \(leap.number.printable) 不可能属于本机；计数已跳过，单号不会重复，收银不受影响"
    }
    var compareNumbers: String { "请与总部核对单号（`pos-hub audit`）；一天后不再提示" }
    var storeFine: String { "数据库各页和单据链均完好" }
    var repair: String { "停止收银服务后运行 `pos repair`" }
    func unusable(_ message: String) -> String { "数据库无法使用，不能收银：\(message)" }
    func text(_ loss: JournalLoss) -> String {
        "\(loss.hadLog ? "数据库比已发出的单号旧" : "数据库的预写日志缺失")：单号曾预留至 \(loss.reserved)，数据库止于 \(loss.found)；其间的销售可能丢失，"
            + "请与总部核对小票（`pos-hub audit`）"
    }
    func text(_ repair: RepairReport) -> String {
        "\(repair.at) 的修复丢失了 \(repair.lostCount) 条记录；请与总部核对小票（`pos-hub audit`）"
    }
    func repaired(_ report: RepairReport) -> String {
        "\(report.at)：已恢复 \(report.entries) 条记录，丢失 \(report.lostCount) 条"
    }
    var compareReceipts: String { "请与 `pos-hub audit` 核对小票，再运行 `\(StoreCondition.seenCommand)`" }
    func text(_ absence: HubAbsence) -> String {
        var parts: [String] = []
        if !absence.missing.isEmpty {
            let first = absence.missing.prefix(5).map(String.init).joined(separator: "、")
            let more = absence.missing.count > 5 ? "……" : ""
            parts.append("\(absence.missing.count) 条记录（\(first)\(more)），本机磁盘上也没有")
        }
        parts += absence.heads.map { "纪元 \($0.epoch) 的记录 \($0.sequence) 及其之前的记录，总部曾经有过" }
        return "总部缺少" + parts.joined(separator: "；")
    }
    var ingest: String { "对曾有这些记录的数据目录的导出运行 `pos-hub ingest`；否则请保留小票，并与 `pos-hub audit` 核对" }
    func heldBack(_ count: Int) -> String {
        "\(count) 条记录的内容与写入时不同，暂停上传；`pos sync rejected` 列出，`pos sync retry ID` 照原样上传并由总部标记"
    }
    var sendHeldBack: String { "运行 `pos sync rejected`，再对每条运行 `pos sync retry ID`" }
    func outbox(_ depth: OutboxDepth, hours: Int64) -> String {
        "\(depth.pending) 条待上传，最早的已 \(hours) 小时，\(depth.rejected) 条被拒，\(depth.conflicted) 条冲突"
    }
    var outboxUnreadable: String { "无法读取" }
    var resolveOutbox: String { "运行 `pos sync rejected`，再逐条重试、修改、放弃或解决" }
    func disk(free mebibytes: Int64, hasRoom: Bool) -> String {
        hasRoom ? "剩余 \(mebibytes) MiB；磁盘满时不能收银" : "剩余 \(mebibytes) MiB：磁盘已满，无法收银；请清理空间"
    }
    var freeSpace: String { "请清理数据目录所在的磁盘；`pos sync export FILE` 可将流水复制到别处" }
    func left(sales: Int64, carts: Int, of limit: Int) -> String {
        "还可记录约 \(sales) 笔销售，还可挂 \(carts) 单（共 \(limit)）"
    }
    var dropCarts: String { "运行 `pos cart list`，再运行 `pos cart drop ID --reason TEXT`" }
    var diskNotMeasured: String { "尚未测量：本次运行须有三笔销售" }
    func diskSpeed(_ milliseconds: Int64, isSlow: Bool) -> String {
        "最近 20 笔销售中有 19 笔在 \(milliseconds) 毫秒内写入磁盘" + (isSlow ? "：磁盘很慢，每笔销售都须等待" : "")
    }
    var speedUpDisk: String { "请停止其他写入（备份、日志），否则更换磁盘；`smartctl -a` 显示其故障" }
    func folder(_ path: String, isOpen: Bool) -> String {
        isOpen ? "其他用户可进入 \(path)，其中有令牌和设备密钥；收银服务下次启动时会关闭，或运行 `chmod 700`" : "其他用户不能进入"
    }
    func manualSwitch(_ reason: String?) -> String { "已打开：\(reason ?? "未说明原因")" }
    var manualSwitchOff: String { "关闭" }

    func encrypted(_ url: String) -> String { "\(url)：途中无人能读取或更改单据" }
    func plain(_ url: String) -> String { "\(url) 未加密（hub.allowInsecure）：途中任何人都能读取和更改单据" }
    var encrypt: String { "总部以 --tls-certificate 和 --tls-key 启动，并将 hub.url 改为 https" }
    var notPinging: String { "不使用：总部就在本机" }
    func text(_ permission: ICMPPermission) -> String {
        permission.isGranted ? "可以使用" : "不可用：请在 net.ipv4.ping_group_range 中允许本组，或授予 CAP_NET_RAW"
    }
    var permitPing: String { "运行 `sysctl -w net.ipv4.ping_group_range=\"0 2147483647\"`，或授予 pos CAP_NET_RAW" }
    func text(_ comparison: ClockComparison) -> String {
        switch comparison {
        case .unknown: return "总部尚未报时"
        case .unconfirmed(let last):
            return "总部上次报时为 \(Timestamp.text(milliseconds: last))：本机日期是否正确？"
        case .hubLeapt(let milliseconds): return "总部时钟跳变 \(apart(milliseconds))：收银按原来的时间"
        case .compared(let ahead, _, let isHubsFault):
            let words = "比总部\(ahead < 0 ? "快" : "慢") \(apart(ahead))"
            guard comparison.difference != nil else { return words }
            let isRefused = comparison.refusedDifference != nil
            let rest = isRefused ? "请校准，暂不能收银" : "收银按总部时间"
            return "\(words)：\(isHubsFault ? "总部时钟跳变；" : "")\(rest)"
        }
    }

    private func age(_ milliseconds: Int64) -> String { Language.chinese.age(milliseconds: milliseconds) }

    /// How far two clocks are apart.
    private func apart(_ difference: Int64) -> String {
        age(Int64(clamping: ClockComparison.rounded(difference).magnitude))
    }

    var setClock: String { "请校准时钟；`timedatectl set-ntp true` 使其保持准确" }
    var setHubClock: String { "请校准总部时钟；若总部正确，请校准本机，本机随后跟从" }
    var noTimeZone: String {
        "UTC，因为未设置 store.timeZone：小票和营业日按 UTC；请在 terminal.json 中设置，或用 `pos-hub store-config set` 为全店设置"
    }
    func version(_ word: SchemaMessage, _ version: String) -> String {
        switch word {
        case .welcome: "\(version)；总部接受"
        case .retiring(let notice):
            "注意：总部应答 \(version) 至 \(Timestamp.text(milliseconds: notice.sunsetAt).prefix(10))；请在此之前升级"
        case .refused: "总部不再应答 \(version)；请升级，在此之前单据保存在本机"
        }
    }
    var update: String { "安装新版 `pos` 并重新启动收银服务；待上传的单据保留" }
    func token(left: Int64?) -> String {
        guard let left else { return "设备令牌的期限不明" }
        let days = abs(left) / 86_400_000
        return left < 0 ? "\(days) 天前已到期；收银不受影响，单据无法上传" : "还有 \(days) 天"
    }
    var renewToken: String { "运行 `pos sync now` 续期；超过 400 天须运行 `pos init --hub URL --enrol CODE`" }
    func refused(_ fault: CertificateFault, end: String?) -> String {
        let what =
            switch fault {
            case .outOfValidity: "已到期或尚未生效，或本机时钟不对"
            case .otherName: "的名称不符"
            case .foreign: "的签发者不受本机信任"
            }
        return "总部证书\(what)\(lastSeen(end))；无法建立新的连接"
    }

    private func lastSeen(_ end: String?) -> String { end.map { "（上次所见，至 \($0)）" } ?? "" }
    func handshakeFailed(_ detail: String, end: String?) -> String {
        "与总部的 TLS 握手失败：\(detail)\(lastSeen(end))"
    }
    var certificateUnseen: String { "尚未见到：总部没有应答" }
    func certificate(days left: Int64) -> String { "总部证书还有 \(left) 天" }
    func certificateEnded(_ end: String) -> String { "总部证书已于 \(end) 到期" }
    var asLastSeen: String { "（上次所见；总部目前没有应答）" }
    var renewCertificate: String { "在总部更换证书并重新启动 `pos-hub serve`；收银机信任其签发者" }
    func standby(_ interface: String, for main: String?) -> String {
        "\(main ?? "主线路")没有应答；经 \(interface) 连接总部"
    }
    func checkPath(_ main: String?) -> String { "请检查\(main ?? "主线路")：网线、交换机、路由器；恢复后自动切回" }
    var noDecisions: String { "本次运行没有；没有 QoS 时由本机自行决定" }
    func decisions(_ milliseconds: Int64) -> String { "\(age(milliseconds))前" }
    func decisionClock(_ apart: Int64) -> String { "QoS 的时钟与总部相差 \(age(apart))；其决定仍有效" }
    var setDecisionClock: String { "请校准 qos.url 所指机器的时钟" }
    var checkDecisions: String { "运行 `pos qos status`；qos.url 是否正确？" }
    var enrol: String { "运行 `pos init --hub URL --enrol CODE`，注册码来自 `pos-hub enrol-code`" }
    func notSending(_ problem: String) -> String { "所记录的单据均无法送达，虽然总部可能应答其他请求（\(problem)）；会自动重试" }
    var checkWay: String { "请检查本机与总部之间的设备（代理、过滤器），再运行 `pos sync now`" }
    func entries(_ count: Int, _ named: String) -> String { "\(count) 条记录无法送达，其他的可以（\(named)）" }
    var resolveEntries: String {
        "运行 `pos sync status`，再运行 `pos sync edit ID` 或 `pos sync discard ID --reason TEXT`；在此之前会自动重试"
    }

    func unseenSales(_ count: Int, _ numbers: String) -> String {
        "\(count) 笔在收银服务意外停止时成交（\(numbers)）；`pos sell` 显示，`pos orders void` 退款"
    }
    var lookAtSales: String { "运行 `pos sell --plain`，再对每笔输入 `seen 单号` 或 `void 单号`" }
    var noReason: String { "未说明原因" }
    func cardDebts(_ count: Int, owed: String, _ named: String) -> String {
        "\(count) 笔离线刷卡事后被拒，尚欠 \(owed)（\(named)）"
    }
    var settleDebts: String {
        "请告知店长：顾客补付的现金用 `pos shift cash in 金额 --reason 单号` 记入；再在总部运行 `pos-hub debts settle ID "
            + "--reason TEXT` 即结清"
    }
    func owedToCustomers(_ count: Int, _ named: String) -> String { "\(count) 笔被刷卡机拒绝，尚欠顾客（\(named)）" }
    var repay: String { "运行 `pos orders owed`，再对每笔运行 `pos orders repay ID` 以现金退还" }
    func waitingForMachine(_ count: Int, _ named: String) -> String { "\(count) 笔待刷卡机连通后退回原卡（\(named)）" }
    var noMachineKey: String { "与刷卡机的报文未加密" }
    var setMachineKey: String { "请在刷卡机上设置共享密钥，并设置 cardMachine.keyFile" }
    var standardPassword: String { "刷卡机仍用出厂密码" }
    var setMachinePassword: String { "请修改密码，并设置 cardMachine.passwordFile" }
    func waitingForCards(_ count: Int, _ named: String) -> String { "\(count) 笔待顾客在刷卡机上出示卡后退回（\(named)）" }
    var presentCards: String { "顾客在场时，按 `pos orders owed` 所列命令逐笔办理，或付现金" }
    func requestedOfMachine(_ count: Int, _ named: String) -> String {
        "\(count) 笔已向刷卡机申请退回，尚待核对（\(named)）"
    }
    var confirmRequests: String { "请核对刷卡机报表并逐笔决定：`pos card status`、`pos card decide`" }
    func openAtFormerMachine(_ count: Int, _ named: String) -> String {
        "\(count) 笔刷卡未完成，而刷卡机已不在设置中（\(named)）"
    }
    var decidePayments: String { "请重新设置该刷卡机，或按其单据逐笔决定：`pos card status`、`pos card decide`" }
    var checkMachine: String { "请打开刷卡机并检查 cardMachine.address；每 15 秒重试" }
    func text(_ route: TenderAbility.Route, refusal code: String) -> String {
        switch route {
        case .hub: "经总部"
        case .machine: "经本机刷卡机"
        case .stored: "先记录，稍后转发"
        case .local: "在本机"
        case .refused: "不可用（\(code)）"
        }
    }
    func upTo(_ limit: String) -> String { "，最多 \(limit)" }
    var statusSaysWhy: String { "原因见 `pos status`" }
    var printing: String { "正在打印" }
    var printerResponds: String { "应答正常" }
    var tillsNotSought: String { "收银服务运行时才能看到：`pos agent`" }
    var noOtherTills: String { "总部没有列出本店的其他收银机" }
    var noTillAddress: String { "不知道其他收银机的地址" }
    var nameTillAddress: String {
        "地址变化后，各收银机会在十分钟内上报；也可在 terminal.json 中设置 neighbours.addresses"
    }
    func tillsSeen(_ count: Int, of all: Int) -> String { "\(all) 台中可连通 \(count) 台" }
    var findTills: String { "运行 `pos neighbours`；网络正常却找不到任何收银机时，无线接入点可能隔离了各终端：请改用网线或其他网络" }
    func notListening(_ detail: String) -> String {
        detail.isEmpty ? "未在任何地址监听：没有可用的内网地址" : "无法监听 \(detail)"
    }
    var freePort: String { "请释放该端口，或在 terminal.json 中设置 neighbours.listen" }
    func tillsClock(_ number: Int64, milliseconds: Int64) -> String {
        "\(number) 号机的时钟\(milliseconds > 0 ? "快" : "慢") \(milliseconds.magnitude / 1_000) 秒"
    }
    var setClocks: String { "请用 NTP 校准两台收银机的时钟" }
    var journalWasLonger: String { "另一台收银机见过本机流水中、本机磁盘上没有的记录：本机运行于旧的磁盘副本，或同时运行了两份" }
    var enrolAfterOldDisk: String { "请停用另一份副本；用 `pos-hub audit` 核对小票；`pos init` 会给本机磁盘新的纪元" }
    func keysNotConfirmed(since moment: String) -> String { "自 \(moment) 起总部未再确认其他收银机，其中可能有已注销的" }
    var confirmKeys: String { "请用网线或移动网卡让本机连接总部一次：`pos sync now`" }
    func keptLong(_ tills: Int) -> String { "本机代存着 \(tills) 台收银机的销售，总部一周以来没有收到" }
    var handInKept: String { "请让本机联网，它会代交；`pos-hub terminals show` 显示总部有哪些等待处理" }
    var paperOut: String { "缺纸" }
    var paperLow: String { "纸卷快用完" }
    func papersWait(_ count: Int) -> String { "；\(count) 张小票待人处理：`pos printer status`、`pos printer retry`" }
    var retryPrinter: String { "运行 `pos printer status`，再运行 `pos printer test` 和 `pos printer retry`" }

    var copyUnreadable: String { "人员和优惠的副本无法读取" }
    var noCopy: String { "尚无副本" }
    func copied(_ milliseconds: Int64) -> String { "\(age(milliseconds))前的副本" }
    func changed(_ milliseconds: Int64) -> String { "；\(age(milliseconds))前有更改" }
    var noCashiers: String { "没有收银员：收银不需登录" }
    func pins(_ count: Int) -> String { "\(count) 名收银员；没有总部也能收银" }
    func pinsUnreadable(_ count: Int, of all: Int) -> String {
        "\(all) 名收银员中有 \(count) 名的密码无法在本机核对；请升级本机，或在总部重新导入"
    }
    var importCashiers: String { "在总部运行 `pos-hub import cashiers FILE.csv`，再运行 `pos sync now`" }
    var noCheapPINs: String { "密码均按现行强度保存" }
    func cheapPINs(_ count: Int, _ ids: String, more: Int) -> String {
        "注意：\(count) 个密码在重新导入之前以旧强度保存：\(ids)" + (more > 0 ? " 等，另有 \(more) 个" : "")
    }
    func members(_ count: Int) -> String { count == 0 ? "没有：会员号按输入记录" : "没有总部也知道 \(count) 名会员" }
    var noLeases: String { "没有：离线时不能使用积分" }
    func lease(_ left: Int64, _ kind: String, of leases: Int) -> String { "\(leases) 份额度中的 \(left)（\(kind)）" }
    func leases(_ sums: String, until: String) -> String { "没有总部也可使用 \(sums)，至 \(until)；本机若一去不返，损失最多如此" }
    var noOffers: String { "没有优惠活动" }
    func offers(_ counts: FeedCopyCounts) -> String {
        "\(counts.promotions) 项优惠中有 \(counts.offlinePromotions) 项没有总部也有效；已知 \(counts.coupons) 张优惠券"
    }

    func offline(after seconds: String, _ causes: String) -> String { "断网 \(seconds) 秒后转为离线，\(causes)" }
    func notOffline(after seconds: String) -> String { "断网 \(seconds) 秒后仍未离线" }
    var lowerDebounce: String { "请将 network.debounceSeconds 降至最多 45，并查看 `pos status`" }
    var nothingToPrice: String { "没有可计价的商品" }
    var importSome: String { "请在总部导入商品，再运行 `pos sync now`" }
    func priced(_ name: String, _ price: String, milliseconds: Int64) -> String {
        "\(name) 为 \(price)，离线计价用时 \(milliseconds) 毫秒"
    }
    var canRecord: String { "下一笔销售可以记录" }
    var doctorSaysWhy: String { "运行 `pos doctor` 查看原因" }
    var givenUp: String { "已放弃" }
    func online(after seconds: String) -> String { "恢复连接 \(seconds) 秒后在线" }
    func notOnline(after seconds: String) -> String { "恢复连接 \(seconds) 秒后仍未在线" }
    var lookForOutage: String { "其间真的断网了：`pos status` 显示原因，`pos sync now` 立即重试" }
}
