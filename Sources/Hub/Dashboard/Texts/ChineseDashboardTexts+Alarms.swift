internal import HubProtocol

/// What alarms are about, in Chinese.
extension ChineseDashboardTexts {
    func alarm(_ alarm: AlarmKind) -> String {
        switch alarm {
        case .hashMismatch: "记录哈希不符"
        case .chainBroken: "流水链断裂"
        case .orderNumberRepeated: "订单号重复"
        case .receiptCodeForeign: "小票码签名所指并非本终端的销售"
        case .voucherRepeated: "同一券号再次付款"
        case .pointsHeld: "销售所得积分待人工确认"
        case .pointsEarnedMany: "终端销售所得积分异常多"
        case .pointsUnexplainedMany: "终端变动大量积分，销售无法解释"
        case .pointsAdjustedMany: "终端人工调整大量积分"
        case .memberChangesMany: "终端修改大量会员资料"
        case .newMembersMany: "终端新建大量会员"
        case .lookUpsMany: "终端查询大量会员"
        case .journalForked: "终端流水被恢复或复制"
        case .epochInvalid: "终端使用的纪元不是下一个"
        case .epochGap: "终端首批记录之前缺少大量记录"
        case .epochStartRaised: "终端所报纪元起点晚于以往"
        case .headRegressed: "终端签署的记录少于以往"
        case .headContradicted: "记录与终端签署的不符"
        case .headSignatureInvalid: "终端签名与其密钥不符"
        case .relayedConflict: "其他终端代交的记录有冲突"
        case .relayedHeld: "其他终端代交的记录等待处理"
        case .terminalCloned: "终端疑似被克隆"
        case .terminalUnconfirmed: "终端恢复后等待确认"
        case .terminalJournalLoss: "终端数据库有丢失"
        case .terminalEntriesHeldBack: "终端暂停上传损坏的记录"
        case .terminalKeptOverdue: "终端代存的其他终端销售一周未上传"
        case .quotaExceeded: "终端已用尽当日配额"
        case .leasesOfSilentTerminal: "无消息终端持有借出额度"
        case .leaseGivenTwice: "终端转让的借出额度超过所有"
        case .paymentForwardDeclined: "离线刷卡事后被拒"
        case .paymentRefundRefused: "无法退款至银行卡"
        case .paymentVoidRefused: "无法撤销刷卡"
        case .paymentKeyMissing: "缺少解密离线刷卡的密钥"
        case .paymentNotReadable: "支付网关无法读取支付"
        case .webhookFailing: "后台系统未接收单据"
        }
    }
}
