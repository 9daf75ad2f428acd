package import Base
package import OfflineCore

/// Why something cannot be done now, or not by its usual way, and what ends that.
package enum TillObstacle: Hashable, Sendable {
    case switchedOff
    case network
    /// The hub's service is faulty, by QoS or by a local lease.
    case service(String)
    /// The hub's service used up the wait budget of a sale and has not responded in time since.
    case slow(String)
    /// The hub does not accept the terminal's identity.
    case notEnrolled
    case noPayments
    /// The store lists no card among its tenders.
    case noTender
    case signInRequired
    case shiftRequired
    case diskFull
    /// The store on disk cannot record.
    case notRecording
    /// Both clocks as texts for people.
    case clockDiffers(own: String, hub: String)
    /// A limit of `offlineCard` leaves nothing.
    case cardLimit(OfflineCardExcess)
    /// The hub no longer accepts this version.
    case tooOld
    /// Another copy of this terminal goes on.
    case superseded
    /// The hub asked to wait until that moment of the store's time.
    case busy(until: String)

    /// The cause that keeps the terminal offline, of several the one that a person can end first; nil while
    /// it is online.
    package init?(_ status: ModeStatus) {
        guard status.mode == .offline else { return nil }
        if status.causes.contains(.manual) {
            self = .switchedOff
        } else if status.causes.contains(.network) {
            self = .network
        } else {
            let core = status.services.first { $0.isCore && $0.isFaulty }
            self = .service(core?.service ?? "order")
        }
    }

    /// A stable name for programs.
    package var word: String {
        switch self {
        case .switchedOff: "manual"
        case .network: "network"
        case .service: "service"
        case .slow: "slow"
        case .notEnrolled: "authBlocked"
        case .noPayments: "noPaymentService"
        case .noTender: "noTender"
        case .signInRequired: "signInRequired"
        case .shiftRequired: "shiftRequired"
        case .diskFull: "diskFull"
        case .notRecording: "notRecording"
        case .clockDiffers: "clockDiffers"
        case .cardLimit: "cardLimit"
        case .tooOld: "tooOld"
        case .superseded: "superseded"
        case .busy: "busy"
        }
    }

    /// What a person can run to end it, or to look for its end; nil: nothing helps here.
    package var command: String? {
        switch self {
        case .switchedOff: Self.goOnline
        case .network, .service, .cardLimit: Self.retry
        case .notEnrolled, .superseded: Self.enrol
        case .signInRequired: "pos sign-in CASHIER"
        case .shiftRequired: "pos shift open --float AMOUNT"
        case .notRecording: "pos doctor"
        case .slow, .noPayments, .noTender, .diskFull, .clockDiffers, .tooOld, .busy: nil
        }
    }

    /// When it ends by itself at the earliest: the recovery hold of the network, or the test of a faulty
    /// service. Nil: nothing of it has a moment, or none is known.
    package func end(in status: ModeStatus) -> Instant? {
        switch self {
        case .network: status.network.state == .recovering ? status.network.deadline : nil
        case .service(let name): status.services.first { $0.service == name }?.testedAt
        case .switchedOff, .slow, .notEnrolled, .noPayments, .noTender, .signInRequired, .shiftRequired,
            .diskFull, .notRecording, .clockDiffers, .cardLimit, .tooOld, .superseded, .busy:
            nil
        }
    }

    /// Takes the manual switch back.
    package static let goOnline = "pos offline off"
    /// Sends a request to the hub now.
    package static let retry = "pos sync now"
    /// Enrols the terminal again.
    package static let enrol = "pos init --hub URL --enrol CODE"

    /// In one half of a line.
    package func why(isChinese: Bool) -> String {
        func said(_ english: String, _ chinese: String) -> String { isChinese ? chinese : english }
        return switch self {
        case .switchedOff: said("this till is switched off the network by hand", "本机已手动切换为离线")
        case .network: said("the hub cannot be reached", "无法连上总部")
        case .service(let name):
            said("the hub's service \(name) is down", "总部服务 \(name) 故障")
        case .slow(let name):
            said("the hub's service \(name) does not respond in time", "总部服务 \(name) 响应太慢")
        case .notEnrolled: said("the hub does not accept this terminal", "总部不接受本机身份")
        case .noPayments: said("no payment service is configured at the hub", "总部没有配置支付服务")
        case .noTender: said("the store takes no cards", "本店不收银行卡")
        case .signInRequired: said("nobody is signed in", "尚未登录")
        case .shiftRequired: said("no shift is open", "尚未开班")
        case .diskFull: said("the disk is full", "磁盘已满")
        case .notRecording: said("this till cannot record now", "本机目前无法记录")
        case .clockDiffers(let own, let hub):
            said("this till's clock says \(own), the hub's \(hub)", "本机时钟为 \(own)，总部为 \(hub)")
        case .cardLimit(let limit):
            said(
                limit == .unreadable
                    ? "the cards taken before cannot be read" : "offlineCard.\(limit.rawValue) is reached",
                limit == .unreadable ? "此前的离线刷卡记录无法读取" : "已达离线刷卡限额")
        case .tooOld: said("the hub wants a newer version of this till", "总部要求更新版本")
        case .superseded: said("another copy of this till goes on", "本机的另一副本正在使用")
        case .busy(let end): said("the hub asked to wait until \(end)", "总部要求等到 \(end)")
        }
    }

    /// In the other half of the line.
    package func ends(isChinese: Bool) -> String {
        func said(_ english: String, _ chinese: String) -> String { isChinese ? chinese : english }
        return switch self {
        case .switchedOff: said("ends with `\(Self.goOnline)`", "运行 `\(Self.goOnline)` 恢复")
        case .network: said("ends by itself once the hub responds", "连上总部后自动恢复")
        case .service:
            said("ends by itself once the hub's decision is taken back", "总部恢复服务后自动恢复")
        case .slow: said("ends by itself with a response in time", "响应恢复正常后自动恢复")
        case .notEnrolled, .superseded:
            said("ends when it is enrolled again: `\(Self.enrol)`", "重新注册后恢复：`\(Self.enrol)`")
        case .noPayments: said("ends with the first pull after the hub has one", "总部配置后，下次更新时恢复")
        case .noTender: said("ends when the store lists one", "本店开通后恢复")
        case .signInRequired: said("ends with `pos sign-in CASHIER`", "运行 `pos sign-in 工号` 登录后恢复")
        case .shiftRequired:
            said("ends with `pos shift open --float AMOUNT`", "运行 `pos shift open --float 金额` 开班后恢复")
        case .diskFull: said("ends when there is room again", "腾出空间后恢复")
        case .notRecording: said("`pos doctor` says why", "原因见 `pos doctor`")
        case .clockDiffers: said("ends when the clock is set", "校准时钟后恢复")
        case .cardLimit: said("ends by itself once the hub has taken them", "总部处理后自动恢复")
        case .tooOld: said("ends with an update", "升级后恢复")
        case .busy: said("ends by itself then", "到时自动恢复")
        }
    }

    /// Reason and end in one line.
    package func text(isChinese: Bool) -> String {
        why(isChinese: isChinese) + (isChinese ? "；" : "; ") + ends(isChinese: isChinese)
    }
}

extension ServiceStatus {
    /// Whether calls of the service stay at the terminal, whatever the mode.
    package var isFaulty: Bool { state == .faulty || state == .recovering }
}
