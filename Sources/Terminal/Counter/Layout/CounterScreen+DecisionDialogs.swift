internal import AgentAPI
internal import Base

extension CounterScreen {
    func drawUnseen(_ frame: inout Frame, _ sales: [UnseenSalesCall.Sale], _ selected: Int) {
        var rows = paragraph(text.unseenCards)
        for (place, sale) in shown(sales, selected) {
            rows.append(
                Row(
                    left: time(sale.madeAt) + "  " + sale.orderNumber, right: sale.total.text,
                    isSelected: place == selected))
        }
        rows += [Row(left: "")]
        _ = box(
            &frame, text.cardSalesThatNobodySaw, rows, width: 70,
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
            rows = emptyRows(refusals == nil, text.nothingWaitsForADecision)
        }
        _ = box(
            &frame, text.refusedByHeadOffice, rows, width: 70,
            more: more(of: refusals?.count ?? 0, selected))
    }

    func drawRefusal(_ frame: inout Frame, _ refusal: CounterRefusal) {
        var rows = [
            Row(left: text.title(of: refusal), right: refusal.total?.text ?? "", style: .bold),
            Row(left: text.madeAt, right: time(refusal.madeAt)),
        ]
        rows += paragraph(text.reason(refusal)).dropLast()
        rows += [Row(left: "")] + paragraph(text.drawer(refusal), style: .bold)
        for words in text.keys(refusal) { rows += paragraph(words, style: .dim).dropLast() }
        _ = box(&frame, text.whatIsToHappen, rows, width: wide)
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
                rows.append(Row(left: text.noPaperWaits, style: .dim))
            }
        } else {
            rows = emptyRows(
                printer == nil,
                text.noPrinterIsSetUpFor)
        }
        _ = box(&frame, text.printer, rows, width: wide)
    }

    func drawObstacles(_ frame: inout Frame) {
        var rows: [Row] = []
        for (modules, obstacle) in obstacleGroups {
            let right = obstacle.stopsAll ? text.notNow : text.withLimits
            let names = paragraph(
                modules.map(text.module).joined(separator: text.comma), width: 56, style: .bold
            ).dropLast()
            rows += names
            rows[rows.count - names.count].right = right
            rows += paragraph(obstacle.text, style: .dim).dropLast()
        }
        _ = box(&frame, text.obstacles, rows, width: 74)
    }

    /// What has one reason stands together, so that all of it fits into the smallest window.
    private var obstacleGroups: [(modules: [TillModule], obstacle: CounterStatus.Obstacle)] {
        var groups: [(modules: [TillModule], obstacle: CounterStatus.Obstacle)] = []
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
    func time(_ text: String) -> String { inStore(text).map { String($0.dropFirst(11).prefix(5)) } ?? text }

    /// The same with the date before it.
    func moment(_ text: String) -> String {
        inStore(text).map { "\($0.prefix(10)) \($0.dropFirst(11).prefix(5))" } ?? text
    }

    private func inStore(_ text: String) -> String? {
        guard let milliseconds = Timestamp.milliseconds(of: text) else { return nil }
        let offset = status?.till.map { secondsFromUTC($0.timeZone, milliseconds) } ?? 0
        return Timestamp.text(milliseconds: milliseconds + offset * 1000)
    }
}
