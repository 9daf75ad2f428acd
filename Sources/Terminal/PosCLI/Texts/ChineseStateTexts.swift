/// Words of the documents in Chinese, as `pos` shows them: states, ways, reasons and services. A document
/// itself (`--json`) has the English ones.
enum ChineseStateTexts {
    /// Nil for a word of a later version.
    static subscript(_ word: String) -> String? { words[word] }

    private static let words: [String: String] =
        [modes, connection, orders, services, actions, machines].reduce(into: [:]) { all, some in
            all.merge(some) { first, _ in first }
        }

    private static let modes = [
        "online": "在线", "offline": "离线", "manual": "手动", "network": "网络", "service": "服务",
        "reachable": "正常", "suspect": "存疑", "unreachable": "连不上", "recovering": "恢复中",
        "healthy": "正常", "faulty": "故障", "qos": "总部", "operator": "管理员", "local": "本机",
    ]

    private static let connection = [
        "localNetworkOnly": "仅店内网络", "authBlocked": "总部不接受本机身份", "backendDown": "总部故障",
        "onlineDegraded": "在线，缓慢", "noInterface": "没有网络连接", "captivePortal": "网络要求登录",
        "dnsFail": "域名无法解析", "timeout": "超时", "connectFail": "无法连接", "tlsError": "证书错误",
        "http5xx": "总部出错", "http401": "身份被拒", "rateLimit": "总部限速", "ethernet": "网线",
        "wifi": "无线网", "cellular": "移动网络", "unknown": "未知", "connecting": "尚未连上",
        "signIn": "总部不接受本机身份", "degraded": "线路缓慢", "metered": "按流量计费", "constrained": "线路受限",
        "quietHours": "停传时段", "battery": "电量低",
    ]

    private static let orders = [
        "completed": "已完成", "voided": "已作废", "pending": "待上传", "acknowledged": "总部已收",
        "rejected": "被拒", "conflicted": "冲突", "superseded": "已更正", "discarded": "已放弃",
        "open": "进行中", "provisional": "待总部核对", "confirmed": "总部已确认", "disputed": "总部有异议",
        "settled": "已了结", "paying": "收款中", "sending": "上传中", "held": "暂缓", "queued": "排队",
    ]

    private static let services = [
        "order": "订单", "account": "收银员", "member": "会员", "marketing": "优惠", "payment": "刷卡",
        "product": "商品", "lease": "离线额度",
    ]

    private static let actions = [
        "checkout": "收款", "payment.cash": "现金", "payment.card": "刷卡", "cash": "现金", "card": "刷卡",
        "coupons": "优惠券", "priceOverride": "改价", "exchange": "换货", "refund": "退货", "void": "作废",
        "park": "挂单", "notes": "便条", "manualOffline": "手动离线", "sync": "同步", "catalogue": "商品目录",
        "hub": "经总部", "machine": "刷卡机", "stored": "稍后授权", "refused": "拒绝",
    ]

    private static let machines = [
        "none": "无", "untried": "未试", "ready": "就绪", "paper_low": "纸将用完", "paper_out": "缺纸",
        "no_response": "无应答", "busy": "正忙", "undecided": "待判定", "waiting": "等待", "printing": "正在打印",
        "interrupted": "已中断", "failed": "失败", "receipt": "小票", "shift": "班次", "test": "测试页",
        "charge": "扣款", "reversal": "冲正", "closing": "结算", "approved": "已批准", "intent": "未发出",
        "sent": "已发出", "charged": "已扣款", "requested": "已申请", "declined": "被拒", "sold": "已售出",
        "voiding": "撤销中", "voidRequested": "已申请撤销", "refundRequested": "已申请退款", "owed": "须付现金",
    ]
}
