internal import AgentAPI
internal import Base
internal import HubProtocol

/// What the commands print.
struct ChinesePosTexts: PosTexts {
    func word(_ word: String) -> String { ChineseStateTexts[word] ?? word }
    let language = Language.chinese

    func cartDropped(_ id: String) -> String { "已删除购物车 \(id)" }
    func member(_ name: String) -> String { "会员 \(name)" }
    func unknownMember(_ name: String) -> String { "会员 \(name)（未知，按输入记录）" }
    func quoted(total: String, tax: String) -> String { "合计 \(total)，其中税额 \(tax)" }
    func cashRounding(_ money: String) -> String { "现金舍入 \(money)" }
    func quoteHolds(until moment: String) -> String { "有效至 \(moment)，届时优惠开始或结束" }
    var couponUnchecked: String { "券在此无法核验，总部将随单核验" }
    var quoteChanged: String { "合计与报价不同，请告知顾客" }
    var saleNeedsApprover: String { "此单需要主管批准（--approver）" }
    var clocksDiffer: String { "本机与总部时钟不一致；请校准时钟，或用 --clock-confirmed 销售" }
    var noParkedCarts: String { "没有挂单" }
    func taken(_ money: String, by method: String) -> String { "已收 \(money) \(method)" }
    var noCarts: String { "没有购物车" }
    var noArticles: String { "没有找到商品" }
    var noDepartments: String { "商品目录没有部门" }
    func parked(_ at: String) -> String { "挂单 \(at)" }
    func resumed(_ at: String) -> String { "取单 \(at)" }
    func ofTill(_ number: Int64?, isSilent: Bool) -> String {
        "在 \(number.map(String.init) ?? "?") 号收银机" + (isSilent ? "（无响应）" : "")
    }
    func memberRecorded(_ member: String, id: String) -> String { "已登记会员 \(member)；销售时用 --member \(id)" }
    func memberKnown(_ member: String, id: String) -> String { "该号码已属于会员 \(member)，未作登记；销售时用 --member \(id)" }
    func noteDeleted(_ id: String) -> String { "已删除便条 \(id)" }
    var noNotes: String { "没有便条" }
    func manualOffline(since moment: String?) -> String {
        "已手动离线（自 \(moment ?? "现在")）；用 `pos offline off` 结束"
    }
    var manualOff: String { "手动离线已关闭" }
    var testPagePrinted: String { "测试页已打印" }
    func acknowledged(_ loss: String) -> String { "已确认：\(loss)" }
    var nothingToAcknowledge: String { "没有需要确认的内容" }
    func shiftOpened(_ id: String, float: String) -> String { "已开班 \(id)，备用金 \(float)" }
    func difference(_ money: String) -> String { "差额 \(money)" }
    func opened(_ at: String) -> String { "开班 \(at)" }
    func closed(_ at: String) -> String { "交班 \(at)" }
    func debts(_ money: String) -> String { "欠款 \(money)" }
    var noShifts: String { "暂无班次" }
    func paidIn(_ money: String) -> String { "已存入现金 \(money)" }
    func paidOut(_ money: String) -> String { "已支出现金 \(money)" }
    func toSafe(_ money: String) -> String { "已解款 \(money)" }
    var drawerOpened: String { "已开钱箱（无销售）" }
    func verified(_ statement: ShiftStatement) -> String {
        "总部密钥 \(statement.keyId) 已签名：班次 \(statement.shiftId)，\(statement.sold) 条记录，已收 \(statement.received)，缺 \(statement.gap)"
    }
    var nobodySignedIn: String { "无人登录" }
    func givenUp(_ id: String, reported: String) -> String { "已放弃 \(id)；\(reported) 将告知总部" }
    func sentAgain(_ id: String, as new: String) -> String { "\(id) 以 \(new) 重新上传" }
    func thisTerminal(_ state: String) -> String { "本机：\(state)" }
    var noAnswer: String { "无应答" }
    var noServices: String { "没有已知服务" }
    var untilNow: String { "至今" }
    var neverOffline: String { "从未离线" }
    var checkPassed: String { "正常" }
    var checkWarned: String { "注意" }
    var checkFailed: String { "异常" }
    var noOrders: String { "暂无订单" }
    var noOrderMatches: String { "本机没有符合条件的订单" }
    func refundedLine(_ quantity: String, name: String) -> String { "\(name) × \(quantity)" }
    func note(_ text: String) -> String { "注意：\(text)" }
    var paysCashForCard: String { "注意：该单部分或全部由刷卡或券支付；本次退款付现金" }
    func unseenTills(_ count: Int) -> String { "注意：本店有 \(count) 台收银机联系不上；中心稍后核对" }
    var nothingOwed: String { "没有待退回银行卡的款项" }
    var nothingGranted: String { "没有由其他收银机办理的本机退货" }
    func tillName(_ name: String) -> String { "收银机 \(name)" }
    func silent(seconds: Int64) -> String { "\(seconds) 秒没有消息" }
    func tookBack(_ money: String, order: String) -> String {
        "订单 \(order) 的 \(money) 可再由本机退款：`pos orders refund \(order)`"
    }
    func repaid(_ money: String, reason: String) -> String { "请付现金 \(money)；\(reason)" }
    func customerPays(_ money: String) -> String { "顾客应付 \(money)" }
    func handBack(_ money: String) -> String { "现金退还 \(money)" }
    func tenderVoided(_ money: String, method: String) -> String { "\(method) 的 \(money) 将撤销，无需退现金" }
    func orderVoided(_ number: String) -> String { "订单 \(number) 已作废" }
    var semicolon: String { "；" }
    var unreadable: String { "无法读取" }
    func pending(_ count: Int64) -> String { "\(count) 笔待上传" }
    func oldest(seconds: Int64) -> String { "最早一笔已等 \(seconds) 秒" }
    func refusedCounts(rejected: Int64, conflicted: Int64, through: Int64) -> String {
        "\(rejected) 笔被拒，\(conflicted) 笔冲突，总部已收到第 \(through) 笔及之前"
    }
    func hubWait(until moment: String) -> String { "总部要求等到 \(moment)" }
    var comma: String { "，" }
    func attempts(_ count: Int64) -> String { "已试 \(count) 次" }
    func waitsForAttachments(_ count: Int) -> String { "等待 \(count) 个附件" }
    func lastPull(age: String) -> String { "上次成功更新距今 \(age)" }
    var noPull: String { "尚未成功更新过" }
    func newestPullFailed(_ problem: String) -> String { "最近一次失败：\(problem)" }
    func rowsSkipped(_ count: Int) -> String { "跳过 \(count) 行（`pos doctor` 列出）" }
    var versionRefused: String { "已停止：总部要求更新版本；单据均已保留" }
    func versionRetires(on date: Substring) -> String { "注意：总部支持本版本至 \(date)，请在此之前升级" }
    func heldBy(_ state: String, _ holds: String) -> String { "\(state)（\(holds)）" }
    var heldBack: String { "暂停上传" }
    var heldBackMeans: String { "内容与写入时不同；`pos sync retry` 将原样上传，总部会标记" }
    var nothingRefused: String { "没有被拒的单据" }
    var neighboursOff: String {
        "本店收银机之间未开启互联；请在总部开启：`pos-hub store-config set --store-id ID neighbours.enabled=on`"
    }
    func listening(_ addresses: String) -> String { "本机监听 \(addresses)" }
    func notListening(_ detail: String) -> String { "无法监听 \(detail)；每 60 秒重试" }
    func strangers(_ count: Int64) -> String { "\(count) 次连接在握手时被拒" }
    var diskIsOld: String { "另一台收银机见过本机流水中、本机磁盘上没有的记录：`pos doctor`" }
    var noOtherTills: String { "本店没有其他收银机" }
    func notConfirmed(since moment: String) -> String { "自 \(moment) 起总部未再确认其他收银机，其中可能有已注销的" }
    func otherTills(_ reachable: Int, of all: Int) -> String { "其他 \(all) 台收银机中可连通 \(reachable) 台" }
    func till(_ till: NeighboursCall.Till) -> String {
        let name = till.number.map { "\($0) 号机" } ?? till.terminalId
        let called = till.name.map { "（\($0)）" } ?? ""
        let heard = till.heardAt.map { "上次联系 \($0)" } ?? "尚未联系过"
        let state =
            switch till.state {
            case .reachable: till.mode.map(word) ?? "可连通"
            case .silent: "此后无应答"
            case .unknown: "未知"
            }
        let waiting = till.pending.map { $0 == 0 ? "" : "，\($0) 条待上传" } ?? ""
        let theirs = till.keepsForUs > 0 ? "，代存本机 \(till.keepsForUs) 条" : ""
        let ours = till.weKeep > 0 ? "，本机代存其 \(till.weKeep) 条" : ""
        let address = till.address.map { "，\($0)" } ?? ""
        return "\(name)\(called)：\(state)，\(heard)\(waiting)\(theirs)\(ours)\(address)"
    }
    func tried(_ result: TryNeighbourCall.Response) -> String {
        let steps = result.steps.map { "\($0.rawValue)：正常" }
        let name = result.number.map { "\($0) 号机" } ?? result.terminalId ?? "未知的一方"
        guard let failedAt = result.failedAt else {
            return (steps + ["\(result.address) 是\(name)，版本 \(result.version ?? "-")"]).joined(
                separator: "\n")
        }
        let why =
            switch result.reason {
            case "not_connected": "该处无人接受连接；收银机是否开机、端口是否开放？"
            case "timed_out": "未及时应答；无线接入点可能隔离了各终端"
            case "no_till": "对方不是收银机"
            case "other_store": "\(name)不是本店的收银机，或其密钥尚未下发：`pos sync now`"
            case "not_taken": "对方不接受本机的密钥；请在对方运行 `pos sync now`"
            default: "对方的应答无法读取；版本是否相同？"
            }
        return (steps + ["\(failedAt.rawValue)：\(why)"]).joined(separator: "\n")
    }
    var noCardMachine: String { "未设置刷卡机；请在 terminal.json 中设置 cardMachine.address" }
    func foreignBooking(_ receipt: Int64) -> String { "刷卡机最后一笔 \(receipt) 不是本机的：有其他人使用过刷卡机" }
    func decideCard(_ key: String) -> String { "请凭刷卡机小票判定：pos card decide \(key)" }
    func notConfirmed(_ key: String, purpose: String, verdict isDone: Bool, _ money: String) -> String {
        "  人工认定未经刷卡机合计证实：\(purpose) \(money) \(isDone ? "已完成" : "未完成")，\(key)"
    }
    var noBooking: String { "刷卡机没有交易记录" }
    func machineClosed(_ machine: String?, till: String, difference: String?) -> String {
        guard let machine else { return "刷卡机已结算，未报合计；本机 \(till)" }
        return "刷卡机已结算：\(machine)；本机：\(till)；" + (difference.map { "相差 \($0)，请核对刷卡机小票" } ?? "一致")
    }
    func machineClosedTwice(_ machine: String, till: String) -> String {
        "刷卡机已结算：\(machine)；上次结算的应答丢失，本机 \(till) 为两次合计，未作比较：请将刷卡机小票相加核对"
    }
    func cardDecided(_ key: String, _ state: String) -> String {
        "\(key)：\(state == "charged" ? "已扣款" : "未扣款")"
    }
    var noPrinter: String { "未配置打印机；请在 terminal.json 中设置 printer.device" }
    func damagedFiles(_ count: Int64) -> String { "；打印队列中有 \(count) 个损坏文件" }
    var copy: String { "副本" }
    var nothingToPrint: String { "没有待打印的内容" }
    func printing(_ job: String) -> String { "正在打印 \(job)" }
    func decides(_ state: String, in time: String) -> String { "\(state)，\(time) 后判定" }
    func entriesHeldBack(_ count: Int64) -> String { "\(count) 笔：内容与写入时不同" }
    func cardDebts(_ count: Int64) -> String { "\(count) 笔离线刷卡事后被拒：订单号见 `pos doctor`" }
    func leapt(over number: String) -> String { "已跳过 \(number)，该号码不可能属于本机" }
    func hub(_ url: String, terminal: String) -> String { "\(url)，本机 \(terminal)" }
    func cardsWaiting(_ count: Int64) -> String { "\(count) 笔退款待刷卡机连通后退回原卡" }
    func cardsWaitingForCard(_ count: Int64) -> String { "\(count) 笔待顾客出示卡后退回：`pos orders owed`" }
    func cardsRequested(_ count: Int64) -> String { "\(count) 笔已向刷卡机申请退回，待核对其报表：`pos card status`" }
    func cardsRefused(_ count: Int64) -> String { "\(count) 笔被刷卡机拒绝，须付现金：`pos orders owed`" }
    func coreState(_ state: String, by source: String) -> String { "\(state)（核心），来源 \(source)" }
    func state(_ state: String, by source: String) -> String { "\(state)，来源 \(source)" }
    func withApproval(_ way: String) -> String { "\(way)，需批准" }
    func standby(_ path: String) -> String { "备用线路 \(path)" }
    var metered: String { "按流量计费" }
    var constrained: String { "受限" }
    func quality(p50: Int64, p95: Int64, failures: Int64, samples: Int64) -> String {
        "p50 \(p50) 毫秒，p95 \(p95) 毫秒，\(samples) 次中 \(failures) 次失败"
    }
    func hubReached(_ at: String) -> String { "上次连上总部 \(at)" }
    var outbox: String { "单据" }
    var changes: String { "变更" }
    var wholeCatalogue: String { "完整目录" }
    var attachments: String { "附件" }
    var telemetry: String { "遥测" }
    func pausedSync(_ name: String, by held: String) -> String { "\(name)暂停（\(held)）" }
    func smallBatches(_ line: String) -> String { "\(line)，小批量" }
    func minorUnits(_ amount: Int64) -> String { "\(amount)（最小单位）" }
    func upTo(_ amount: String) -> String { "，最多 \(amount)" }
    var aSignIn: String { "登录" }
    var anApproval: String { "批准" }
    var voucherNumber: String { "券号" }
    var and: String { "、" }
    func needs(_ list: String) -> String { "，需要\(list)" }

