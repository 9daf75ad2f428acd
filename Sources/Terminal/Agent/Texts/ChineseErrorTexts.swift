internal import AgentAPI
internal import Base
internal import OfflineCore
internal import OfflineMode
internal import Printing
internal import Retail

struct ChineseErrorTexts: ErrorTexts {
    func databaseUnusable(_ detail: String) -> String { "数据库无法使用：\(detail)" }
    func databaseDamaged(_ detail: String) -> String { "本机数据库已损坏：\(detail)" }
    func nothingChanged(_ detail: String) -> String { "未作任何更改：\(detail)" }
    func unknownRequest(_ request: String) -> String { "收银服务没有 \(request)；版本是否一致？" }
    func malformedResponse(_ detail: String, to path: String) -> String {
        "收银服务对 \(path) 的应答有误（\(detail)）；请重新启动收银服务，使其与本 `pos` 版本一致"
    }
    func enrolmentNotKept(_ detail: String) -> String { "总部已注册本机，但无法保存（\(detail)）；请清理空间，换新的注册码" }
    func enrolmentRefused(_ detail: String) -> String { "总部拒绝注册（\(detail)）；请用 `pos-hub enrol-code` 换新的注册码" }
    func noHub(at url: String, _ detail: String, isForeign: Bool) -> String {
        "\(url) 没有像总部那样应答（\(detail)）；" + (isForeign ? "请用 --ca-file 指定其签发者的证书文件" : "请检查地址和网络后重试")
    }
    func otherHub(at url: String, _ detail: String) -> String { "\(url) 不是此版本的总部：\(detail)" }
    func agentOwns(_ path: String, command: String) -> String { "\(path) 正由收银服务使用；请先停止它，再运行 `\(command)`" }
    func databaseMissing(_ path: String) -> String { "\(path) 没有可修复的数据库；请恢复副本，或运行 `pos init`" }
    func repairNotWritten(_ detail: String, command: String) -> String {
        "修复未能完成：\(detail)；没有丢失数据，请清理空间后再运行 `\(command)`"
    }
    func repairReportMalformed(_ detail: String) -> String { "修复报告的格式不对：\(detail)" }
    var agentStopping: String { "收银服务正在停止；请用 `pos agent` 启动" }
    func switchNotMoved(_ detail: String) -> String { "未切换：无法写入磁盘（\(detail)）；请清理空间或修复数据目录" }
    var tooManySwitches: String { "磁盘太慢，来不及这样频繁切换；请重试" }
    func ownerSilent(_ process: String?, path: String) -> String {
        "进程 \(process ?? "（不明）") 正使用 \(path)，没有应答；请重试"
    }
    func ownedByProcess(_ process: String?, path: String) -> String {
        "进程 \(process ?? "（不明）") 已在使用 \(path)，即收银服务或独自运行的 `pos sell`；请先停止它"
    }
    func ownedByProgram(_ path: String) -> String { "另一程序正使用 \(path)，不肯让出；请停止它，再运行 `pos init`" }
    func notEnrolled(_ path: String) -> String { "\(path) 中的收银机尚未注册；请运行 `pos init --hub URL --enrol CODE`" }
    func configurationNotWritten(_ detail: String) -> String { "无法写入配置：\(detail)；请修复数据目录" }
    func configurationMissing(_ path: String) -> String { "没有配置文件 \(path)；请运行 `pos init`，或用 --config 指定文件" }
    func configurationMalformed(_ path: String, _ detail: String) -> String { "\(path) 格式不对：\(detail)" }
    func configurationNoObject(_ path: String) -> String { "\(path)：配置须为 JSON 对象" }
    func unknownKey(_ name: String, in path: String, nearest: String?) -> String {
        "\(path)：没有配置项 \(name)\(nearest.map { "；是否为 \($0)？" } ?? "")"
    }
    func wrongValue(_ value: String, of key: String, _ expected: ConfigurationDemand) -> String {
        "\(key) 为 \(value)；应为\(text(expected))"
    }
    func notTuned(_ name: String) -> String { "storeConfig：\(name) 不能由总部设置" }
    func coreAPIs(_ path: String, _ detail: String?) -> String {
        "service.coreAPIsFile \(path)：\(detail ?? "无法读取")"
    }
    func settingForm(_ text: String, _ form: String, example: String) -> String {
        "“\(text)”应写作 \(form)，例如 \(example)"
    }
    func notTried(_ name: String, known keys: String) -> String { "\(name) 不能试用；可以的有：\(keys)" }
    func hubURLMissing(_ path: String) -> String {
        "\(path) 缺少 hub.url；请运行 `pos init --hub URL --enrol CODE`"
    }
    func insecure(_ key: String, _ url: String) -> String {
        "\(key) 为 \(url)：http 只限本机；请用 https，或设置 hub.allowInsecure"
    }
    func timeZoneUnknown(_ name: String) -> String { "本机不认识 store.timeZone 的 \(name)；请安装 tzdata" }
    var sellOwnsFolder: String { "数据目录正由 `pos sell` 使用；请结束它，再运行此命令" }
    func unreadable(_ content: StoredContent, _ detail: String) -> String { "无法读取\(name(content))：\(detail)" }
    func noteTooLong(_ bytes: Int, limit: Int) -> String { "便条最多 \(limit) 字节，此条有 \(bytes) 字节；请缩短" }
    var noteEmpty: String { "便条没有内容" }
    func unknownNote(_ id: String) -> String { "没有便条 \(id)；`pos note list` 列出全部" }
    func printerFaulty(_ address: String, _ fault: PrinterFault) -> String {
        "\(address)：\(Language.chinese.printerTexts.text(fault))；打印机就绪后自动打印"
    }
    func printerSilent(_ address: String) -> String { "\(address)：20 秒内没有结果" }
    func unknownPaper(_ id: String) -> String { "没有等待处理的单据 \(id)；见 `pos printer status`" }
    var neighboursOff: String {
        "本店收银机之间未开启互联，或收银服务未运行；请在总部开启：`pos-hub store-config set --store-id ID neighbours.enabled=on`"
    }
    func neighbourKeyUnusable(_ path: String) -> String { "\(path) 不是与其他收银机连接的密钥；请删除它，下次启动会重新生成" }
    func addressMalformed(_ text: String) -> String {
        "“\(text)”不是地址；请输入数字地址，如 192.168.1.7 或 [fe80::1%eth0]:7710"
    }
    func addressNotPrivate(_ text: String) -> String { "\(text) 不是店内网络的地址；仍要尝试请加 --any" }
    var noCardMachine: String { "未设置刷卡机；请在 terminal.json 中设置 cardMachine.address" }
    func machineRefuses(_ obstacle: DeviceObstacle?) -> String {
        let why =
            switch obstacle {
            case .otherName: "其证书名称与 cardMachine.poiId 不同"
            case .unknownRoot: "其证书不是由 cardMachine.caFile 中的根证书签发"
            case .outOfValidity: "其证书今天无效；请核对本机与刷卡机的时钟"
            case .noTLS: "其 TLS 与本机不符；请查看 cardMachine.address"
            case .unreadable: "其应答无法读取或连接被断开；请核对 cardMachine.keyFile 中的口令、标识和版本"
            case .said(let reason): "刷卡机说明：\(reason)"
            case nil: "请核对 cardMachine.passwordFile 与货币"
            }
        return "刷卡机拒绝本机：\(why)"
    }
    func dayNotClosed(_ trouble: DeviceTrouble) -> String {
        switch trouble {
        case .unreachable: "刷卡机无法连通，或未确认已结算；请重试，并核对其小票"
        case .busy: "刷卡机忙，可能正被其他收银机使用，未结算；请重试"
        case .refused: "刷卡机拒绝结算；原因见 `pos card test`"
        case .undecided: "前一笔的结果尚未确定，未结算；请查看 `pos card status`"
        case .notKept: "本机数据库无法读取，未结算；请查看 `pos doctor`"
        }
    }
    var decisionNeedsText: String { "请写明刷卡机小票号码或原因（不超过 200 字节）" }
    func cardNotOpen(_ key: String) -> String { "没有待判定的刷卡 \(key)；请查看 `pos card status`" }
    var noPrinter: String { "未设置打印机；请在 terminal.json 中设置 printer.device" }
    var drillNotOnline: String { "断网演练须从在线开始，而本机不在线；请查看 `pos status` 后重试" }
    var drillRuns: String { "断网演练正在进行；请等结束后重试" }
    func malformedRequest(_ detail: String) -> String { "请求有误，未作任何更改：\(detail)" }
    func unknownField(_ detail: String) -> String { "请求中有未知的字段，未作任何更改：\(detail)" }
    func cardNumber(_ detail: String?) -> String { "内容像是银行卡号，此处不得输入；未作任何更改" }
    func noStatement(_ detail: String) -> String { "文件中没有总部对它的确认：\(detail)" }
    var keysMissing: String { "本机还没有总部的公钥；请在联机时运行 `pos sync now`" }
    func statementForeign(key: String) -> String { "此确认不是本机的总部签署的（密钥 \(key)）；它被改动过，或属于别的总部" }
    func attachForm(_ limit: Int) -> String { "`attach` 最多列出 \(limit) 个文件的绝对路径" }
    func notAttached(_ path: String, _ detail: String) -> String { "无法附上 \(path)：\(detail)；未作记录" }
    func fileEmpty(_ path: String) -> String { "\(path) 是空文件；未作记录" }
    func fileTooLarge(_ path: String, _ bytes: Int64, limit: Int64) -> String {
        "\(path) 有 \(bytes) 字节，附件最多 \(limit) 字节；请缩小"
    }
    func diskFull(_ path: String) -> String { "\(path) 所在的磁盘已满；请清理空间" }
    func nothingRecorded(_ detail: String) -> String { "未作记录：\(detail)" }
    var plainNeedsReason: String { "--plain 须写明原因（--reason，1 至 500 字）" }
    var journalOfNobody: String { "此流水还不属于任何收银机，总部无法导入" }
    var noSealingKey: String { "总部没有给出加密公钥；`--plain --reason TEXT` 不加密" }
    func nothingExported(_ detail: String) -> String { "未导出：\(detail)" }
    var reasonMissing: String { "请用 --reason TEXT 说明原因" }
    var keepMissing: String { "请说明以哪个为准：--keep mine 或 --keep server" }
    func unknownEntry(_ id: String) -> String { "本机没有记录 \(id)；`pos sync rejected` 列出被拒的记录" }
    func notRefused(_ id: String, _ state: SyncState) -> String {
        "\(id) \(name(state))；只有被总部拒绝的，或 `pos sync status` 显示有问题的，才能修改、解决或放弃"
    }
    func malformedEdit(_ detail: String) -> String { "不能这样修改：\(detail)" }
    var nothingToEdit: String { "请用 --set PATH=VALUE、--unset PATH 或 --payload FILE 指明要改什么" }
    func noSuchPlace(_ path: String) -> String { "内容中没有 `\(path)`" }
    var nothingChangedNotEnrolled: String { "未作任何更改：本机尚未注册门店" }
    var nothingChangedLeaseSpent: String { "未作任何更改：其间额度已用掉" }
    func deviceKeyCorrupt(_ path: String) -> String { "\(path) 不是设备密钥；请移走它，再运行 `pos init` 重新注册" }
    func deviceKeyMissing(_ path: String) -> String { "缺少 \(path)；请运行 `pos init --hub URL --enrol CODE` 注册" }
    func deviceKeyNotWritten(_ detail: String) -> String { "无法写入设备密钥：\(detail)；请修复数据目录" }
    func noDescriptor(_ path: String, ofMachine: Bool) -> String {
        "无法打开 \(path)：\(ofMachine ? "本机" : "本进程")的文件描述符已用尽；请提高上限（`ulimit -n`、LimitNOFILE）后重试"
    }
    func fileUnreadable(_ path: String, error: Int32) -> String { "无法读取 \(path)（错误 \(error)）；请检查其所有者和权限" }
    func lockLost(_ lock: String, home: String) -> String {
        "\(lock) 被删除或替换：另一收银服务可能正使用 \(home)，因此本服务停止；已确认的都在磁盘上"
    }
    func homeUnusable(_ path: String) -> String { "无法建立数据目录 \(path)；请用 --home 另选，或修正权限" }
    func homeNotPrivate(_ path: String) -> String { "其他用户可进入 \(path)，且无法更改其权限；请使其属于本用户，权限 0700" }
    func homeOfOther(_ owner: String, _ path: String) -> String {
        "\(path) 属于用户 \(owner)；请以 \(owner) 运行此命令，例如 `runuser -u \(owner) -- pos …`"
    }
    func homeMissing(_ path: String) -> String {
        "\(path) 中没有收银机；请运行 `pos init --hub URL --enrol CODE --home \(path)`"
    }
    func homeNotWritable(_ path: String, _ error: String, _ cause: HomeFault) -> String {
        "无法写入 \(path)（\(error)）：\(advice(on: cause))"
    }
    func homeIncomplete(_ path: String, missing: String) -> String {
        "\(path) 有收银机的数据库，但缺少 \(missing)：请恢复它，或用 `pos init --hub URL --enrol-stdin --home \(path)` 重新注册，所有销售都会保留"
    }
    func authorityUnreadable(_ path: String) -> String { "无法读取 hub.caFile 的 \(path)；请更正路径" }
    func transportNotStarted(_ detail: String) -> String { "无法启动网络传输：\(detail)" }
    func addressesUnusable(_ detail: String) -> String { "hub.url 或 qos.url 有误：\(detail)" }
    func socketLost(_ path: String, _ detail: String) -> String { "收银服务的套接字 \(path) 已失效：\(detail)" }
    func tooManyWatchers(_ count: Int) -> String { "已有 \(count) 个程序在等待状态；请结束其中一些" }
    func callFailed(_ call: String) -> String { "系统调用 \(call) 失败；请重试" }
    func noRequest(_ detail: String) -> String { "这不是请求：\(detail)" }
    var headTooLarge: String { "请求头最多 16 KiB" }
    var bodyTooLarge: String { "请求最多 1 MiB" }
    func agentGone(_ failure: String?) -> String {
        "收银服务\(failure.map { "没有应答（\($0)）" } ?? "的应答不是 JSON")；请检查 `pos agent` 后重试：用同一 --key 不会重复成交"
    }
    func socketNameTooLong(_ path: String) -> String { "\(path) 超过套接字名称的 107 字节；请选较短的 --home" }
    func socketUnusable(_ path: String, _ error: String) -> String { "无法监听 \(path)：\(error)；请检查数据目录" }

