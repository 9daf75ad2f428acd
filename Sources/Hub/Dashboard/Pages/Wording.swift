internal import Base

extension Language {
    func text(_ english: String, _ chinese: String) -> String { self == .english ? english : chinese }

    /// The other one, in its own words.
    var other: (language: Language, name: String) {
        self == .english ? (.chinese, "中文") : (.english, "English")
    }
}

/// Times and amounts as the pages write them.
struct Wording: Sendable {
    let language: Language
    /// Milliseconds since 1970.
    let now: Int64

    func text(_ english: String, _ chinese: String) -> String { language.text(english, chinese) }

    /// `3 min ago`.
    func ago(_ moment: Int64) -> String {
        let age = max(0, now - moment)
        guard age >= 5_000 else { return text("just now", "刚刚") }
        return text("\(span(age)) ago", "\(span(age))前")
    }

    /// The two largest units at most: `2 h 5 min`.
    func span(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        let units: [(Int64, String, String)] = [
            (86_400, "d", "天"), (3600, "h", "小时"), (60, "min", "分钟"), (1, "s", "秒"),
        ]
        guard let first = units.firstIndex(where: { seconds >= $0.0 }) else { return text("0 s", "0 秒") }
        var parts: [String] = []
        var rest = seconds
        for (size, english, chinese) in units[first...].prefix(first < 2 ? 2 : 1) {
            if rest / size > 0 { parts.append("\(rest / size) \(text(english, chinese))") }
            rest %= size
        }
        return parts.joined(separator: " ")
    }

    /// With thin spaces between thousands.
    func number(_ value: Int64) -> String {
        let digits = Array(String(value.magnitude))
        let groups = stride(from: digits.count, to: 0, by: -3).reversed().map { end in
            String(digits[max(0, end - 3)..<end])
        }
        return (value < 0 ? "−" : "") + groups.joined(separator: "\u{202F}")
    }

    func number(_ value: Int) -> String { number(Int64(value)) }

    func state(_ state: ServiceState) -> String {
        switch state {
        case .healthy: text("healthy", "正常")
        case .recovering: text("recovering", "恢复中")
        case .faulty: text("faulty", "故障")
        }
    }

    func mode(_ mode: FleetMode) -> String {
        switch mode {
        case .online: text("online", "在线")
        case .degraded: text("degraded", "网络差")
        case .offline: text("offline", "离线")
        case .silent: text("silent", "无消息")
        case .waiting: text("never seen", "未上线")
        case .revoked: text("revoked", "已吊销")
        }
    }

    func source(_ source: String) -> String {
        switch source {
        case "reports": text("reports of terminals", "终端上报")
        case "probe": text("the hub's probe", "中心探测")
        case "operator": text("operator", "操作员")
        case _: source
        }
    }

    func cause(_ cause: String) -> String {
        switch cause {
        case "manual": text("by hand", "人工")
        case "network": text("network", "网络")
        case "service": text("service", "服务")
        case _: cause
        }
    }

    func service(_ name: String) -> String {
        switch name {
        case "account": text("account", "账号")
        case "marketing": text("marketing", "营销")
        case "member": text("member", "会员")
        case "order": text("order", "订单")
        case "payment": text("payment", "支付")
        case "product": text("product", "商品")
        case _: name
        }
    }
}
