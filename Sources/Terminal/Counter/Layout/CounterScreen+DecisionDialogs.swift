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
        _ = box(&frame, text("Card sales that nobody saw", "未确认的刷卡单"), rows, width: 70)
    }

    func drawRefusals(_ frame: inout Frame, _ refusals: [CounterRefusal]?, _ selected: Int) {
        var rows: [Row] = []
        for (place, refusal) in shown(refusals ?? [], selected) {
            rows.append(
                Row(
                    left: time(refusal.madeAt) + "  " + refusal.title, right: text.kind(refusal.kind),
                    isSelected: place == selected))
        }
        if rows.isEmpty {
            rows = emptyRows(refusals == nil, text("Nothing waits for a decision.", "没有待处理的单据。"))
        }
        _ = box(&frame, text("Refused by the hub", "总部拒收的单据"), rows, width: 70)
    }

    func drawRefusal(_ frame: inout Frame, _ refusal: CounterRefusal) {
        var rows = [
            Row(left: refusal.title, right: text.kind(refusal.kind), style: .bold),
            Row(left: text("made at", "时间"), right: time(refusal.madeAt)), Row(left: ""),
        ]
        rows += paragraph(refusal.reason ?? text.reason(refusal.kind))
        rows += paragraph(text.help(refusal.kind), style: .dim)
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
                text("No printer is configured: `printer.device` in terminal.json.", "未配置打印机。"))
        }
        _ = box(&frame, text("Printer", "打印机"), rows, width: wide)
    }

    func drawObstacles(_ frame: inout Frame) {
        var rows: [Row] = []
        // With a paragraph each, seven fill the smallest window; the status lists them all.
        for obstacle in (status?.obstacles ?? []).prefix(max(3, (self.rows - 8) / 3)) {
            rows.append(
                Row(
                    left: text.module(obstacle.module),
                    right: obstacle.stopsAll ? text("not now", "不可用") : text("with limits", "受限"),
                    style: .bold))
            rows += paragraph(obstacle.text, style: .dim).dropLast()
        }
        _ = box(&frame, text("What does not work now", "当前不可用的功能"), rows, width: 74)
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
        case "sync": self("Sending to the hub", "上传总部")
        case "catalogue": self("Prices and articles", "商品与价格")
        case "account": self("Cashiers' PINs", "收银员密码")
        case "member": self("Members", "会员")
        case "marketing": self("Offers and coupons", "促销与优惠券")
        default: name
        }
    }

    func kind(_ kind: CounterRefusal.Kind) -> String {
        switch kind {
        case .rejected: self("refused", "被拒")
        case .conflicted: self("the hub has something else", "与总部冲突")
        case .heldBack: self("held back", "暂停发送")
        }
    }

    /// Why, where the hub has sent no text.
    func reason(_ kind: CounterRefusal.Kind) -> String {
        switch kind {
        case .rejected: self("The hub gave no reason.", "总部未说明原因。")
        case .conflicted: self("The hub has another state of it.", "总部的记录与本机不同。")
        case .heldBack: self("Its content is not what was written.", "内容与写入时不一致。")
        }
    }

    /// What the keys do.
    func help(_ kind: CounterRefusal.Kind) -> String {
        switch kind {
        case .rejected:
            self(
                "Send it again once the cause is gone. Giving up keeps it on this till and reports it to the hub. `pos sync edit` corrects it.",
                "原因消除后可重新发送。放弃后单据仍留在本机，并报告总部。`pos sync edit` 可更正内容。")
        case .conflicted:
            self("Keep what this till has, or what the hub has.", "保留本机内容，或保留总部内容。")
        case .heldBack:
            self("Sent again it goes as it is, and the hub marks it.", "重新发送将按现有内容上传，总部会标记。")
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
