internal import Base
internal import HubProtocol

struct ChineseDashboardTexts: DashboardTexts {
    var languageName: String { "中文" }

    func group(_ group: DashboardGroup) -> String {
        switch group {
        case .now: "现状"
        case .fleet: "门店终端"
        case .money: "销售"
        case .administration: "管理"
        }
    }

    func page(_ page: DashboardPage) -> String {
        switch page {
        case .overview: "总览"
        case .services: "服务"
        case .stores: "门店"
        case .terminals: "终端"
        case .offline: "离线时段"
        case .sales: "销售"
        case .orders: "订单"
        case .shifts: "班次"
        case .debts: "欠款"
        case .alarms: "告警"
        case .flags: "标记"
        case .refused: "被拒"
        case .overrides: "人工干预"
        case .log: "操作日志"
        }
    }

    func frame(_ key: PageText.Frame) -> String {
        switch key {
        case .skip: "跳到内容"
        case .navigation: "页面"
        case .signOut: "退出"
        case .signIn: "登录"
        case .storeAway: "中心数据库没有响应。终端可继续销售；以下数据不是最新的。"
        case .since: "自"
        case .figures: "数据时间"
        case .live: "实时"
        case .disconnected: "与中心的连接已断开，恢复后自动更新。"
        case .updated: "已更新"
        case .search: "搜索"
        case .filter: "显示"
        case .all: "全部"
        case .sort: "排序"
        case .apply: "应用"
        case .previous: "上一页"
        case .next: "下一页"
        case .nothing: "没有符合的记录。"
        case .of: "共"
        case .newest: "最新"
        case .older: "更早"
        case .store: "门店"
        case .terminal: "终端"
        case .name: "名称"
        case .state: "状态"
        case .reason: "原因"
        case .when: "时间"
        case .by: "由"
        case .until: "直到"
        case .version: "版本"
        case .detail: "说明"
        case .note: "备注"
        case .order: "订单"
        case .amount: "金额"
        case .type: "类型"
        case .received: "到达时间"
        case .day: "24 小时"
        case .week: "7 天"
        case .password: "密码"
        case .firstTime: "首次登录：用登录码设置密码"
        case .loginCode: "登录码"
        case .newPassword: "新密码，至少 10 个字符"
        case .setPassword: "设置密码并登录"
        case .withToken: "使用操作员令牌"
        case .token: "令牌"
        case .choose: "请选择…"
        case .back: "返回，不作更改"
        case .never: "从未"
        case .justNow: "刚刚"
        case .id: "ID"
        case .orderNumber: "订单号或 ID"
        case .currency: "币种"
        case .count: "笔数"
        case .cashier: "收银员"
        case .timesOf: "时区"
        case .colon: "："
        case .comma: "，"
        case .opening: "（"
        case .closing: "）"
        }
    }

    func fleet(_ key: PageText.Fleet) -> String {
        switch key {
        case .wrongNow: "当前问题"
        case .allWell: "一切正常。"
        case .searchHint: "门店、编号、名称、ID 或版本"
        case .mode: "状态"
        case .causes: "原因"
        case .outbox: "待同步"
        case .oldest: "最早"
        case .contact: "最近联系"
        case .away: "失联"
        case .byStore: "门店"
        case .byMode: "问题优先"
        case .byContact: "最久未联系"
        case .byOutbox: "待同步最久"
        case .byVersion: "版本"
        case .sinceHead: "开始于"
        case .online: "在线"
        case .offlineOrSilent: "离线或无消息"
        case .pending: "条待同步"
        case .system: "系统"
        case .enrolled: "注册时间"
        case .success: "同步成功率"
        case .unconfirmed: "未确认"
        case .report: "最近上报"
        case .lasts: "持续中"
        case .began: "开始"
        case .length: "时长"
        case .noPeriods: "此时段内没有终端离线。"
        case .legendNetwork: "网络"
        case .legendService: "服务"
        case .legendManual: "人工"
        case .awayTile: "离线或无消息"
        case .toBeSent: "待同步"
        case .waitForPerson: "等待处理"
        case .goodsGone: "商品已售出，款项未到账"
        case .storesAway: "失联门店"
        case .missingEntries: "缺失流水"
        case .only: "仅显示"
        case .copied: "其中其他终端也有"
        case .handedIn: "其他终端代交"
        case .acceptHandedIn: "部分记录等待处理：pos-hub terminals accept-relayed"
        case .telephone: "电话"
        case .location: "地点"
        case .zone: "时区"
        case .nothingKnown: "无数据"
        case .storeOrTerminal: "门店或终端"
        case .terminalId: "终端 ID"
        case .oldestSince: "最早一条的时间"
        case .ended: "结束"
        case .lengthSeconds: "时长（秒）"
        case .periodsPlot: "离线时段，每家门店或每个终端一行"
        }
    }

