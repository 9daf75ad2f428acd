internal import AgentAPI
internal import Base
internal import HubProtocol
struct ChineseBannerTexts: BannerTexts {
    var online: String { "在线" }
    var offline: String { "离线" }
    var connecting: String { "连接中…" }
    var checkingNetwork: String { "正在检查网络…" }
    var stopped: String { "已停止" }

    var salesAreKept: String { "单据保存在本机，恢复后自动上传" }
    func waiting(_ count: Int, copied: Int) -> String {
        "\(count) 笔待上传" + (copied > 0 ? "，其中 \(copied) 笔另一台收银机也有" : "")
    }
    func readableWaiting(_ count: Int) -> String { "\(count) 笔可读单据待上传" }

    func text(_ trouble: Banner.Trouble, lastGood: String?, waitEnds: String?) -> String {
        switch trouble {
        case .switchedOff(let reason): "已手动切换为离线" + (reason.map { "（\($0)）" } ?? "")
        case .flagCorrupt: "手动离线标记文件无法读取"
        case .connecting: lastGood.map { "正在连接：上次连上总部 \($0)" } ?? "正在连接：尚未连上总部"
        case .noInterface: "本机没有网络：请检查网线或 Wi-Fi"
        case .loginPage: "本店网络需要登录：请打开登录页面"
        case .nameNotFound: "找不到服务器地址：本店外网或 DNS 中断"
        case .certificate, .certificateEnded: "服务器证书无效：请检查本机时钟，并通知系统管理员"
        case .noInternet: "本店外网中断：请检查路由器"
        case .noResponse: "联系不上总部：本店外网或总部服务器中断，请检查路由器"
        case .hubSilent(internetResponds: true): "总部服务器没有应答，本店外网正常"
        case .hubSilent(internetResponds: false): "总部服务器没有应答，但可以连通其主机"
        case .services(let names): "总部服务故障（\(names.joined(separator: "、"))），本店无需处理"
        case .signIn: "总部不接受本机身份：请重新登录"
        case .tooOld: "总部要求更新版本：请升级本机"
        case .slow: "网络较慢，收银不受影响"
        case .notArriving: "总部有应答，但单据无法送达"
        case .largePackets: "网络丢失大数据包：请检查路由器或 VPN 的 MTU 设置"
        case .busy: waitEnds.map { "总部繁忙，\($0) 之前不上传" } ?? "总部繁忙"
        case .superseded: "本机的另一副本正在使用：本机单据无法上传"
        case .clockDiffers(let hours): clockDiffers(hours: hours) + "，暂不能收银"
        case .clockWrong(let milliseconds): "本机时钟与总部相差 \(age(milliseconds))：请校准时钟；收银按总部时间"
        case .hubClockLeapt(let milliseconds): "总部时钟跳变 \(age(milliseconds))：收银按原来的时间"
        case .dateUnconfirmed(let today, let last): "今天是 \(today) 吗？上次连上总部是 \(last)：请核对本机日期"
        case .diskFull: "磁盘已满：无法收银"
        case .slowDisk: "本机磁盘很慢，收银须等待：请运行 `pos doctor`"
        case .drill: "正在进行断网演练，最多两分钟"
        case .standby(let interface): "主线路中断，单据经备用线路 \(interface) 上传：请检查网线和路由器"
        case .entriesNotTaken(let count): "\(count) 笔单据无法送达总部：请运行 `pos doctor`"
        case .refused(let count): "\(count) 笔单据被总部拒绝：请运行 `pos sync rejected`"
        case .cardDebts(let count): "\(count) 笔离线刷卡事后被拒，顾客尚欠：请运行 `pos doctor`"
        case .owedToCustomers(let count): "\(count) 笔退款被刷卡机拒绝：请运行 `pos orders owed`"
        case .databaseDamaged: "本机数据库已损坏：无法收银"
        case .journalIncomplete: "本机数据库缺少单据：请运行 `pos doctor`"
        case .entriesHeldBack(let count): "\(count) 笔单据内容损坏，暂停上传：请运行 `pos sync rejected`"
        }
    }

    /// Without its sign.
    private func age(_ milliseconds: Int64) -> String {
        Language.chinese.age(milliseconds: Int64(clamping: milliseconds.magnitude))
    }

