internal import Base

/// The fixed texts of the pages, in pairs.
enum Texts {
    static func all(_ language: Language) -> PageValues {
        pairs.mapValues { language == .english ? $0.0 : $0.1 }
    }

    static func role(_ role: String, _ wording: Wording) -> String {
        switch role {
        case "viewer": wording.text("viewer", "查看者")
        case "operator": wording.text("operator", "操作员")
        case "manager": wording.text("manager", "经理")
        case "integrator": wording.text("integrator", "集成程序")
        case _: role
        }
    }

    private static let pairs: [String: (String, String)] = [
        "skip": ("Skip to content", "跳到内容"), "navigation": ("Pages", "页面"),
        "signOut": ("Sign out", "退出"), "signIn": ("Sign in", "登录"),
        "storeAway": (
            "The hub's database does not respond. Terminals go on selling; these figures are old.",
            "中心数据库没有响应。终端可继续销售；以下数据不是最新的。"
        ),
        "since": ("since", "自"), "sinceHead": ("Since", "开始于"), "figures": ("Figures of", "数据时间"),
        "live": ("live", "实时"),
        "wrongNow": ("What is wrong now", "当前问题"),
        "allWell": ("Nothing is wrong.", "一切正常。"),
        "terminals": ("Terminals", "终端"), "stores": ("Stores", "门店"), "services": ("Services", "服务"),
        "store": ("Store", "门店"), "terminal": ("Terminal", "终端"), "name": ("Name", "名称"),
        "mode": ("Mode", "状态"), "causes": ("Causes", "原因"), "outbox": ("Outbox", "待同步"),
        "oldest": ("Oldest", "最早"), "refused": ("Refused", "被拒"), "version": ("Version", "版本"),
        "contact": ("Last contact", "最近联系"), "away": ("Away", "失联"),
        "choose": ("choose …", "请选择…"),
        "never": ("never", "从未"), "search": ("Search", "搜索"),
        "searchHint": ("Store, number, name, id or version", "门店、编号、名称、ID 或版本"),
        "filter": ("Show", "显示"), "all": ("all", "全部"), "sort": ("Sort by", "排序"),
        "byStore": ("store", "门店"), "byMode": ("worst first", "问题优先"),
        "byContact": ("longest without contact", "最久未联系"), "byOutbox": ("oldest outbox", "待同步最久"),
        "byVersion": ("version", "版本"), "apply": ("Apply", "应用"),
        "previous": ("Previous", "上一页"), "next": ("Next", "下一页"),
        "nothing": ("Nothing fits.", "没有符合的记录。"), "of": ("of", "共"),
        "state": ("State", "状态"), "scope": ("Scope", "范围"), "source": ("Decided by", "判定来源"),
        "reason": ("Reason", "原因"), "history": ("Changes", "变化记录"), "when": ("When", "时间"),
        "evidence": ("Evidence", "证据"), "failing": ("Failing terminals", "失败终端"),
        "failedOf": ("failed of", "失败 /"),
        "overrideInForce": ("Override", "人工干预"), "by": ("by", "由"), "until": ("until", "直到"),
        "untilCleared": ("until it is taken back", "直到撤销"), "takeBack": ("Take back", "撤销"),
        "waiting": ("Waits for a second operator", "等待第二位操作员确认"),
        "confirm": ("Confirm", "确认"), "confirmBy": ("to be confirmed before", "确认截止"),
        "notOwn": ("Another operator has to confirm this.", "须由另一位操作员确认。"),
        "setOverride": ("Set an override", "设置人工干预"),
        "forStore": ("Store (empty: the chain)", "门店（留空为全部）"),
        "forStoreOnly": ("Store", "门店"),
        "ends": ("Ends after", "持续时间"), "min15": ("15 min", "15 分钟"), "h1": ("1 h", "1 小时"),
        "h4": ("4 h", "4 小时"), "h24": ("24 h", "24 小时"),
        "chainNote": (
            "For the chain another operator has to confirm it within 30 minutes.",
            "全部门店的干预须由另一位操作员在 30 分钟内确认。"
        ),
        "inForce": ("In force", "生效中"), "noOverrides": ("No override is in force.", "没有生效的人工干预。"),
        "chain": ("all stores", "全部门店"), "service": ("Service", "服务"),
        "who": ("Who", "操作者"), "what": ("What", "操作"), "subject": ("Subject", "对象"),
        "detail": ("Detail", "说明"), "outcome": ("Outcome", "结果"),
        "intact": ("The chain of hashes of these entries is intact.", "以下记录的哈希链完整。"),
        "broken": ("The chain of hashes is broken at entry", "哈希链在此处断裂："),
        "lasts": ("lasts", "持续中"), "began": ("Began", "开始"), "length": ("Length", "时长"),
        "day": ("24 hours", "24 小时"), "week": ("7 days", "7 天"),
        "noPeriods": ("No terminal was offline in this time.", "此时段内没有终端离线。"),
        "legendNetwork": ("network", "网络"), "legendService": ("service", "服务"),
        "legendManual": ("by hand", "人工"),
        "online": ("online", "在线"), "offlineOrSilent": ("offline or silent", "离线或无消息"),
        "pending": ("mutations wait at terminals", "条待同步"),
        "system": ("System", "系统"), "enrolled": ("Enrolled", "注册时间"), "id": ("Id", "ID"),
        "success": ("Successful pushes", "同步成功率"), "periods": ("Offline periods", "离线时段"),
        "unconfirmed": ("unconfirmed", "未确认"), "report": ("Last report", "最近上报"),
        "password": ("Password", "密码"),
        "firstTime": (
            "First time: set a password with the login code", "首次登录：用登录码设置密码"
        ),
        "loginCode": ("Login code", "登录码"),
        "newPassword": ("New password, 10 characters or more", "新密码，至少 10 个字符"),
        "setPassword": ("Set the password and sign in", "设置密码并登录"),
        "withToken": ("With an operator token", "使用操作员令牌"), "token": ("Token", "令牌"),
        "disconnected": (
            "No connection to the hub; the page goes on when it is back.", "与中心的连接已断开，恢复后自动更新。"
        ),
        "updated": ("Updated", "已更新"),
        "salesOf": ("Sales of", "销售日："), "businessDay": ("Business day", "营业日"),
        "orders": ("Sales", "笔数"), "gross": ("Gross", "总额"), "discounts": ("Discounts", "折扣"),
        "refunds": ("Refunds", "退款"), "net": ("Net", "净额"), "tax": ("Tax in it", "含税"),
        "newest": ("Newest", "最新"), "older": ("Older", "更早"), "openOnly": ("open", "待处理"),
        "openOne": ("open", "待处理"), "acknowledged": ("acknowledged", "已确认"),
        "acknowledge": ("Acknowledge", "确认"), "note": ("Note", "备注"), "lastTime": ("Last time", "最近一次"),
        "times": ("Times", "次数"), "noAlarms": ("No alarm is open.", "没有待处理的告警。"),
        "flag": ("Flag", "标记"), "order": ("Order", "订单"), "received": ("Received", "到达时间"),
        "dayReceived": ("Day of arrival (UTC)", "到达日（UTC）"), "type": ("Type", "类型"),
        "flagsAre": (
            "The hub accepted these and found something to look at in them.",
            "以下记录已被接受，但有需要查看之处。"
        ),
        "noFlags": ("Nothing was flagged.", "没有标记。"), "amount": ("Amount", "金额"),
        "noRefusals": ("Nothing refused is open.", "没有待处理的被拒记录。"),
        "resolvedBy": ("Resolved by", "处理人"), "resolve": ("Resolve", "处理"), "keep": ("Keep", "保留"),
        "keepTerminal": ("the terminal's: it has to send it again", "终端的：由终端重新提交"),
        "keepServer": ("the hub's: it is given up", "中心的：放弃该记录"),
        "resolveNote": (
            "What is given up is never applied here; at the terminal somebody discards or edits the entry.",
            "放弃的记录不会在中心生效；终端上的记录由店员放弃或修改。"
        ),
        "sent": ("What the terminal sent", "终端提交的内容"), "serverHas": ("What the hub has", "中心的内容"),
        "allRefused": ("All refused mutations", "全部被拒记录"), "orderNumber": ("Order number or id", "订单号或 ID"),
        "find": ("Find", "查找"), "cashier": ("Cashier", "收银员"), "flagged": ("Flagged", "已标记"),
        "lines": ("Lines", "明细"), "article": ("Article", "商品"), "barcode": ("Barcode", "条码"),
        "quantity": ("Quantity", "数量"), "price": ("Price", "单价"), "payments": ("Payments", "支付"),
        "tender": ("Tender", "支付方式"), "cameBack": ("Voids and refunds", "作废与退款"),
        "mutation": ("Mutation", "记录"), "sameDay": ("Other orders of the day in this store", "该店当日其他订单"),
        "ordersOf": ("Orders of the day", "当日订单"),
        "shift": ("Shift", "班次"), "opened": ("Opened", "开班"), "closed": ("Closed", "交班"),
        "expected": ("Cash expected", "应有现金"), "counted": ("Counted", "实点"),
        "difference": ("Difference", "差额"),
        "noShifts": ("No shift fits.", "没有符合的班次。"),
        "notClosed": (
            "Not closed yet. The terminal sends the sums with its closing.", "尚未交班。各项合计在交班时上传。"
        ),
        "disputedMeans": (
            "The hub's journal has other figures. Where a refused sale is the cause, its edit starts a new comparison.",
            "中心流水的数字与终端不同。如果原因是被拒的订单，在终端修改后中心会重新核对。"
        ),
        "openByStore": ("Open by store", "各店未结"), "byTender": ("By tender", "按支付方式"),
        "byTax": ("By tax", "按税率"), "count": ("Number", "笔数"),
        "rate": ("Rate", "税率"), "taxable": ("Paid under it", "计税额"), "taxAmount": ("Tax", "税额"),
        "drawer": ("Drawer", "钱箱"), "sums": ("Sums", "合计"), "differences": ("What differs", "差异"),
        "figure": ("Figure", "项目"), "ofTerminal": ("Terminal's", "终端"), "ofHub": ("Hub's", "中心"),
        "statements": ("Statements", "对账单"), "epoch": ("Epoch", "纪元"), "key": ("Key", "密钥"),
        "noStatements": (
            "The hub has countersigned nothing yet: entries are still to come.", "中心尚未会签：仍有记录未到达。"
        ),
        "issued": ("Signed", "签署时间"), "debts": ("Debts", "欠款"), "debtsOpen": ("Debts open", "未结欠款"),
        "debtsAre": (
            "Cards taken offline and refused afterwards: the goods are gone and no money came.",
            "终端离线刷卡、事后被拒的款项：商品已售出，款项未到账。"
        ),
        "noDebts": ("No debt is open.", "没有未结欠款。"), "taken": ("Taken", "刷卡时间"),
        "refusedAt": ("Refused", "被拒时间"), "settle": ("Settle", "结清"), "settled": ("settled", "已结清"),
        "settleNote": ("Paid or written off, how", "已付或核销，说明"),
        "allShifts": ("All shifts", "全部班次"), "allDebts": ("All debts", "全部欠款"),
        "currency": ("Currency", "币种"), "noSales": ("Nothing was sold on this day.", "当天没有销售。"),
    ]
}
