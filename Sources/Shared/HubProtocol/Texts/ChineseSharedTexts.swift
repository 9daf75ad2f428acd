struct ChineseSharedTexts: SharedTexts {
    func text(_ fault: BarcodeFault) -> String {
        switch fault {
        case .wrongCheckDigit(nil, let digit, let right): "校验码为 \(digit)，应为 \(right)"
        case .wrongCheckDigit(let source?, let digit, let right):
            "(\(source)) 的校验码为 \(digit)，应为 \(right)"
        case .unknownIdentifier(let identifier): "GS1 没有应用标识符 (\(identifier))"
        case .malformedData(let identifier): "(\(identifier)) 的数据格式不对"
        case .noValue: "其中的重量或价格为零"
        case .repeatedArticle: "商品标识 (01) 出现两次"
        case .tooLong: "它超过 \(TextBound.scanned) 字节"
        case .noArticle: "没有商品标识 (01)"
        }
    }

    func name(_ figure: ShiftFigure) -> String {
        switch figure {
        case .count(.sales): "销售笔数"
        case .count(.refunds): "退货笔数"
        case .count(.voids): "作废笔数"
        case .total(.sales): "销售"
        case .total(.refunds): "退货"
        case .total(.voids): "作废"
        case .cashMove(.in): "现金存入"
        case .cashMove(.out): "现金支出"
        case .cashMove(.drop): "解款"
        case .cashMove(.noSale): "无销售开钱箱"
        case .tenderCount(let method): "\(tender(method))笔数"
        case .tenderAmount(let method): "\(tender(method))金额"
        case .taxPaid(let rate): "税率 \(percentText(rate)) % 含税金额"
        case .tax(let rate): "税率 \(percentText(rate)) % 税额"
        case .pointsEarned: "积分发放"
        case .pointsSpent: "积分使用"
        case .gap: "总部缺少的记录"
        case .uncounted: "无法计入的记录"
        case .behind: "交班之后的记录"
        case .head: "最后一条记录的校验值"
        case .other(let figure): figure
        }
    }

    private func tender(_ method: String) -> String {
        switch method {
        case "cash": "现金"
        case "card": "刷卡"
        case _: method
        }
    }

    func text(_ age: Age) -> String {
        switch age {
        case .seconds(let count): "\(count) 秒"
        case .minutes(let count): "\(count) 分钟"
        case .hours(let count): "\(count) 小时"
        case .days(let count): "\(count) 天"
        }
    }
}