    func service(_ key: PageText.Service) -> String {
        switch key {
        case .service: "服务"
        case .scope: "范围"
        case .source: "判定来源"
        case .history: "变化记录"
        case .evidence: "证据"
        case .failing: "失败终端"
        case .failedOf: "失败 /"
        case .overrideInForce: "人工干预"
        case .untilCleared: "直到撤销"
        case .takeBack: "撤销"
        case .waiting: "等待第二位操作员确认"
        case .confirm: "确认"
        case .confirmBy: "确认截止"
        case .notOwn: "须由另一位操作员确认。"
        case .setOverride: "设置人工干预"
        case .forStore: "门店（留空为全部）"
        case .forStoreOnly: "门店"
        case .ends: "持续时间"
        case .min15: "15 分钟"
        case .h1: "1 小时"
        case .h4: "4 小时"
        case .h24: "24 小时"
        case .chainNote: "全部门店的干预须由另一位操作员在 30 分钟内确认。"
        case .inForce: "生效中"
        case .noOverrides: "没有生效的人工干预。"
        case .chain: "全部门店"
        case .who: "操作者"
        case .what: "操作"
        case .subject: "对象"
        case .outcome: "结果"
        case .intact: "以下记录的哈希链完整。"
        case .broken: "哈希链在此处断裂："
        case .operatorsDid: "操作日志"
        case .outcomeRefused: "被拒绝"
        case .outcomeProposed: "待确认"
        case .outcomeDone: "完成"
        case .end: "结束时间"
        }
    }

    func record(_ key: PageText.Record) -> String {
        switch key {
        case .openOnly: "待处理"
        case .openOne: "待处理"
        case .acknowledged: "已确认"
        case .acknowledge: "确认"
        case .lastTime: "最近一次"
        case .times: "次数"
        case .noAlarms: "没有待处理的告警。"
        case .flag: "标记"
        case .dayReceived: "到达日（UTC）"
        case .flagsAre: "以下记录已被接受，但有需要查看之处。"
        case .noFlags: "没有标记。"
        case .noRefusals: "没有待处理的被拒记录。"
        case .resolvedBy: "处理人"
        case .resolve: "处理"
        case .resolved: "已处理"
        case .keep: "保留"
        case .keepTerminal: "终端的：由终端重新提交"
        case .keepServer: "中心的：放弃该记录"
        case .keptServer: "保留中心的状态"
        case .keptTerminal: "由终端重新提交"
        case .resolveNote: "放弃的记录不会在中心生效；终端上的记录由店员放弃或修改。"
        case .sent: "终端提交的内容"
        case .serverHas: "中心的内容"
        case .allRefused: "全部被拒记录"
        case .refusedMutations: "被拒记录"
        case .refusedMutation: "被拒记录"
        case .alarm: "告警"
        }
    }

    func sale(_ key: PageText.Sale) -> String {
        switch key {
        case .salesOf: "销售日："
        case .businessDay: "营业日"
        case .saleCount: "笔数"
        case .gross: "总额"
        case .discounts: "折扣"
        case .refunds: "退款"
        case .net: "净额"
        case .tax: "其中税额"
        case .noSales: "当天没有销售。"
        case .byTender: "按支付方式"
        case .tender: "支付方式"
        case .salesByStore: "按门店"
        case .others: "其他"
        case .find: "查找"
        case .flagged: "已标记"
        case .lines: "明细"
        case .article: "商品"
        case .barcode: "条码"
        case .quantity: "数量"
        case .price: "单价"
        case .payments: "支付"
        case .cameBack: "作废与退款"
        case .mutation: "记录"
        case .sameDay: "该店当日其他订单"
        case .ordersOf: "当日订单"
        case .simulated: "模拟"
        case .void: "作废"
        case .refund: "退款"
        case .total: "合计"
        case .change: "找零"
        case .refunded: "已退"
        case .approver: "授权人"
        case .member: "会员"
        case .tillMode: "终端模式"
        case .sold: "售出时间"
        case .notBegun: "该日尚未开始。请选择今天或更早的日期。"
        case .ownDay: "各店当前营业日"
        case .ownDays: "各店时区不同：每家门店按自己的营业日计算。"
        }
    }

