extension CoreAPIs {
    /// The services of the contract's business calls, `order` alone being core; both routes of the push are
    /// one API.
    public static let standard: CoreAPIs = {
        let push = APIRoute(method: "POST", template: "/v1/mutations")
        let batch = APIRoute(method: "POST", template: "/v1/mutations/batch")
        let authorizations = "/v1/payments/authorizations"
        return CoreAPIs(
            services: [
                push: "order",
                batch: "order",
                APIRoute(method: "POST", template: "/v1/sessions"): "account",
                APIRoute(method: "GET", template: "/v1/members"): "member",
                APIRoute(method: "GET", template: "/v1/members/{id}"): "member",
                APIRoute(method: "POST", template: "/v1/promotions/evaluate"): "marketing",
                APIRoute(method: "POST", template: authorizations): "payment",
                APIRoute(method: "GET", template: authorizations + "/{key}"): "payment",
                APIRoute(method: "POST", template: authorizations + "/{key}/capture"): "payment",
                APIRoute(method: "POST", template: authorizations + "/{key}/void"): "payment",
                APIRoute(method: "GET", template: "/v1/products/{barcode}"): "product",
            ],
            core: ["order"],
            aliases: [batch: push])
    }()
}