    func label(_ row: StatusRow) -> String {
        switch row {
        case .since: "起始"
        case .network: "网络"
        case .service: "服务"
        case .can: "功能"
        case .pay: "收款"
        case .points: "积分"
        case .line: "线路"
        case .sync: "同步"
        case .outbox: "待上传"
        case .pull: "更新"
        case .store: "数据库"
        case .held: "未上传"
        case .debts: "欠款"
        case .cards: "退卡"
        case .numbers: "单号"
        case .version: "版本"
        case .hub: "总部"
        }
    }

    func text(_ limit: CapabilityLimit) -> String {
        switch limit {
        case .pricesOfPull: "价格以上次更新为准"
        case .pinsOfPull: "密码以上次更新为准"
        case .membersOfPull: "会员以上次更新为准"
        case .offersOfPull: "优惠以上次更新为准"
        case .couponsOfHub: "需总部核验的优惠和券不可用"
        case .byMachine: "由本机刷卡机收款"
        case .stored: "限额内离线受理，稍后转发"
        }
    }

    func inStock(_ quantity: String, countedAt: String?) -> String {
        "库存 \(quantity)" + (countedAt.map { "，总部盘点于 \($0)" } ?? "")
    }
    func signedIn(_ cashier: SessionResponse.Cashier) -> String {
        "\(cashier.name)（\(cashier.id)，\(role(cashier.role))）已登录，有效至 \(cashier.expiresAt)"
    }
    func saleCount(_ count: Int64) -> String { "\(count) 笔" }
    func doctorSummary(score: Int64, failed: Int, of checks: Int) -> String {
        let summary = failed == 0 ? "可应对断网" : "\(checks) 项检查中有 \(failed) 项需处理"
        return "得分 \(score)/100：\(summary)"
    }