    func text(_ stop: DrainStop) -> String {
        switch stop {
        case .signInNeeded: "总部不接受本机令牌；每分钟重试一次，若已吊销请运行 `pos init` 重新注册"
        case .upgradeRequired: "总部要求更新版本；每小时重试一次"
        case .epochSuperseded: "本机的另一副本正在使用；请运行 `pos init` 重新注册本机"
        }
    }
    func text(_ ending: DrainReport.Ending, waitEnds: String?) -> String? {
        switch (ending, waitEnds) {
        case (.drained, _): nil
        case (.keysWaiting, _): "部分单据在等待其所依赖的单据或附件，或总部处理不了"
        case (.hubTrouble, let ends?), (.serverWait, let ends?): "总部要求等到 \(ends)，此前不上传"
        case (.hubTrouble, nil): "联系不上总部，或总部无法处理"
        case (.serverWait, nil): "总部要求等待"
        case (.manualOffline, _): "已手动离线；运行 `pos offline off` 恢复"
        case (.stopped(let stop), _): text(stop)
        case (.storeTrouble, _): "本机的待上传数据无法读写"
        case (.interrupted, _): "收银服务已停止"
        }
    }
    func first(_ step: String, then rest: String) -> String { "请先处理：\(step)；\(rest)" }

    private func text(_ demand: ConfigurationDemand) -> String {
        switch demand {
        case .key(let kind): text(kind)
        case .address: "网址，例如 https://hub.example"
        case .timeZone: " IANA 时区名，例如 Asia/Shanghai"
        case .interval: "时段，例如 22:00-06:00"
        case .paper: " 58 或 80（毫米）"
        case .timeOfDay: "一天中的时间，例如 04:00"
        case .oneOf(let words): " " + words.joined(separator: " 或 ")
        case .form(let form): " \(form)"
        case .printer(let error): "打印机地址（\(error)）"
        }
    }

