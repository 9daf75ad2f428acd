internal import HubProtocol

/// A group of the catalogue's articles that have one tax rate: what an article is sold as that the catalogue
/// does not have.
package struct Department: Hashable, Sendable {
    /// As imported with the articles; never empty.
    package let name: String
    /// The rate of the tax included in the price, in hundredths of a percent.
    package let taxBasisPoints: Int64
    /// ISO 4217.
    package let currency: String

    package init(name: String, taxBasisPoints: Int64, currency: String) {
        self.name = name
        self.taxBasisPoints = taxBasisPoints
        self.currency = currency
    }
}

extension EnteredLine {
    /// The one of `departments` that `name` means. A wrong tax cannot be corrected behind the sale, so one of
    /// several rates has to be named.
    func department(_ name: String, among departments: [Department]) throws(SaleRefusal) -> Department {
        let named = departments.filter { $0.name == name }
        guard !named.isEmpty else {
            var names: [String] = []
            for other in departments where !names.contains(other.name) { names.append(other.name) }
            throw .departmentUnknown(name, known: names)
        }
        guard let taxBasisPoints else {
            guard named.count == 1 else {
                throw .departmentRateRequired(name, rates: named.map(\.taxBasisPoints))
            }
            return named[0]
        }
        guard let chosen = named.first(where: { $0.taxBasisPoints == taxBasisPoints }) else {
            throw .departmentRateRequired(name, rates: named.map(\.taxBasisPoints))
        }
        return chosen
    }
}

extension Product {
    /// What is sold as `department` under `code`, at an entered price and in any quantity; its stock is not
    /// counted. Without a code it has the department's name as one, so that a refund can name it.
    init(openItem department: Department, code: String) {
        let code = code.isEmpty ? department.name : code
        self.init(
            sku: code, barcode: code, name: department.name, department: department.name, price: 0,
            currency: department.currency, taxBasisPoints: department.taxBasisPoints, isDivisible: true,
            isCounted: false, hasOpenPrice: true)
    }
}