    func refunded(_ refund: RefundRecord) -> String {
        guard !refund.isOfExchange else {
            return "已换货，抵 \(refund.paid.text)，\(refund.madeAt)（\(word(refund.sync))）"
        }
        let inCash = refund.paidInCash == refund.paid ? "现金" : ""
        return "已退\(inCash) \(refund.paid.text)，\(refund.madeAt)（\(word(refund.sync))）"
    }
    func returnedElsewhere(_ refund: ReceiptSale.Refund, _ money: String) -> String {
        let till = refund.place?.terminalNumber.map { "，\($0) 号机" } ?? ""
        let store = refund.place.map { "，门店 \($0.storeId)，\($0.at)" } ?? ""
        return "\(refund.isVoid ? "已作废" : "已退") \(money)\(till)\(store)"
    }
    func back(_ card: CardReturnRecord) -> String {
        let money = "\(card.amount.text) (\(card.method))"
        switch card.state {
        case .returned: return "\(money) 已退回原卡"
        case .requested: return "\(money) 已向刷卡机申请退款；请按其报表确认：`pos card status`"
        case .refused:
            return "刷卡机拒绝退回 \(money)（\(card.reason ?? "")）：请用 `pos orders repay \(card.refundId)` 付现金"
        case .paidInCash: return "\(money) 已付现金"
        case .waiting where card.needsCard:
            return "\(money) 待顾客出示卡后退回：`pos orders repay \(card.refundId) --card`；不加 `--card` 则付现金"
        case .waiting: return "\(money) 待刷卡机连通后退回原卡"
        }
    }
    func attachment(_ name: String, bytes: Int64, received: Int64?) -> String {
        "附件 \(name)  \(bytes) 字节" + (received.map { "，已传 \($0)" } ?? "")
    }
    func salesWait(_ count: Int64, worth sums: String) -> String { "其中 \(count) 笔销售待处理：\(sums)" }

