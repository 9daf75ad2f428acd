internal import AgentAPI
internal import HubProtocol

/// The frame and the dialogs.
extension ChineseCounterTexts {
    var chargedAtTheEnd: String { "最后扣款" }
    func takenBy(_ method: String) -> String { "已收：\(method)" }
    var linesInIt: String { "商品行数" }
    var worth: String { "金额" }
    var taken: String { "已收" }
    var cartIsKept: String { "此单会保留，下一个收银窗口会提示继续。" }
    var askToLeave: String { "退出？" }
    var totalOfCart: String { "合计" }
    var memberOfCart: String { "会员" }
    var cashier: String { "收银员" }
    var aWindowLeftThisCart: String { "有窗口留下了一单" }
    var emptyTheCart: String { "清空购物车？" }
    var dropThisCartForGood: String { "删除此单？" }
    var enterOnceHandedBack: String { "已退还顾客后按回车。" }
    func at(till: String) -> String { "在 \(till) 号机" }
    func atSilentTill(_ till: String) -> String { "在 \(till) 号机（无响应）" }
    func doubt(_ code: String) -> String? {
        switch code {
        case "owner_silent": "那台收银机没有响应。再按回车复制此单；那里可能已结账。"
        case "cart_copied": "另一台收银机也有此单，或已结账。再按回车仍取此单。"
        default: nil
        }
    }
    func at(screen: String) -> String { "正在 \(screen)" }
    var leftByAWindow: String { "窗口关闭时留下" }
    var withoutAName: String { "未命名" }
    func takenMoney(_ money: String) -> String { "已收 \(money)" }
    var unseenCards: String { "以下刷卡单已付款，但无人看到结果。顾客是否已取走商品？" }
    var cardSalesThatNobodySaw: String { "未确认的刷卡单" }
    var nothingWaitsForADecision: String { "没有待处理的单据。" }
    var refusedByHeadOffice: String { "总部拒收的单据" }
    var madeAt: String { "时间" }
    var whatIsToHappen: String { "如何处理？" }
    var noPrinterIsSetUpFor: String { "本机未设置打印机。" }
    var printer: String { "打印机" }
    var withLimits: String { "受限" }
    var comma: String { "、" }
    var obstacles: String { "当前不可用的功能" }
    var total: String { "合计" }
    func goesBack(by method: String, _ money: String) -> String { "由\(method)退回：\(money)" }
    var cashForCard: String { "原非现金支付，以现金退回。" }
    var giveBack: String { "应退" }
    func noCash(backBy methods: String) -> String { "不退现金，退回 \(methods)" }
    var goodsBack: String { "退回商品" }
    var headOfficeHasIt: String { "总部已收到" }
    var keptHereSentLater: String { "已保存，稍后上传" }
    var change: String { "找零" }
    var paidWithoutChange: String { "已付清 · 无找零" }
    var notApprovedYet: String { "（待授权）" }
    var simulated: String { "（模拟）" }
    var scanToBeginTheNextSale: String { "直接扫描即可开始下一单" }
    var whatToDo: String { "操作" }
    var scanOrType: String { "扫描，或输入条码后回车" }
    var oneMoreInTheCart: String { "加入购物车" }
    var codeWithQuantity: String { "3*条码 · 条码:0.357" }
    var quantityWithTheScan: String { "扫描时带数量" }
    var quantityOfTheMarkedLine: String { "修改所选行数量" }
    var marksAnotherLine: String { "选择另一行" }
    var takesTheMarkedLineOff: String { "删除所选行" }
    var pay: String { "收款" }
    var enteredPrice: String { "* 表示此处改过的单价（F5）" }
    var tabThenLetter: String { "Tab 后按字母" }
    var withoutFunctionKeys: String { "不用功能键的全部操作" }
    var altThatLetter: String { "Alt + 该字母" }
    var theSameAtOnce: String { "直接执行" }
    var closesAndTakesNothing: String { "关闭，不做更改" }
    var escWhileCard: String { "等待刷卡时 Esc" }
    var givesThePaymentUp: String { "取消付款" }
    var leavesOrAsks: String { "退出，有商品时会询问" }
    var help: String { "帮助" }
    var noCartParked: String { "没有挂单。有商品时按 F8 挂单。" }
    var parkedCarts: String { "挂单列表" }
    var searchHint: String { "名称、编号或条码的任意部分" }
    var nothingFound: String { "没有找到，请减少输入内容。" }
    var search: String { "查找商品" }
    var anArticleWithoutACode: String { "无条码商品" }
    func notInCatalogue(_ code: String) -> String { "目录中没有的商品：\(code)" }
    var sellByDepartment: String { "按部门销售" }
    var receiptHint: String { "扫描小票码，或输入单号" }
    var isVoid: String { "已作废" }
    var noSaleWasMadeHereYet: String { "本机尚无订单。" }
    var refundWhichSale: String { "退货：选择订单" }
    var allOfItCameBackBefore: String { "已全部退回。" }
    var comesBack: String { "退款" }
    var refundWhatComesBack: String { "退货：选择商品" }
    var windowTooSmall: String { "窗口小于 80 × 24" }
    var nobodySignedIn: String { "尚未登录 · F11" }
    var printerWaits: String { "！打印机：Alt-T" }
    func store(_ id: String) -> String { "门店 \(id)" }
    func till(_ number: Int64) -> String { "收银机 \(number)" }
    var noShiftIsOpen: String { "未开班" }
    var otherTills: String { "其他收银机" }
    var noOtherTill: String { "本店没有其他收银机。" }
    var tillsAreOff: String { "本店收银机之间未开启互联。" }
    func tillsThere(_ counts: NeighbourCounts) -> String { "其他 \(counts.all) 台中 \(counts.reachable) 台可连通" }
    func tillState(_ state: NeighboursCall.State, isOnline: Bool?) -> String {
        switch state {
        case .reachable: isOnline == true ? "在线" : "离线"
        case .silent: "此后无应答"
        case .unknown: "尚未联系过"
        }
    }
    func lastHeard(_ time: String) -> String { "上次联系 \(time)" }
    func waitThere(_ count: Int64) -> String { "\(count) 条待上传" }
    func hasOfOurs(_ count: Int64) -> String { "代存本机 \(count) 条" }
    func notConfirmed(since moment: String) -> String { "自 \(moment) 起，总部未再确认这些收银机。" }
    var diskIsOld: String { "另一台收银机见过本机磁盘上没有的销售，本机可能运行于旧的磁盘副本，请联系店长。" }
    var connectingToTheTillsService: String { "正在连接收银服务" }
    var sku: String { "编号" }
    var article: String { "商品" }
    var qty: String { "数量" }
    var price: String { "单价" }
    var discountColumn: String { "折扣" }
    var amount: String { "金额" }
    var signInFirstBig: String { "请先按 F11 登录" }
    var scanTheFirstArticle: String { "请扫描第一件商品" }
    var signInHint: String { "或按 Tab 再按 s · 输入工号和密码" }
    var scanHint: String { "或输入条码后回车 · F2 按名称查找" }
    var quantityHint: String { "3*条码 表示三件 · F8 取回挂单" }
    var menuHint: String { "Tab 显示全部操作" }
    func tax(ofIt money: String) -> String { "其中税额 \(money)" }
    func inCash(_ money: String) -> String { "现金 \(money)" }
    func bigTotal(in currency: String) -> String { "合计 \(currency)" }
    func takenSoFar(_ money: String) -> String { "已收 \(money)" }
    var notFound: String { "（未找到）" }
    func hadPoints(_ points: Int64) -> String { "曾有 \(points) 积分" }
    func hasPoints(_ points: Int64) -> String { "\(points) 积分" }
    var member: String { "会员" }
    var points: String { "积分" }
    var exchangeBack: String { "换货退回" }
    var coupons: String { "优惠券" }
    func changeOf(_ money: String) -> String { "找零 \(money)" }
    var lastSale: String { "上一单" }
    var pricing: String { "计价中" }
    var scanPrompt: String { " 扫描 ▸ " }
    var waitingForPayment: String { "正在等待付款" }
    func escapeGivesUp(seconds: Int) -> String { "\(seconds) 秒 · Esc 取消" }
    func words(of step: DeviceProgress) -> String {
        switch step {
        case .insertCard: "刷卡机：请出示卡片"
        case .enterPIN: "刷卡机：请输入密码"
        case .removeCard: "刷卡机：请取回卡片"
        case .wait: "刷卡机：请稍候"
        case .wrongPIN: "刷卡机：密码错误"
        case .approved: "刷卡机：已批准"
        case .declined: "刷卡机：被拒绝"
        }
    }
    func waitingForService(seconds: Int) -> String { "正在等待收银服务 · \(seconds) 秒" }
    var close: String { "关闭" }
    var choose: String { "选择" }
    var perform: String { "执行" }
    var letter: String { "字母" }
    var atOnce: String { "直接执行" }
    var takeEntry: String { "确定" }
    var handBack: String { "退回" }
    var noCard: String { "取消刷卡" }
    var noExchange: String { "取消换货" }
    var takeTender: String { "收款" }
    var discountKey: String { "折扣" }
    var nextCustomer: String { "下一位顾客" }
    var openIt: String { "打开" }
    var dropIt: String { "删除" }
    var itWasSold: String { "确认成交" }
    var voidIt: String { "作废" }
    var later: String { "稍后处理" }
    var decide: String { "处理" }
    var goOn: String { "继续" }
    var intoTheCart: String { "加入购物车" }
    var space: String { "空格" }
    var mark: String { "选择" }
    var all: String { "全选" }
    var exchange: String { "换货" }
    var payBack: String { "退款" }
    var leaveKept: String { "保留并退出" }
    var goOnSelling: String { "继续收银" }
    var takeCart: String { "继续此单" }
    var leaveCart: String { "暂不处理" }
    var itIsHandedBack: String { "已退还" }
    var keepTheCart: String { "保留此单" }
    var sendItAgain: String { "重新发送" }
    var giveItUp: String { "放弃" }
    var leaveRefusal: String { "不再发送" }
    var copyOfTheLastReceipt: String { "补打上一单" }
    var printWhatWaits: String { "继续打印" }
    var testPage: String { "测试页" }
    var menu: String { "菜单" }
    var leave: String { "退出" }
    var openShiftHint: String { "尚未开班。按 O 输入备用金开班。" }
    var theDrawersShift: String { "班次" }
    var since: String { "开班时间" }
    var state: String { "状态" }
    var sales: String { "销售" }
    var refundsAndVoids: String { "退货与作废" }
    var amountsAreShownAfterTheCount: String { "清点后显示金额。" }
    var net: String { "净额" }
    var cashExpected: String { "应有现金" }
    var cashCounted: String { "实点现金" }
    var difference: String { "差额" }
    var cardDebts: String { "欠款：离线刷卡事后被拒" }
    var customersOwe: String { "顾客尚欠：请告知店长" }
    var noSale: String { "开钱箱" }
    var openAShift: String { "开班" }
    var cashIn: String { "存入" }
    var cashOut: String { "支出" }
    var toTheSafe: String { "解款" }
    var countAndClose: String { "清点交班" }
    func moreAbove(_ count: Int) -> String { "▲ 上面还有 \(count) 项" }
    func moreBelow(_ count: Int) -> String { "▼ 下面还有 \(count) 项" }
    var payTitle: String { "收款" }
    func less(points: Int64) -> String { "已抵扣 \(points) 积分" }
    var exchangeBackInTenders: String { "换货退回" }
    var stillDue: String { "还差" }
    var amountOrChooseBelow: String { "输入金额，或在下面选择" }
    func spent(_ points: Int64) -> String { "已用 \(points)" }
    func upTo(_ points: Int64) -> String { "最多 \(points)" }
    var aManagerApproves: String { "需主管批准" }
    func leftToPay(_ money: String) -> String { "还差 \(money)" }
    func foreignBooking(_ receipt: Int64) -> String { "刷卡机：第 \(receipt) 笔不是本机的交易" }
    var exact: String { "正好" }
    var theRest: String { "余款" }
}