    private func text(_ kind: ConfigurationKey.Kind) -> String {
        switch kind {
        case .integer(let unit, let standard, let range):
            " \(range.lowerBound) 至 \(range.upperBound) 的整数，单位 \(unit)（默认 \(standard)）"
        case .limit(let unit, let standard, let range):
            " \(range.lowerBound) 至 \(range.upperBound) 的整数，单位 \(unit)（默认 \(standard)）"
        case .boolean(let standard): " true 或 false（默认 \(standard)）"
        case .decision(let standard): " true 或 false（默认 \(standard)）"
        case .text: "字符串"
        case .list: "字符串列表"
        case .words(let words): "列表，可含 \(words.joined(separator: "、"))"
        case .choice(let words, let standard): " \(words.joined(separator: " 或 "))（默认 \(standard)）"
        }
    }

    private func name(_ content: StoredContent) -> String {
        switch content {
        case .history: "离线记录"
        case .outbox: "待上传的记录"
        case .catalogue: "商品目录"
        case .attachments: "附件"
        }
    }

    private func name(_ state: SyncState) -> String {
        switch state {
        case .pending: "待上传"
        case .acknowledged: "总部已收到"
        case .superseded: "已由新记录取代"
        case .rejected: "被总部拒绝"
        case .conflicted: "与总部冲突"
        case .discarded: "已放弃"
        }
    }

    private func advice(on fault: HomeFault) -> String {
        switch fault {
        case .readOnly: "文件系统只读，多因磁盘出错：请检查磁盘并重新挂载；其间可用 `pos sync export` 导出全部数据"
        case .ofUser(let name): "它属于\(name.map { "用户 \($0)" } ?? "其他用户")；请以该用户运行，或更正所有者和权限"
        case .full: "请清理空间"
        case .other: "请检查数据目录和磁盘"
        }
    }
}