    func ready(_ result: EnrolmentResult) -> String {
        "门店 \(result.storeId) 的 \(result.terminalNumber) 号机已就绪，\(result.products) 件商品；请用 `pos agent` 启动"
    }
    var drillBegins: String { "演练：本机与总部断开，最长两分钟 …" }
    var agentEnded: String { "收银服务已停止；请用 `pos agent` 启动" }
    var outputLost: String { "输出无法写入；命令已执行完毕" }
    func noTerminal(for person: String) -> String {
        "没有可输入 \(person) 密码的终端；请用 --pin-stdin 或 --approver-pin-stdin 提供"
    }
    var noPINEntered: String { "没有输入密码" }
    var plainNeedsReason: String { "--plain 与 --reason 说明 须一起使用" }

    func exported(_ export: ExportCall.Response, plain: Bool) -> String {
        let lost = export.lostAttachments.count
        return "\(export.file) 中有 \(export.entries) 条记录，其中 \(export.pending) 条未确认，附件 \(export.attachments) 个"
            + (lost > 0 ? "（\(lost) 个无法读取）" : "") + (plain ? "，未加密" : "")
            + (export.isSigned ? "" : "，未签名：设备密钥已丢失") + "；可用 `pos-hub ingest` 导入"
    }
    var databaseWhole: String { "数据库完好，未作任何更改" }
    func broughtOver(_ report: RepairReport) -> String {
        "已恢复 \(report.entries) 条记录，其中 \(report.pending) 条待上传，\(report.refused) 条被总部拒绝"
    }
    func kept(_ path: String) -> String { "已保留    \(path)" }
    func lost(_ entry: RepairReport.LostEntry) -> String {
        "已丢失    \(entry.sequence)  \(entry.orderNumber ?? entry.id ?? "记录")：\(entry.reason)，"
            + (entry.isAtHub ? "总部已有" : "总部可能没有")
    }
    func lostMore(_ count: Int64) -> String { "已丢失    另有 \(count) 条" }
    var lostNothing: String { "已丢失    没有已知的丢失" }
    var lostEndUnknown: String { "已丢失    不能排除最后一条之后还有记录；请与总部核对" }
    func goesOn(epoch: Int64) -> String { "流水以纪元 \(epoch) 继续；请启动收银服务。" }
    var identityLost: String { "无法读出本机身份；请对此数据目录运行 `pos init --hub URL --enrol 注册码`，已恢复的记录将以新身份上传。" }
}

