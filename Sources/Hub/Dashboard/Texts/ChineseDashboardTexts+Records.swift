internal import HubProtocol

/// What records are called, in Chinese.
extension ChineseDashboardTexts {
    func entry(_ entry: PageWord.Entry) -> String {
        switch entry {
        case .orderCompleted: "销售"
        case .orderVoided: "作废"
        case .refundCompleted: "退款"
        case .mutationDiscarded: "放弃记录"
        case .memberCreated: "新会员"
        case .memberUpdated: "会员资料"
        case .pointsAdjusted: "积分调整"
        case .couponRedeemed: "优惠券"
        case .noteUpserted: "便笺"
        case .noteDeleted: "删除便笺"
        case .paymentCaptured: "刷卡入账"
        case .paymentVoided: "刷卡撤销"
        case .shiftOpened: "开班"
        case .shiftClosed: "交班"
        case .cashMoved: "现金收支"
        case .cardDecided: "刷卡结果认定"
        case .cardDayClosed: "刷卡机日结"
        case .leaseGiven: "转出借出额度"
        case .leaseTaken: "转入借出额度"
        }
    }

    func flag(_ flag: PageWord.Flag) -> String {
        switch flag {
        case .orderNumberForeign: "订单号属于其他终端"
        case .orderNumberImplausible: "订单号不合理"
        case .businessDayImplausible: "营业日不合理"
        case .amountImplausible: "金额过大"
        case .lineTotalDiffers: "明细金额不符"
        case .totalDiffers: "合计与明细不符"
        case .taxDiffers: "税额与税率不符"
        case .paymentDiffers: "支付与合计不符"
        case .amountsDiffer: "金额前后不符"
        case .priceDiffers: "单价与目录不符"
        case .stockNegative: "售出超过库存"
        case .currencyDiffers: "币种与目录不符"
        case .orderUnknown: "中心没有该销售"
        case .refundUnmatched: "小票码没有对应的销售"
        case .cartSoldTwice: "同一张单售出两次"
        case .refundRepeated: "退款累计超过销售"
        case .refundExceedsSale: "退款超过销售"
        case .memberUnknown: "中心没有该会员"
        case .memberMerged: "电话属于已有会员"
        case .pointsNegative: "积分使用超过余额"
        case .pointsIgnored: "资料中的积分已忽略"
        case .pointsDiffer: "积分与销售不符"
        case .pointsLimit: "积分超过当日上限"
        case .leaseExceeded: "使用超过借出额度"
        case .couponUnknown: "中心没有该优惠券"
        case .couponOverused: "优惠券使用次数过多"
        case .refundNotOnCard: "该卡未支付此销售"
        case .paymentUnmatched: "中心未授权该卡"
        case .approvalMissing: "缺少批准"
        case .detailsUnreadable: "部分内容无法读取"
        case .shiftOverlaps: "班次重复交班"
        case .cardDecided: "人工认定的扣款、撤销或退款"
        case .cardDayDiffers: "刷卡机日结金额不符"
        case .relayedConflict: "由其他终端代交，与其他记录冲突"
        case .textTooLong: "文字过长"
        }
    }

    func act(_ act: LoggedAction) -> String {
        switch act {
        case .signIn: "登录"
        case .signOut: "退出"
        case .setPassword: "设置密码"
        case .overrideService: "人工干预服务"
        case .confirmOverride: "确认人工干预"
        case .clearOverride: "撤销人工干预"
        case .acknowledgeAlarm: "确认告警"
        case .resolveRefusal: "处理被拒记录"
        case .settleDebt: "结清欠款"
        case .releaseLease: "收回借出额度"
        case .rebuild: "重新计算合计"
        case .mintCode: "注册码"
        case .mintCodes: "批量注册码"
        case .revokeCode: "撤销注册码"
        case .revokeTerminal: "吊销终端"
        case .confirmTerminal: "确认终端"
        case .linkTerminal: "关联终端"
        case .addOperator: "添加操作员"
        case .removeOperator: "移除操作员"
        case .changeStoreSettings: "修改门店设置"
        case .importFile: "导入文件"
        case .withdraw: "下架"
        case .eraseMember: "删除会员"
        case .mergeMembers: "合并会员"
        case .revertMembers: "撤回会员更改"
        case .releaseHeldPoints: "发放待确认积分"
        case .rotateKeys: "更换密钥"
        case .importKeys: "导入密钥"
        case .replaceLostKeys: "更换遗失的密钥"
        case .addWebhook: "添加推送"
        case .removeWebhook: "移除推送"
        case .rotateWebhook: "更换推送密钥"
        case .acceptRelayed: "接受其他终端代交的记录"
        case .registerTerminal: "登记终端"
        case .exportKeys: "导出密钥"
        case .skipWebhook: "跳过推送的单据"
        case .archive: "归档"
        }
    }

    func right(_ right: PageWord.Right) -> String {
        switch right {
        case .readOperations: "查看页面"
        case .exportRecords: "读取记录"
        case .acknowledgeAlarm: "处理告警"
        case .overrideStore: "干预单个门店"
        case .overrideChain: "干预全部门店"
        case .confirmOverride: "确认人工干预"
        case .importMasterData: "导入文件"
        case .mintEnrolmentCodes: "生成注册码"
        }
    }

    func state(_ state: PaymentState) -> String {
        switch state {
        case .authorized: "已授权"
        case .declined: "被拒"
        case .captured: "已入账"
        case .voided: "已撤销"
        case .refunded: "已退回"
        case .unknown: "尚无回应"
        case .storedOffline: "离线存储"
        case .forwardDeclined: "事后被拒"
        }
    }
}
