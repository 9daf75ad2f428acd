internal import AgentAPI
internal import HubProtocol
internal import OfflineCore
internal import OfflineMode

/// What each module can do now, what it cannot, why, and what ends that.
struct Capabilities {
    let status: ModeStatus
    /// Whether the hub has a payment service.
    let takesCards: Bool
    /// The services that sales do not wait for.
    let slowServices: [String]
    /// What stops work beside the mode.
    let stops: Stops

    /// What stops work beside the mode.
    struct Stops: Hashable {
        /// The database has no room for another sale.
        var isDiskFull = false
        /// The clocks of till and hub differ by so many hours, and sales are refused; nil: they do not.
        var clockDiffersByHours: Int64?
        /// The store has cashiers and nobody is signed in.
        var isSignInRequired = false
        /// The hub no longer accepts this version.
        var isTooOld = false
        /// Another copy of this terminal goes on.
        var isSuperseded = false
        /// The end of the hub's `Retry-After` in the store's time; nil while none is valid.
        var waitEnds: String?
    }

    /// By the module's name.
    var byModule: [String: Capability] {
        [
            "checkout": sale(module("order", limits: [])),
            "payment.cash": sale(Capability(route: "local", limits: [])),
            "payment.card": sale(card),
            "refund": person(Capability(route: "local", limits: [])),
            "void": person(Capability(route: "local", limits: [])),
            "notes": person(Capability(route: "local", limits: [])),
            "sync": sync,
            "catalogue": module("product", limits: ["prices as of the last pull"]),
            "account": module("account", limits: ["PINs as of the last pull"]),
            "member": module("member", limits: ["members as of the last pull"]),
            "marketing": module(
                "marketing",
                limits: ["offers as of the last pull", "offers and coupons that need the hub are not given"]),
        ]
    }

    private func module(_ service: String, limits: [String]) -> Capability {
        guard let obstacle = obstacle(to: service) else { return Capability(route: "online", limits: []) }
        return Capability(
            route: obstacle == .slow(service) ? "online" : "local", limits: limits,
            obstacle: obstacle.document(stopsAll: false))
    }

    /// Why calls of `service` are not sent, or not waited for; nil: they are.
    private func obstacle(to service: String) -> CapabilityObstacle? {
        if let cause = causeObstacle { return cause }
        // Every call that needs the terminal's identity is refused until somebody enrols it again.
        if status.connectivity.state == .authBlocked { return .notEnrolled }
        if isFaulty(service) { return .service(service) }
        return slowServices.contains(service) ? .slow(service) : nil
    }

    /// The cause that keeps the terminal offline; of several the one that a person can end first.
    private var causeObstacle: CapabilityObstacle? {
        guard status.mode == .offline else { return nil }
        if status.causes.contains(.manual) { return .switchedOff }
        if status.causes.contains(.network) { return .network }
        return .service(status.services.first { $0.isCore && isFaulty($0.service) }?.service ?? "order")
    }

    private func isFaulty(_ service: String) -> Bool {
        status.services.contains {
            $0.service == service && ($0.state == .faulty || $0.state == .recovering)
        }
    }

    private var card: Capability {
        if !takesCards {
            return card("no payment service is configured at the hub; take cash", .noPayments)
        }
        guard let obstacle = obstacle(to: "payment"), obstacle != .slow("payment") else {
            return Capability(route: "online", limits: [])
        }
        let limit =
            obstacle == .notEnrolled
            ? "the hub does not accept this terminal: enrol it again; take cash"
            : "card payments need the hub; take cash"
        return card(limit, obstacle)
    }

    private func card(_ limit: String, _ obstacle: CapabilityObstacle) -> Capability {
        Capability(route: "local", limits: [limit], obstacle: obstacle.document(stopsAll: true))
    }

    /// A capability of selling, which also stops with the disk and the clock.
    private func sale(_ capability: Capability) -> Capability {
        if let hours = stops.clockDiffersByHours { return stopped(capability, .clockDiffers(hours: hours)) }
        return person(capability)
    }

    /// A capability of a person who records something.
    private func person(_ capability: Capability) -> Capability {
        if stops.isDiskFull { return stopped(capability, .diskFull) }
        guard stops.isSignInRequired, capability.obstacle?.stopsAll != true else { return capability }
        return stopped(capability, .signInRequired)
    }

    private func stopped(_ capability: Capability, _ obstacle: CapabilityObstacle) -> Capability {
        Capability(
            route: capability.route, limits: capability.limits + [obstacle.why(.english)],
            obstacle: obstacle.document(stopsAll: true))
    }