/// The checkout in lines.
extension ChinesePosTexts {
    func decides(in seconds: Int64) -> String { "总部没有应答，\(seconds) 秒后判定" }
    func backOnline(in seconds: Int64) -> String { "最早 \(seconds) 秒后恢复在线" }
    func worksOutside(_ command: String) -> String { "`pos \(command)` 需在收银界面之外运行；q 退出" }
    var firstLine: String { "扫描条码，? 显示帮助" }
    var signInFirst: String { "尚未登录：s 工号" }
    func basketKept(_ basket: String) -> String { "购物篮已保留：\(basket)；下次 pos sell 会提示继续" }
    func leaveAgain(_ basket: String) -> String { "购物篮中有 \(basket)；再次输入则保留并退出" }
    func waiting(for what: String, seconds: Int) -> String { "正在等待\(what) · \(seconds) 秒 · 按 Control-C 取消" }
    var nothingScanned: String { "尚未扫描商品" }
    func withQuantityHelp(_ message: String) -> String { "\(message)数量写作 条码:2 或 条码:0.357。" }
    func noLine(_ number: String) -> String { "没有第 \(number) 行；total 显示全部" }
    func takenOff(_ line: String) -> String { "已删除：\(line)" }
    var cardResult: String { "刷卡结果" }
    var saleResult: String { "成交" }
    func orderMissing(after word: String) -> String { "\(word) 后面写单号" }
    var approverMissing: String { "a 后面写主管工号" }
    func pin(of id: String) -> String { "\(id) 的密码：" }
    var help: String {
        """
        扫描或输入条码；多件：条码:数量 或 数量*条码；条码与命令同名时用 scan 条码
        total      显示全部商品和合计
        *数量      修改最后一行的数量
        x [行号]   删除最后一行或指定行
        d 金额 [行号]  整行折扣：最小货币单位（150）、小票上的金额写法，或 10%；0 取消
        da 金额    整单折扣，写法相同
        m 会员     会员号或电话；单独输入：取消会员
        points 数量   用会员积分抵扣；0 取消；单独输入：查看积分
        c 券码     优惠券；单独输入：去掉最后一张
        pay [方式[:金额[:券号]]]…   cash 现金，card 刷卡；单独输入：现金付清余款；可分几种方式
        tenders    各付款方式目前如何受理
        pay back   退回已收款项
        carts [单号]  挂单一览，含其他收银机的；带单号则取单
        s 工号     收银员登录，单独输入：退出；随后输入密码
        a 工号     由谁批准下一次付款或切换；随后输入密码
        void last [原因]   作废本机上一单
        void 单号 [原因] · seen 单号   处理无人看到结果的刷卡单
        offline [原因] · online    手动离线／恢复
        clock      时钟与总部不一致时仍然收银
        retry      立即重新连接总部
        q          退出；有商品时需输入两次
        """
    }

