import HubProtocol
internal import Pricing

extension SaleDocument {
    /// What counts of it, for views that have lines and payments: all of it, or where it ``differs`` the
    /// total alone, as one line of no article and one payment by no tender.
    package var counted: SaleDocument {
        guard differs else { return self }
        var (document, line, payment) = (self, Line(), Payment())
        (line.total, payment.amount) = (total, total)
        (document.lines, document.payments) = ([line], [payment])
        (document.change, document.cashRounding) = (0, 0)
        (document.tax, document.taxes) = (0, [])
        return document
    }
}

/// What a document of the journal feed adds to the figures, and its parts by product, tender and tax. Those
/// of each dimension come to the whole; a document of which a sum does not hold counts by its total, which
/// belongs to no key.
package struct SaleFigures {
    private let document: SaleDocument
    private let kind: SaleEntry.Kind
    private let differs: Bool

    /// - Parameter kind: what the document is of.
    package init(of document: SaleDocument, _ kind: SaleEntry.Kind) {
        self.document = document
        self.kind = kind
        differs = document.differs
    }

    /// The whole.
    package var amounts: SaleAmounts {
        figures(document.total, discount, differs ? 0 : document.tax)
    }

    private var discount: Int64 {
        differs || kind == .refund ? 0 : document.lines.reduce(0) { $0 + ($1.discount ?? 0) }
    }

    private func figures(_ total: Int64, _ discount: Int64, _ tax: Int64) -> SaleAmounts {
        let sale = SaleAmounts(orders: 1, gross: total + discount, discounts: discount, tax: tax)
        return switch kind {
        case .sale: sale
        case .void: -sale
        case .refund: SaleAmounts(refunds: total, tax: -tax)
        }
    }

    /// The shares of each key of a dimension.
    package func parts(by dimension: SalePart.Dimension) -> [SalePart] {
        let parts: [SalePart]
        switch dimension {
        case _ where differs: parts = []
        case .product: parts = shares(dimension) { $0.sku ?? "" }
        case .tax: parts = shares(dimension) { String($0.taxBasisPoints) }
        case .tender:
            let paid = Self.paid(document)
            // Discounts and tax belong to no tender; tenders share them by what they paid.
            let discounts = Shares.of(discount, by: paid.map(\.amount))
            let taxes = Shares.of(document.tax, by: paid.map(\.amount))
            parts = paid.indices.map { index in
                SalePart(
                    dimension, paid[index].method,
                    figures(paid[index].amount, discounts[index], taxes[index]))
            }
        }
        return completed(parts, dimension)
    }

    private func shares(
        _ dimension: SalePart.Dimension, _ key: (SaleDocument.Line) -> String
    ) -> [SalePart] {
        let lines = document.lines.map { line in
            (key(line), (line.total, kind == .refund ? 0 : line.discount ?? 0, line.tax ?? 0))
        }
        return Self.byKey(lines).map { part in
            SalePart(dimension, part.key, figures(part.sums.total, part.sums.discount, part.sums.tax))
        }
    }

    /// With a part without a key for what these do not explain, as a sale that nobody paid.
    private func completed(_ parts: [SalePart], _ dimension: SalePart.Dimension) -> [SalePart] {
        let explained = parts.reduce(SaleAmounts()) { $0 + $1.amounts }
        var rest = amounts + -explained
        rest.orders = parts.isEmpty ? amounts.orders : 0
        return rest.isEmpty && !parts.isEmpty ? parts : parts + [SalePart(dimension, nil, rest)]
    }

    private typealias Sums = (total: Int64, discount: Int64, tax: Int64)

    /// In the order of the first line of each key.
    private static func byKey(_ lines: [(key: String, sums: Sums)]) -> [(key: String, sums: Sums)] {
        var found: [(key: String, sums: Sums)] = []
        var places: [String: Int] = [:]
        for line in lines {
            guard let place = places[line.key] else {
                places[line.key] = found.endIndex
                found.append(line)
                continue
            }
            found[place].sums.total += line.sums.total
            found[place].sums.discount += line.sums.discount
            found[place].sums.tax += line.sums.tax
        }
        return found
    }

    /// What each method has of the total, in the order of its first payment.
    private static func paid(_ document: SaleDocument) -> [(method: String, amount: Int64)] {
        byKey(document.kept.map { ($0.payment.tender.counted, ($0.amount, Int64(0), Int64(0))) }).map {
            ($0.key, $0.sums.total)
        }
    }
}

/// Shares of an amount of money by weights.
enum Shares {
    /// Each the floor of its share; what is left over goes one unit each to the largest remainders, the
    /// first of equal ones first. All 0 where no weight is positive.
    static func of(_ amount: Int64, by weights: [Int64]) -> [Int64] {
        let weights = weights.map { Int128(Swift.max(0, $0)) }
        let whole = weights.reduce(0, +)
        guard whole > 0, amount != 0 else { return weights.map { _ in 0 } }
        let size = Int128(amount.magnitude)
        var shares = weights.map { Int64(size * $0 / whole) }
        var rest = Int64(size) - shares.reduce(0, +)
        let order = weights.indices.sorted { left, right in
            let (first, second) = (size * weights[left] % whole, size * weights[right] % whole)
            return first == second ? left < right : first > second
        }
        for index in order where rest > 0 {
            shares[index] += 1
            rest -= 1
        }
        return amount < 0 ? shares.map { -$0 } : shares
    }
}