    func clockDiffers(hours: Int64) -> String { "本机时钟与总部相差 \(hours) 小时：请校准时钟" }

    func help(_ action: Banner.Action, by command: String) -> String? {
        switch action {
        case .none, .resolve, .examine: nil
        case .retry: "立即重试：`\(command)`"
        case .signIn: "登录：`\(command)`"
        case .switchOn: "恢复：`\(command)`"
        case .repair: "请停止收银服务后修复：`\(command)`"
        }
    }

    func guide(_ trouble: Banner.Trouble) -> (meaning: String, action: String) {
        switch trouble {
        case .connecting: ("收银机刚刚启动。", "等几秒。")
        case .noInternet: ("外网没有任何应答。", "检查路由器。")
        case .noResponse: ("总部没有任何应答。", "检查路由器。")
        case .noInterface: ("本机网线或 Wi-Fi 断开。", "检查网线。")
        case .loginPage: ("网络要求先登录。", "")
        case .nameNotFound: ("域名解析中断。", "")
        case .certificate: ("无法确认总部的身份。", "看看本机时间对不对。")
        case .certificateEnded: ("本机很快会离线。", "看看本机时间对不对，马上联系。")
        case .hubSilent: ("总部没有应答。", "本店无需处理。")
        case .services: ("总部出现故障。", "本店无需处理。")
        case .switchedOff: ("有人手动切换为离线。", "按 F12 恢复在线。")
        case .flagCorrupt: ("无法读取手动离线标记。", "按 F12 恢复在线。")
        case .signIn: ("总部需要重新准许本机。", "")
        case .tooOld: ("本机需要升级。", "")
        case .slow: ("网络较慢。", "无需处理。")
        case .notArriving: ("单据在途中被拦住。", "")
        case .largePackets: ("途中丢失数据。", "")
        case .busy: ("总部要求稍等。", "无需处理。")
        case .standby: ("主线路中断，正在使用备用线路。", "检查网线和路由器。")
        case .entriesNotTaken: ("这些单据在途中被拦住。", "")
        case .refused: ("总部没有接受部分单据。", "")
        case .cardDebts: ("断网时刷的卡事后被拒。", "")
        case .owedToCustomers: ("刷卡机没有退回款项。", "由店长付现金。")
        case .superseded: ("本机数据被复制过。", "今天联系。")
        case .clockDiffers: ("本机日期或时间不对。", "请人校准时钟。确知原因时再按一次 F10 照常收银。")
        case .slowDisk: ("本机磁盘写入很慢。", "收银会慢一些。")
        case .clockWrong: ("本机日期或时间不对。", "单据的日期和价格按总部时间。请人校准时钟。")
        case .hubClockLeapt: ("总部的日期或时间不对。", "本店无需处理。")
        case .dateUnconfirmed: ("本机日期可能不对。", "日期无误则照常收银，否则请人校准时钟。")
        case .drill: ("有人在测试本机的断网能力。", "会自动结束。")
        case .diskFull: ("没有空间记录新的单据。", "换一台收银机，马上联系。")
        case .journalIncomplete: ("本机缺少已完成的单据。", "保留所有小票，今天联系。")
        case .entriesHeldBack: ("部分单据内容损坏。", "今天联系。")
        case .databaseDamaged: ("本机无法读取数据。", "换一台收银机，马上联系。")
        }
    }

    var serviceStopped: (meaning: String, action: String) { ("本机的收银服务已停止。", "等一分钟；不恢复就换一台收银机并联系。") }

    func word(_ sell: BannerAdvice.Sell) -> String {
        switch sell {
        case .yes: "能"
        case .afterCheck: "先核对"
        case .no: "不能"
        }
    }

    func word(_ tenders: BannerAdvice.Tenders) -> String {
        switch tenders {
        case .all: "照常"
        case .cash: "只收现金"
        case .none: "无"
        }
    }

    func word(_ person: BannerAdvice.Person) -> String {
        switch person {
        case .nobody: "无需联系"
        case .manager: "店长"
        case .installer: "安装人员"
        case .it: "技术人员"
        }
    }
}
