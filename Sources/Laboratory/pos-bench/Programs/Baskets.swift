internal import HubProtocol

/// The articles and sales of the benchmark, made by rule.
enum Baskets {
    static let articles = 300

    static func barcode(_ index: Int) -> String { number(index % articles) }

    private static func number(_ article: Int) -> String { String(2_000_000_000_000 + article) }

    /// Of an article, in minor units.
    static func price(_ article: Int) -> Int64 { Int64(120 + article * 37 % 2_900) }

    /// As different from each other as those of a shop, so that a database that compresses gains what it would
    /// there.
    static func name(_ article: Int) -> String {
        let makers = [
            "Alnatura", "Bergfeld", "Corvino", "Dorina", "Elsbeth", "Fjord", "Grandma's", "Hofgut", "Iglu",
        ]
        let goods = [
            "whole milk", "rye bread", "espresso beans", "dish soap", "toothpaste", "cucumber",
            "rice noodles",
            "chocolate 70 %", "sparkling water", "olive oil", "paper towels",
        ]
        return
            "\(makers[article % makers.count]) \(goods[article % goods.count]) \(100 + article * 7 % 900) g"
    }

    static func department(_ article: Int) -> String {
        ["Dairy", "Bakery", "Household", "Drinks", "Vegetables"][article % 5]
    }

    /// The import file of the hub.
    static func catalogue(_ articles: Int) -> String {
        var lines = ["sku,barcode,name,department,price_minor,currency,tax_basis_points,unit,stock_milli"]
        for index in 0..<articles {
            lines.append(
                "B\(1000 + index),\(number(index)),Article \(index),Bench,\(price(index)),CNY,1300,"
                    + "each,100000000")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// As many promotions, each on another article, as `number`; a quarter of them on the articles of
    /// ``quote(_:)``.
    static func promotions(_ number: Int) -> String {
        var lines = [
            "id,name,kind,sku,department,percent_basis_points,amount_minor,min_quantity_milli,starts_at,ends_at,offline"
        ]
        for index in 0..<number {
            lines.append(
                "P\(index),Promotion \(index),percent,B\(1000 + index % 80),,\(100 + index % 900),,,,,true")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The request of quote number `index`: twenty lines.
    static func quote(_ index: Int) -> String {
        let lines: [JSONValue] = (0..<20).map { line in
            ["barcode": .string(barcode((index + line * 7) % 160)), "quantityMilli": 2_000]
        }
        return (["lines": .array(lines)] as JSONValue).canonicalText
    }

    /// Sale number `index`: one to four lines, paid in cash. Of two lines and a half on the average the till
    /// makes ten rows: the journal's, the outbox's, the order's, a payment's, two for each line and the
    /// head's update.
    static func request(_ index: Int) -> String {
        let lines: [JSONValue] = (0...index % 4).map { line in
            [
                "barcode": .string(barcode(index * 7 + line * 13)),
                "quantityMilli": .integer(Int64(1 + (index + line) % 3) * 1_000),
            ]
        }
        return (["lines": .array(lines)] as JSONValue).canonicalText
    }
}
