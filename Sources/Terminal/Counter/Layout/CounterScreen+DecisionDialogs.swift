internal import AgentAPI
internal import Base

extension CounterScreen {
    func drawUnseen(_ frame: inout Frame, _ sales: [UnseenSalesCall.Sale], _ selected: Int) {
        var rows = paragraph(
            text(
                "A card paid for these, and nobody saw the result. Did the customer take the goods?",
                "以下刷卡单已付款，但无人看到结果。顾客是否已取走商品？"))
        for (place, sale) in shown(sales, selected) {
            rows.append(
                Row(
                    left: time(sale.madeAt) + "  " + sale.orderNumber, right: sale.total.text,
                    isSelected: place == selected))
        }
        rows += [Row(left: "")]
        _ = box(
            &frame, text("Card sales that nobody saw", "未确认的刷卡单"), rows, width: 70,
            more: more(of: sales.count, selected))
    }

    func drawRefusals(_ frame: inout Frame, _ refusals: [CounterRefusal]?, _ selected: Int) {
        var rows: [Row] = []
        for (place, refusal) in shown(refusals ?? [], selected) {
            rows.append(
                Row(
                    left: time(refusal.madeAt) + "  " + text.title(of: refusal),
                    right: [refusal.total?.text, text.kind(refusal.kind)].compactMap(\.self)
                        .joined(separator: " · "),
                    isSelected: place == selected))
        }
        if rows.isEmpty {
            rows = emptyRows(refusals == nil, text("Nothing waits for a decision.", "没有待处理的单据。"))
        }
        _ = box(
            &frame, text("Refused by head office", "总部拒收的单据"), rows, width: 70,
            more: more(of: refusals?.count ?? 0, selected))
    }

    func drawRefusal(_ frame: inout Frame, _ refusal: CounterRefusal) {
        var rows = [
            Row(left: text.title(of: refusal), right: refusal.total?.text ?? "", style: .bold),
            Row(left: text("made at", "时间"), right: time(refusal.madeAt)),
        ]
        rows += paragraph(text.reason(refusal)).dropLast()
        rows += [Row(left: "")] + paragraph(text.drawer(refusal), style: .bold)
        for words in text.keys(refusal) { rows += paragraph(words, style: .dim).dropLast() }
        _ = box(&frame, text("What is to happen?", "如何处理？"), rows, width: wide)
    }

    func drawPrinter(_ frame: inout Frame, _ printer: PrinterCall.Response?) {
        var rows: [Row]
        if let printer, let device = printer.device {
            rows = [
                Row(left: device, right: text.printer(printer.state), style: .bold),
                Row(left: printer.detail ?? "", style: .dim), Row(left: ""),
            ]
            for job in printer.jobs.suffix(max(4, self.rows - 14)) {
                rows.append(
                    Row(
                        left: time(job.createdAt) + "  " + text.paperKind(job.kind) + " " + job.title,
                        right: text.jobState(job.state)))
            }
            if printer.jobs.isEmpty {
                rows.append(Row(left: text("No paper waits.", "没有等待打印的单据。"), style: .dim))
            }
        } else {
            rows = emptyRows(
                printer == nil,
                text("No printer is set up for this till.", "本机未设置打印机。"))
        }
        _ = box(&frame, text("Printer", "打印机"), rows, width: wide)
    }

    func drawObstacles(_ frame: inout Frame) {
        var rows: [Row] = []
        for (modules, obstacle) in obstacleGroups {
            let right = obstacle.stopsAll ? text("not now", "不可用") : text("with limits", "受限")
            let names = paragraph(
                modules.map(text.module).joined(separator: text(", ", "、")), width: 56, style: .bold
            ).dropLast()
            rows += names
            rows[rows.count - names.count].right = right
            rows += paragraph(obstacle.text, style: .dim).dropLast()
        }
        _ = box(&frame, text("What does not work now", "当前不可用的功能"), rows, width: 74)
    }

    /// What has one reason stands together, so that all of it fits into the smallest window.
    private var obstacleGroups: [(modules: [String], obstacle: CounterStatus.Obstacle)] {
        var groups: [(modules: [String], obstacle: CounterStatus.Obstacle)] = []
        for obstacle in status?.obstacles ?? [] {
            let isSame = { (known: CounterStatus.Obstacle) in
                known.text == obstacle.text && known.stopsAll == obstacle.stopsAll
            }
            if let place = groups.firstIndex(where: { isSame($0.obstacle) }) {
                groups[place].modules.append(obstacle.module)
            } else {
                groups.append(([obstacle.module], obstacle))
            }
        }
        return groups
    }

    /// A text over as many rows as it needs, with an empty one behind it.
    func paragraph(_ words: String, width: Int = 64, style: FrameStyle = .plain) -> [Row] {
        var (rows, rest) = ([Row](), words)
        // A reason of the hub is at most some hundred characters; a longer one is in `pos sync rejected`.
        for _ in 0..<5 where !rest.isEmpty {
            let (first, second) = Frame.broken(rest, limit: min(wide - 6, width))
            rows.append(Row(left: first, style: style))
            rest = second
        }
        return rows + [Row(left: "")]
    }

    /// Hours and minutes of a time of the agent, on the store's clock.
    func time(_ text: String) -> String {
        guard let milliseconds = Timestamp.milliseconds(of: text) else { return text }
        let offset = status?.till.map { secondsFromUTC($0.timeZone, milliseconds) } ?? 0
        return String(Timestamp.text(milliseconds: milliseconds + offset * 1000).dropFirst(11).prefix(5))
    }
}

extension CounterText {
    /// A module of the status's capabilities.
    func module(_ name: String) -> String {
        switch name {
        case "checkout": self("Sales", "销售")
        case "payment.cash": self("Cash", "现金")
        case "payment.card": self("Cards", "刷卡")
        case "coupons": self("Coupons", "优惠券")
        case "exchange": self("Exchanges", "换货")
        case "priceOverride": self("Other prices", "改价")
        case "park": self("Parking", "挂单")
        case "manualOffline": self("The manual switch", "手动切换")
        case "refund": self("Refunds", "退货")
        case "void": self("Voids", "作废")
        case "notes": self("Notes", "交接记录")
        case "sync": self("Sending to head office", "上传总部")
        case "catalogue": self("Prices and articles", "商品与价格")
        case "account": self("Cashiers' PINs", "收银员密码")
        case "member": self("Members", "会员")
        case "marketing": self("Offers and coupons", "促销与优惠券")
        default: name
        }
    }

    /// `PrinterCall.Response.state`.
    func printer(_ state: String) -> String {
        switch state {
        case "ready": self("ready", "正常")
        case "paper_low": self("little paper left", "纸将用尽")
        case "paper_out": self("out of paper", "缺纸")
        case "no_response": self("no response", "无应答")
        case "untried": self("not used yet", "尚未使用")
        default: state
        }
    }

    func paperKind(_ kind: String) -> String {
        switch kind {
        case "receipt": self("receipt", "小票")
        case "refund": self("refund", "退货单")
        case "void": self("void", "作废单")
        case "test": self("test page", "测试页")
        default: kind
        }
    }

    /// `PrintJobRecord.state`.
    func jobState(_ state: String) -> String {
        switch state {
        case "waiting": self("waits", "等待")
        case "printing": self("printing", "打印中")
        case "interrupted": self("interrupted: R prints a copy", "已中断：R 重新打印")
        case "failed": self("not printed", "未打印")
        default: state
        }
    }
}
