internal import HubProtocol

extension ChinesePosTexts {
    func usage(_ fault: UsageFault) -> String {
        switch fault {
        case .unknownOption(let option, nil): "没有选项 \(option)"
        case .unknownOption(let option, let meant?): "没有选项 \(option)，是不是要用 \(meant)？"
        case .missingValue(let option): "\(option) 后面要写一个值"
        case .missingArgument(let argument): "缺少参数 \(argument)"
        case .unexpected(let arguments): "多余的参数：\(arguments.joined(separator: "、"))"
        case .unexpectedValue(let value, let option): "选项 \(option) 后面不写值，却写了“\(value)”"
        case .noneOf(let choices, let value, let option):
            "“\(value)”不能用于 \(option)；可用的有：\(choices.joined(separator: "、"))"
        case .invalidValue(let value, let option, nil): "“\(value)”不能用于 \(option)"
        case .invalidValue(let value, let option, let reason?): "“\(value)”不能用于 \(option)：\(usage(reason))"
        case .unknownCommand(.meant(let command, let typed)): "没有命令 `\(typed)`，是不是要用 `\(command)`？"
        case .unknownCommand(.all(let commands, let typed)):
            "没有命令 `\(typed)`；可用的有：" + commands.joined(separator: "、")
        case .other(let sentence): sentence

        case .excludes(let one, let others): "\(one) 不能与 \(others.joined(separator: "、")) 同时使用"
        case .needs(let one, let others): "\(one) 需要同时写 \(others.joined(separator: " 或 "))"
        case .form(let option, let form, let given): "\(option) 应写作 \(form)，不能写 \(given)"
        case .saleNamedOnce: "请指明一次销售：单号、--receipt-code 小票码或 --without-receipt，只写一种"
        case .noCondition: "请写一个条件：--number、--from、--to、--amount、--member 或 --article"
        case .nothingSoldForIt: "请用 --line 写明换成什么商品；只退货用 `pos orders refund`"
        case .oneEnrolmentCode: "请用 --enrol-stdin 或 --enrol CODE 给出注册码，只用一种"
        case .ownCart: "--cart 的挂单已有商品、会员、券和编号，不能再写"
        case .pinsInLines: "使用 --stdin 时密码写在各行中，不用 --pin-stdin 或 --approver-pin-stdin"

        case .noBarcode(let line): "“\(line)”中没有条码"
        case .quantityUnreadable(let line): "无法读出“\(line)”的数量：写作 2 或 0.357"
        case .noMethod: "付款要写明方式，例如 cash 或 card"
        case .amountTooLarge(let payment): "“\(payment)”的金额太大"
        case .amountMalformed(let payment): "“\(payment)”的金额要写成以最小货币单位计的整数，例如 2000"
        case .noJSON(let file): noJSON(file)
        }
    }

    func secretSeen(_ option: String, use safe: String) -> String {
        "警告：\(option) 的值可能在进程列表中被看到；请改用 \(safe)"
    }
}
