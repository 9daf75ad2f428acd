public import Base

/// A cart that waits while other customers are served.
public struct ParkedCart: Hashable, Sendable {
    /// An article in it, with what it was called and came to when the cart was parked.
    public struct Line: Hashable, Sendable {
        /// As entered.
        public let entry: SaleRequest.Line
        /// The article's id in the catalogue.
        public let sku: String
        /// The article's name.
        public let name: String
        /// Minor units, offers taken off.
        public let total: Int64

        /// Makes a line of what was entered and what it was priced to.
        public init(entry: SaleRequest.Line, sku: String, name: String, total: Int64) {
            self.entry = entry
            self.sku = sku
            self.name = name
            self.total = total
        }
    }

    /// The key of the sale that the cart becomes, so that one cart is sold once at most, by whatever front
    /// end, and however often it is resumed.
    public let id: ULID
    /// At most 200 bytes; nil: no name.
    public let name: String?
    /// Unix milliseconds.
    public let parkedAt: Int64
    /// Unix milliseconds since when somebody works on it again; nil: nobody does.
    public var resumedAt: Int64?
    /// In the order of scanning.
    public let lines: [Line]
    /// ISO 4217.
    public let currency: String
    /// Minor units, when the cart was parked.
    public let total: Int64
    /// As typed; nil: no member.
    public let memberId: String?
    /// Codes as typed.
    public let coupons: [String]
    /// Points that its sale spends; nil: none. The amount of a card that it waits for is what they left.
    public let points: Int64?

    /// Makes a cart that nobody works on, unless `resumedAt` says since when; by default it spends no points.
    public init(
        id: ULID, name: String?, parkedAt: Int64, resumedAt: Int64? = nil, lines: [Line], currency: String,
        total: Int64, memberId: String?, coupons: [String], points: Int64? = nil
    ) {
        self.id = id
        self.name = name
        self.parkedAt = parkedAt
        self.resumedAt = resumedAt
        self.lines = lines
        self.currency = currency
        self.total = total
        self.memberId = memberId
        self.coupons = coupons
        self.points = points
    }
}

/// Where parked carts are kept: on disk, so that a kill loses none.
public protocol CartStore: Sendable {
    /// Every cart that was neither sold nor dropped, the oldest first.
    func carts() async throws(StorageError) -> [ParkedCart]

    /// Writes a cart in place of the one of the same id; durable when it returns.
    func keep(_ cart: ParkedCart) async throws(StorageError)

    /// Deletes a cart; one that is not there is no error.
    func delete(_ id: ULID) async throws(StorageError)
}

/// Why a cart was not parked, shown or dropped.
public enum CartRefusal: Refusal {
    case unknownCart(String)
    case tooManyCarts(limit: Int)
    case textTooLong(field: String, limit: Int)
    /// What is in the cart could not be sold either.
    case sale(SaleRefusal)
    case diskFull(path: String)
    case notRecorded(detail: String)
    case notEnrolled

    init(_ error: StorageError) {
        switch error {
        case .diskFull(let path): self = .diskFull(path: path)
        case .notEnrolled: self = .notEnrolled
        case .unavailable(let detail): self = .notRecorded(detail: detail)
        case .leaseSpent: self = .notRecorded(detail: "another sale spent the lease meanwhile")
        }
    }

    /// For example `unknown_cart`; a refusal of the content has the code of its ``SaleRefusal``.
    public var code: String {
        switch self {
        case .unknownCart: "unknown_cart"
        case .tooManyCarts: "too_many_carts"
        case .textTooLong: "text_too_long"
        case .sale(let refusal): refusal.code
        case .diskFull: "disk_full"
        case .notRecorded: "not_recorded"
        case .notEnrolled: "not_enrolled"
        }
    }

    /// In English.
    public var message: String {
        switch self {
        case .unknownCart(let id):
            "There is no parked cart \(id); it was sold or dropped, or look it up with `pos cart list`."
        case .tooManyCarts(let limit):
            "\(limit) carts are parked, and more are not kept; drop one with `pos cart drop ID --reason TEXT`."
        case .textTooLong(let field, let limit): "\(field) has more than \(limit) bytes; shorten it."
        case .sale(let refusal): refusal.message
        case .diskFull(let path): "The disk of \(path) is full, nothing was parked; free some space."
        case .notRecorded(let detail): "The store cannot be used, nothing was changed: \(detail)."
        case .notEnrolled: "This terminal has no store yet; run `pos init --hub URL --enrol CODE`."
        }
    }

    /// One line for the counter, without the names of commands.
    public var chinese: String? {
        switch self {
        case .unknownCart: "没有这张挂单；可能已售出或已取消。"
        case .tooManyCarts(let limit): "已有 \(limit) 张挂单，请先处理其中一张。"
        case .textTooLong(let field, let limit): "\(field) 超过 \(limit) 字节，请缩短。"
        case .sale(let refusal): refusal.chinese
        case .diskFull: "磁盘已满，未挂单；请清理空间。"
        case .notRecorded: "本机数据无法使用，未作任何更改。"
        case .notEnrolled: "本机尚未注册门店。"
        }
    }

    /// By whose fault it was not done.
    public var exit: RefusalExit {
        switch self {
        case .unknownCart, .tooManyCarts, .textTooLong: .rule
        case .sale(let refusal): refusal.exit
        case .diskFull, .notRecorded: .notRecorded
        case .notEnrolled: .home
        }
    }
}