    func largeChange(_ money: String) -> String { "找零将为 \(money)；请核对收款，确认无误请再次输入" }
    var signInRequired: String { "请先登录：s 工号" }
    var pinMissing: String { "缺少密码：请用 s 工号 或 a 工号" }
    var totalChanged: String { "合计已变化；请确认后重新付款" }
    var agentGone: String { "收银服务已停止；购物篮已保留，请等待恢复（Control-C 退出）" }
    var agentBack: String { "收银服务已恢复，购物篮未变" }
    func coupons(_ list: String) -> String { "优惠券 \(list)" }
    func unknownMemberNoted(_ id: String) -> String { "会员 \(id)：查无此人，按输入记录" }
    func stillDue(_ money: String) -> String { " · 还差 \(money)" }
    func taken(_ taken: String, due left: String) -> String {
        "已收 \(taken)，还差 \(left)：pay cash、pay card，或 pay back 退回"
    }
    func unseen(_ number: String, total: String) -> String {
        "刷卡单 \(number)（\(total)）已成交，但无人看到结果：输入 seen \(number) 保留，或 void \(number) 撤销"
    }
    var basketFirst: String { "当前单内已有商品：请先结账，或用 q 离开" }
    var isExchange: String { "这是换货单：请在收银界面（pos sell）继续；此单已保留" }
    func cartLeft(_ offer: String) -> String { "有窗口留下了一单：\(offer) 回车继续此单，输入其他内容则暂不处理" }
    func basket(lines: String, money: String) -> String { "\(lines)，\(money)" }
    func quantityForm(_ typed: String) -> String { "数量写作 *2 或 *0.357" }
    var discountForm: String { "折扣写作 d 150、d 加小票上的金额写法，或 d 10%，对整行有效" }
    var discountOfAllForm: String { "整单折扣写作 da 150、da 加小票上的金额写法，或 da 10%" }
    var pointsForm: String { "积分为整数：points 500" }
    func paymentForm(_ word: String) -> String { "付款写作 cash、card、cash:金额 或 gift:金额:券号" }

