internal import HubProtocol

extension EnglishPosTexts {
    func usage(_ fault: UsageFault) -> String {
        switch fault {
        case .unknownOption(let option, nil): "Unknown option '\(option)'"
        case .unknownOption(let option, let meant?): "Unknown option '\(option)'. Did you mean '\(meant)'?"
        case .missingValue(let option): "Missing value for '\(option)'"
        case .missingArgument(let argument): "Missing expected argument '\(argument)'"
        case .unexpected(let arguments):
            (arguments.count == 1 ? "Unexpected argument " : "Unexpected arguments ")
                + arguments.map { "'\($0)'" }.joined(separator: ", ")
        case .unexpectedValue(let value, let option):
            "The option '\(option)' takes no value, and '\(value)' was given"
        case .noneOf(let choices, let value, let option):
            "The value '\(value)' is invalid for '\(option)', which is \(choices.listed("or"))"
        case .invalidValue(let value, let option, nil): "The value '\(value)' is invalid for '\(option)'"
        case .invalidValue(let value, let option, let reason?):
            "The value '\(value)' is invalid for '\(option)': \(usage(reason))"
        case .unknownCommand(let advice): advice.text
        case .other(let sentence): sentence

        case .excludes(let one, let others): "\(one) excludes \(others.listed("and"))"
        case .needs(let one, let others): "\(one) needs \(others.listed("or"))"
        case .form(let option, let form, let given): "\(option) takes \(form), not \(given)"
        case .saleNamedOnce: "name the sale once: ID, --receipt-code CODE or --without-receipt"
        case .noCondition: "name a condition: --number, --from, --to, --amount, --member or --article"
        case .nothingSoldForIt: "name with --line what is sold for it, or use `pos orders refund`"
        case .oneEnrolmentCode: "give the enrolment code with --enrol-stdin, or with --enrol CODE"
        case .ownCart: "--cart has its own lines, member, coupons and key"
        case .pinsInLines: "--stdin takes PINs in its lines, not by --pin-stdin or --approver-pin-stdin"

        case .noBarcode(let line): "the line \"\(line)\" has no barcode"
        case .quantityUnreadable(let line):
            "the quantity of \"\(line)\" cannot be read: it is as 2 or 0.357"
        case .noMethod: "a payment needs a method, as cash or card"
        case .amountTooLarge(let payment): "the amount of \"\(payment)\" is too large to be money"
        case .amountMalformed(let payment):
            "the amount of \"\(payment)\" must be a whole number of minor units, for example 2000"
        case .noJSON(let file): noJSON(file)
        }
    }

    func secretSeen(_ option: String, use safe: String) -> String {
        "warning: the value of \(option) could be seen in the process list; use \(safe)"
    }
}

extension [String] {
    /// `a, b or c`.
    fileprivate func listed(_ word: String) -> String {
        count < 2 ? joined() : dropLast().joined(separator: ", ") + " \(word) " + self[count - 1]
    }
}