    func shift(_ key: PageText.Shift) -> String {
        switch key {
        case .shift: "班次"
        case .opened: "开班"
        case .closed: "交班"
        case .expected: "应有现金"
        case .counted: "实点"
        case .difference: "差额"
        case .noShifts: "没有符合的班次。"
        case .notClosed: "尚未交班。各项合计在交班时上传。"
        case .disputedMeans: "中心流水的数字与终端不同。如果原因是被拒的订单，在终端修改后中心会重新核对。"
        case .openByStore: "各店未结"
        case .byTax: "按税率"
        case .rate: "税率"
        case .taxable: "含税金额"
        case .taxAmount: "税额"
        case .drawer: "钱箱"
        case .differences: "差异"
        case .figure: "项目"
        case .ofTerminal: "终端"
        case .ofHub: "中心"
        case .statements: "对账单"
        case .epoch: "纪元"
        case .key: "密钥"
        case .noStatements: "中心尚未会签：仍有记录未到达。"
        case .issued: "签署时间"
        case .cardMachine: "刷卡机"
        case .cardMachineAre: "刷卡机自己的日结与终端合计的对照，以及由人凭刷卡机小票认定的款项。"
        case .ofMachine: "刷卡机"
        case .decidedCharged: "认定：已扣款"
        case .decidedNotCharged: "认定：未扣款"
        case .decidedVoided: "认定：已撤销"
        case .decidedNotVoided: "认定：未撤销"
        case .decidedRefunded: "认定：已退款"
        case .decidedNotRefunded: "认定：未退款"
        case .decidedBy: "认定人"
        case .debtsOpen: "未结欠款"
        case .debtsAre: "终端离线刷卡、事后被拒的款项：商品已售出，款项未到账。"
        case .noDebts: "没有未结欠款。"
        case .taken: "刷卡时间"
        case .refusedAt: "被拒时间"
        case .settle: "结清"
        case .settled: "已结清"
        case .settleNote: "已付或核销，说明"
        case .allShifts: "全部班次"
        case .allDebts: "全部欠款"
        case .noReason: "未说明原因"
        case .float: "备用金"
        case .journalEntries: "流水记录"
        case .lastHash: "末条哈希"
        case .cashCounted: "实点现金"
        }
    }

    func role(_ role: PageWord.Role) -> String {
        switch role {
        case .viewer: "查看者"
        case .operator: "操作员"
        case .manager: "经理"
        case .integrator: "集成程序"
        }
    }

    func source(_ source: PageWord.Source) -> String {
        switch source {
        case .reports: "终端上报"
        case .probe: "中心探测"
        case .operator: "操作员"
        }
    }

    func cause(_ cause: PageWord.Cause) -> String {
        switch cause {
        case .silent: "无消息"
        case .manual: "人工"
        case .network: "网络"
        case .service: "服务"
        }
    }

    func fault(_ fault: PageWord.NetworkFault) -> String {
        switch fault {
        case .noLink: "网线和 Wi-Fi 均未连接"
        case .certificate: "证书已过期或时钟有误"
        case .foreignName: "证书上的名称不符"
        case .portal: "被登录页面拦截"
        case .names: "域名解析失败"
        case .noInternet: "互联网无响应"
        case .hubDark: "仅中心无响应"
        case .lost: "连接中断"
        }
    }

    func name(of service: PageWord.Service) -> String {
        switch service {
        case .account: "账号"
        case .marketing: "营销"
        case .member: "会员"
        case .order: "订单"
        case .payment: "支付"
        case .product: "商品"
        }
    }

    func name(_ figure: ShiftFigure) -> String { Language.chinese.sharedTexts.name(figure) }

    func state(_ state: PageWord.Order) -> String {
        switch state {
        case .completed: "已完成"
        case .voided: "已作废"
        case .refunded: "已退款"
        case .refundedInPart: "部分退款"
        }
    }

    func state(_ state: ServiceState) -> String {
        switch state {
        case .healthy: "正常"
        case .recovering: "恢复中"
        case .faulty: "故障"
        }
    }