    func total(_ total: String, tax: String, inCash: String?) -> String {
        "合计 \(total)，其中税额 \(tax)" + (inCash.map { "，现金 \($0)" } ?? "")
    }
    var clockDiffers: String { "确认无误可输入 clock 后重新付款。" }
    var voucherUsed: String { "确认后可输入 voucher 并重新付款。" }
    func unknownBarcode(_ message: String) -> String { message + "也可按部门销售：条码@价格#部门" }
    func soldByMeasure(_ article: String?) -> String { "\(article ?? "此商品") 按重量或计量销售：请输入 0.357*条码" }
    func withoutPrice(_ article: String?) -> String { "\(article ?? "此商品") 没有固定价格：请输入 条码@价格（以最小货币单位计）" }
    func needsApproval(_ action: String) -> String { "需要主管批准：先输入 a 工号，再重试（\(action)）" }

    func programMissing(_ name: String, for command: String, at path: String, _ error: String) -> String {
        "`pos \(command)` 需要 \(path)，但无法启动（\(error)）；请在 pos 旁安装同一版本的 \(name)，或用 `swift build --product \(name)` 构建"
    }
    func outputUnwritable(_ path: String) -> String { "无法写入 \(path)；请指定本用户可写入的目录中的文件" }
    func fileUnreadable(_ path: String) -> String { "无法读取 \(path)" }
    func noJSON(_ path: String) -> String { "\(path) 不是 JSON" }
    func syncIncomplete(_ reason: String?, retryHelps: Bool) -> String {
        "\(reason.map { "未全部上传（\($0)）" } ?? "总部没有收下全部")；其余保存在本机，会自动上传"
            + (retryHelps ? "，也可运行 `pos sync now` 重试" : "")
    }
    func pinLineMissing(of secret: PINEntry.Secret) -> String { "标准输入中没有\(name(secret))" }
    func tooFewDescriptors(_ limit: UInt, needed: UInt) -> String {
        "本进程只能打开 \(limit) 个文件，至少需要 \(needed) 个；请提高上限（`ulimit -n`、LimitNOFILE）"
    }
    func internalError(_ detail: String) -> String { "程序内部错误：\(detail)" }
    var cardNumberArgument: String { "参数像是银行卡号，此处不得输入；未作任何更改" }
    func wrongUsage(_ detail: String) -> String { "用法不对：\(detail)" }
    func wrongUsageHelp(_ detail: String) -> String { "用法不对：\(detail)；见 `pos --help` 和 `pos COMMAND --help`" }
    func loopFailed(_ call: String, error: Int32) -> String { "系统调用 \(call) 失败（错误 \(error)）；请重试" }
    var receiptMalformed: String { "收银服务给出的小票不是 base64；请重新启动收银服务" }
    func fileUnwritable(_ path: String, _ detail: String) -> String { "无法写入 \(path)：\(detail)" }
    var inputEnded: String { "输入已结束" }
    func malformedLine(_ detail: String) -> String { "这一行写得不对：\(detail)" }
    func notSold(_ detail: String) -> String { "\(detail)；这一行没有成交" }

    private func name(_ secret: PINEntry.Secret) -> String {
        switch secret {
        case .cashier: "收银员的密码"
        case .approver: "主管的密码"
        case .pin: "密码"
        case .enrolmentCode: "注册码"
        }
    }
}
