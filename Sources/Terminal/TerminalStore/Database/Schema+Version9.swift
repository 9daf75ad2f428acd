extension Schema {
    /// Parked carts. `content` is their lines, member and coupons as JSON; a row goes with the cart's sale or
    /// when the cart is dropped. Not released yet: statements may be added here.
    static let version9 = """
        CREATE TABLE carts (
            cart_id TEXT PRIMARY KEY, name TEXT, parked_at INTEGER NOT NULL, resumed_at INTEGER,
            currency TEXT NOT NULL, total INTEGER NOT NULL, content TEXT NOT NULL
        ) WITHOUT ROWID;
        """
}