    func state(_ state: ShiftSettlement.State) -> String {
        switch state {
        case .open: "进行中"
        case .provisional: "待核对"
        case .confirmed: "已确认"
        case .disputed: "有争议"
        }
    }

    func state(_ hold: RelayHold?) -> String {
        switch hold {
        case nil: "已接收"
        case .revoked: "等待处理：终端已注销"
        case .unconfirmed: "等待处理：终端未确认"
        case .conflict: "等待处理：与其他记录冲突"
        case .superseded: "等待处理：属于以前的纪元"
        case .epoch: "等待处理：纪元未知"
        }
    }

    func mode(_ mode: FleetMode) -> String {
        switch mode {
        case .online: "在线"
        case .degraded: "网络差"
        case .offline: "离线"
        case .silent: "无消息"
        case .waiting: "未上线"
        case .revoked: "已吊销"
        }
    }

    func done(_ result: FormResult) -> String {
        switch result {
        case .set, .confirmed: "人工干预已生效。"
        case .proposed: "人工干预等待第二位操作员确认。"
        case .acknowledged: "告警已确认。"
        case .resolved: "处理结果已记录。"
        case .settled: "欠款已结清。"
        case .cleared: "已撤销。"
        }
    }

    func unit(_ unit: TimeUnit) -> String {
        switch unit {
        case .day: "天"
        case .hour: "小时"
        case .minute: "分钟"
        case .second: "秒"
        }
    }

    func ago(_ span: String) -> String { "\(span)前" }
    func lasting(_ span: String, failing percent: Int64?) -> String {
        "已 \(span)" + (percent.map { "，失败率 \($0)%" } ?? "")
    }
    func stillLasts(_ title: String) -> String { "\(title)，持续中" }
    func failed(percent: Int64) -> String { "最近一分钟 \(percent)% 的请求失败" }
    func store(_ id: String) -> String { "门店 \(id)" }
    func terminal(_ id: String) -> String { "终端 \(id)" }
    func sales(of day: String) -> String { "销售 \(day)" }
    func sales(count: String) -> String { "\(count) 笔" }
    func online(_ number: String) -> String { "\(number) 在线" }
    func wholeStores(_ number: String) -> String { "\(number) 家门店全部失联" }
    func moreStores(_ number: String) -> String { "另有 \(number) 家门店" }
    func refusedAtTerminals(_ number: String) -> String { "终端上 \(number) 条" }
    func oldest(_ span: String) -> String { "最早 \(span)" }
    func states(of service: String) -> String { "最近 24 小时 \(service) 的状态" }
    func entries(sold: String, received: String, gap: String) -> String {
        "\(sold) 条记录，已收 \(received)，缺 \(gap)"
    }

    func title(of trouble: Trouble.Kind) -> String {
        switch trouble {
        case .storeAway: "中心数据库没有响应"
        case .service(let name, let state, _, _): "\(self.name(ofService: name))\(self.state(state))"
        case .scopes(let name, _, _): "\(self.name(ofService: name))部分故障"
        case .proposal(let proposal): "\(name(ofService: proposal.service))的人工干预等待第二位操作员确认"
        case .overrides(let count): "生效中的人工干预：\(count) 项"
        case .storesAway(let stores): "\(stores) 家门店离线或无消息"
        case .terminalsAway(let count): "其他门店 \(count) 台终端离线或无消息"
        case .oldOutbox(let terminals, _): "\(terminals) 台终端的待同步超过一小时"
        case .refused(let open, let held):
            open > 0 ? "\(open) 条被拒记录待处理" : "终端上有 \(held) 条被拒记录"
        case .gaps(let terminals, _): "\(terminals) 台终端的流水有缺失"
        case .unconfirmed(let count): "\(count) 台终端等待确认"
        case .alarms(let count): "\(count) 条未处理告警"
        case .disputedShifts(let count): "\(count) 个班次有争议"
        case .debts(let count): "\(count) 笔离线刷卡事后被拒"
        }
    }

    func scopes(stores: Int, terminals: Int) -> String { "门店 \(stores) 家，终端 \(terminals) 台" }
    func missing(entries: String) -> String { "其间有 \(entries) 条未到达" }

    func replaces(_ sentence: String, by name: String, reason: String) -> String {
        "将取代 \(name) 的干预：\(sentence)（\(reason)）"
    }
}
