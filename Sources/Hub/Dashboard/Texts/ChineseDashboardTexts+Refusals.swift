internal import HubProtocol

/// Why something is refused, in Chinese. What the hub has no sentence for is named by its code's sentence,
/// with the technical detail in English behind it.
extension ChineseDashboardTexts {
    func title(of problem: Problem) -> String {
        switch problem.code.rawValue {
        case "malformed_request": "请求有误"
        case "not_found": "找不到"
        case "operator_required": "需要登录"
        case "operator_forbidden": "没有权限"
        case "csrf_refused": "表单已过期"
        case "second_operator_required": "需要第二位操作员"
        case "debt_settled": "欠款已结清"
        case "refusal_resolved": "该记录已处理"
        case "store_unavailable", "push_too_costly": "数据库没有响应"
        case "rate_limited": "请求过多"
        case "internal_error": "中心出错"
        case _: "操作被拒绝"
        }
    }

    func detail(of problem: Problem) -> String {
        if let reason = problem.reason { return detail(of: reason) }
        let sentence = detail(of: problem.code.rawValue)
        return problem.detail.isEmpty ? sentence : "\(sentence)（\(problem.detail)）"
    }

    private func detail(of reason: ProblemReason) -> String {
        func quoted(_ names: [String]) -> String { names.joined(separator: "、") }
        switch reason {
        case .unknownParameter(let name, let meant?, _): return "没有参数“\(name)”。是否应为“\(meant)”？"
        case .unknownParameter(let name, nil, let known):
            return "没有参数“\(name)”。可用的参数：\(quoted(known))。"
        case .unknownValue(let name, let known): return "参数“\(name)”只能是：\(quoted(known))。"
        case .noNumber(let name): return "参数“\(name)”须为整数。请修改后重试。"
        case .repeated(let name): return "参数“\(name)”出现了两次。请只保留一个。"
        case .overrideChanged(let by?): return "\(by)已在此处设置了另一项干预，未作任何更改。请重新打开页面。"
        case .overrideChanged(nil): return "此处已没有干预，未作任何更改。请重新打开页面。"
        case .alarmChanged(let by?): return "\(by)已确认该告警，未作任何更改。请重新打开页面。"
        case .alarmChanged(nil): return "该告警在此期间再次出现，未作任何更改。请重新打开页面，查看后再确认。"
        case .noDay(let text): return "“\(text)”不是日期。请按“年-月-日”填写，例如 2026-11-27。"
        case .foreignCursor: return "该位置不属于此列表。请从第一页重新打开。"
        case .noLine: return "备注或原因须为一行文字，1 至 500 字节。请修改后重新提交。"
        case .unknown(let subject, let id): return "没有 ID 为“\(id)”的\(name(of: subject))。请在列表中选择。"
        case .debtSettled: return "这笔欠款已由他人结清，未作任何更改。请重新打开页面。"
        case .refusalResolved: return "该记录已被修改、放弃或处理，未作任何更改。请重新打开页面。"
        case .proposalGone: return "该干预已被确认、撤销或过期，没有可确认的内容。请重新打开页面，需要时重新提出。"
        case .ownProposal: return "提出人不能确认自己的干预。请由另一位操作员确认。"
        case .overrideEnded: return "该干预的结束时间已过。请选择更晚的时间后重新设置。"
        case .unknownState: return "状态只能是正常、故障或恢复中。请重新选择。"
        case .noReason: return "请填写原因，1 至 500 个字符。"
        case .noStoreId: return "门店 ID 为 1 至 32 个字母、数字、连字符或下划线。请修改后重新提交。"
        case .unknownService(let name, let known): return "没有服务“\(name)”。可选的服务：\(quoted(known))。"
        case .withoutDecisions: return "此进程不判定服务状态。请在运行 qos 角色的中心上操作。"
        case .noPage: return "没有这个页面。请检查地址，或从上方的导航进入。"
        case .forbidden: return "您的角色无权执行此操作。请联系经理。"
        case .staleForm: return "表单属于之前的会话。请重新打开页面，再提交一次。"
        }
    }

    private func name(of subject: ProblemReason.Subject) -> String {
        switch subject {
        case .terminal: "终端"
        case .store: "门店"
        case .order: "订单"
        case .shift: "班次"
        case .alarm: "告警"
        case .debt: "欠款"
        case .refusal: "被拒记录"
        }
    }

    private func detail(of code: String) -> String {
        switch code {
        case "malformed_request": "请求无法读取，请检查填写的内容。"
        case "not_found": "这里没有内容，请检查地址。"
        case "operator_required": "请先登录。"
        case "store_unavailable", "push_too_costly": "中心数据库没有响应，未作任何更改。请稍后再试。"
        case "rate_limited": "请求过于频繁，请稍后再试。"
        case "internal_error": "中心无法完成此操作，原因见中心日志。"
        case "invalid_mutation": "记录内容无效。"
        case "conflict": "与中心的当前状态冲突。"
        case "dependency_missing": "它所依赖的记录尚未到达。"
        case "dependency_rejected": "它所依赖的记录已被拒绝或放弃。"
        case "superseded": "它在到达之前已被修改或放弃。"
        case "expired_replay": "重复提交，其结果已不再保留。"
        case "order_foreign_store": "作废或退款的是其他门店的订单。"
        case "mutation_foreign": "它修改或放弃的是其他终端的记录。"
        case "edit_repeated": "该记录已被修改过，只能修改最新的版本。"
        case "points_limit": "积分超过单条记录的上限。"
        case "approval_missing": "缺少本店授权人的批准。"
        case "idempotency_key_reused": "同一编号曾以不同内容提交。"
        case "quota_exceeded": "超过当天的限额。"
        case _: "中心拒绝了此内容。"
        }
    }

    func refusal(_ refusal: LoginRefusal) -> String {
        switch refusal {
        case .wrong: "名称、密码、登录码或令牌有误，或已失效。请重新输入；忘记密码时请向管理员索取新的登录码。"
        case .withoutStore: "此进程没有订单数据库，请使用令牌登录。"
        case .tooMany(let seconds): "尝试次数过多，请在 \(seconds) 秒后再试。"
        case .password(let shortest): "密码须至少 \(shortest) 个字符，最多 200 字节。"
        case .busy: "中心数据库没有响应，请再试一次。"
        }
    }

    func wanted(_ service: String, _ state: String, _ place: String, until end: String?) -> String {
        "\(place)：“\(service)”服务设为“\(state)”，\(end.map { "直到 \($0)" } ?? "直到撤销")。"
    }

    func unknownStore(_ id: String) -> String { "没有终端属于门店“\(id)”。请检查门店 ID。" }
}