    /// Sending what was recorded here.
    private var sync: Capability {
        func blocked(_ obstacle: CapabilityObstacle) -> Capability {
            Capability(
                route: "local", limits: [obstacle.why(.english)], obstacle: obstacle.document(stopsAll: true))
        }
        if stops.isSuperseded { return blocked(.superseded) }
        if stops.isTooOld { return blocked(.tooOld) }
        if let obstacle = obstacle(to: "order"), obstacle != .slow("order") { return blocked(obstacle) }
        if let end = stops.waitEnds { return blocked(.busy(until: end)) }
        return Capability(route: "online", limits: [])
    }
}

/// Why a module cannot do everything, with what ends it: the object `obstacle` of a capability.
enum CapabilityObstacle: Hashable {
    case switchedOff
    case network
    /// The hub's service is faulty, by QoS or by a local lease.
    case service(String)
    /// The hub's service used up the wait budget of a sale and has not responded in time since.
    case slow(String)
    /// The hub does not accept the terminal's identity.
    case notEnrolled
    case noPayments
    case signInRequired
    case diskFull
    case clockDiffers(hours: Int64)
    case tooOld
    case superseded
    case busy(until: String)

    func document(stopsAll: Bool) -> Capability.Obstacle {
        var texts: [String: String] = [:]
        for language in BannerLanguage.allCases {
            texts[language.rawValue] = why(language) + (language == .english ? "; " : "；") + ends(language)
        }
        return Capability.Obstacle(
            reason: word, stopsAll: stopsAll, command: command, texts: texts)
    }

    /// A stable name for programs.
    var word: String {
        switch self {
        case .switchedOff: "manual"
        case .network: "network"
        case .service: "service"
        case .slow: "slow"
        case .notEnrolled: "authBlocked"
        case .noPayments: "noPaymentService"
        case .signInRequired: "signInRequired"
        case .diskFull: "diskFull"
        case .clockDiffers: "clockDiffers"
        case .tooOld: "tooOld"
        case .superseded: "superseded"
        case .busy: "busy"
        }
    }

    /// What a person can run to end it, or to look for its end; nil: nothing helps here.
    var command: String? {
        switch self {
        case .switchedOff: Banner.Action.switchOn.command
        case .network, .service: Banner.Action.retry.command
        case .notEnrolled, .superseded: Banner.Action.signIn.command
        case .signInRequired: "pos sign-in CASHIER"
        case .slow, .noPayments, .diskFull, .clockDiffers, .tooOld, .busy: nil
        }
    }

    func why(_ language: BannerLanguage) -> String {
        func said(_ english: String, _ chinese: String) -> String {
            language == .english ? english : chinese
        }
        return switch self {
        case .switchedOff: said("this till is switched off the network by hand", "本机已手动切换为离线")
        case .network: said("the hub cannot be reached", "无法连上总部")
        case .service(let name):
            said("the hub's service \(name) is down", "总部服务 \(name) 故障")
        case .slow(let name):
            said("the hub's service \(name) does not respond in time", "总部服务 \(name) 响应太慢")
        case .notEnrolled: said("the hub does not accept this terminal", "总部不接受本机身份")
        case .noPayments: said("no payment service is configured at the hub", "总部没有配置支付服务")
        case .signInRequired: said("nobody is signed in", "尚未登录")
        case .diskFull: said("the disk is full", "磁盘已满")
        case .clockDiffers(let hours):
            said("this till's clock is \(hours) h off the hub's", "本机时钟与总部相差 \(hours) 小时")
        case .tooOld: said("the hub wants a newer version of this till", "总部要求更新版本")
        case .superseded: said("another copy of this till goes on", "本机的另一副本正在使用")
        case .busy(let end): said("the hub asked to wait until \(end)", "总部要求等到 \(end)")
        }
    }

    private func ends(_ language: BannerLanguage) -> String {
        func said(_ english: String, _ chinese: String) -> String {
            language == .english ? english : chinese
        }
        return switch self {
        case .switchedOff: said("ends with `pos offline off`", "运行 `pos offline off` 恢复")
        case .network: said("ends by itself once the hub responds", "连上总部后自动恢复")
        case .service:
            said("ends by itself once the hub's decision is taken back", "总部恢复服务后自动恢复")
        case .slow: said("ends by itself with a response in time", "响应恢复正常后自动恢复")
        case .notEnrolled, .superseded:
            said(
                "ends when it is enrolled again: `pos init --hub URL --enrol CODE`",
                "重新注册后恢复：`pos init --hub URL --enrol CODE`")
        case .noPayments:
            said("ends with the first pull after the hub has one", "总部配置后，下次更新时恢复")
        case .signInRequired: said("ends with `pos sign-in CASHIER`", "运行 `pos sign-in 工号` 登录后恢复")
        case .diskFull: said("ends when there is room again", "腾出空间后恢复")
        case .clockDiffers: said("ends when the clock is set", "校准时钟后恢复")
        case .tooOld: said("ends with an update", "升级后恢复")
        case .busy: said("ends by itself then", "到时自动恢复")
        }
    }
}
