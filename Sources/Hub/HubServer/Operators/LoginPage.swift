internal import HubProtocol

/// Text of people in HTML.
enum HTMLText {
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case _: escaped.append(character)
            }
        }
        return escaped
    }

    /// The one style of the operators' pages: readable on a phone, light and dark.
    static let style = """
        :root{color-scheme:light dark}body{font:16px/1.4 system-ui,sans-serif;margin:2rem;max-width:70rem}
        td,th{padding:.3rem 1rem .3rem 0;text-align:left}label{display:block;margin:.8rem 0 .2rem}
        input{font:inherit;padding:.4rem;width:100%;max-width:22rem;box-sizing:border-box}
        button{font:inherit;margin-top:1rem;padding:.4rem 1rem}.refusal{border-left:.3rem solid;padding-left:.8rem}
        form.end{float:right}details{margin-top:2rem}
        """

    static func page(title: String, _ body: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
        <title>\(escaped(title))</title>
        <style>\(style)</style>
        </head>
        <body>
        \(body)
        </body>
        </html>
        """
    }

    /// A page as a response: never stored, without scripts, forms to this hub alone.
    static func response(status: Int, _ html: String) -> HubResponse {
        HubResponse(status: status, contentType: "text/html; charset=utf-8", body: Array(html.utf8))
            .with("Cache-Control", "no-store")
            .with(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; "
                    + "base-uri 'none'"
            )
            .with("X-Content-Type-Options", "nosniff").with("Referrer-Policy", "no-referrer")
    }
}

/// Where people sign in: by password, by the code that sets a password once, or by a token.
struct LoginPage {
    /// Why the last attempt was refused; nil at first.
    let refusal: String?

    var html: String {
        HTMLText.page(
            title: "Sign in",
            """
            <h1>Sign in</h1>
            \(refusal.map { "<p class=\"refusal\" role=\"alert\">\(HTMLText.escaped($0))</p>" } ?? "")
            <form method="post" action="/login">
            \(Self.field("name", "Name", kind: "text", autocomplete: "username"))
            \(Self.field("password", "Password", kind: "password", autocomplete: "current-password"))
            <button>Sign in</button>
            </form>
            <details><summary>First time: set a password with the login code</summary>
            <form method="post" action="/login">
            \(Self.field("name", "Name", kind: "text", autocomplete: "username", id: "first-name"))
            \(Self.field("loginCode", "Login code", kind: "text", autocomplete: "one-time-code"))
            \(Self.field("newPassword", "New password, 10 signs or more", kind: "password",
                autocomplete: "new-password"))
            <button>Set the password and sign in</button>
            </form></details>
            <details><summary>With an operator token</summary>
            <form method="post" action="/login">
            \(Self.field("token", "Token", kind: "password", autocomplete: "off"))
            <button>Sign in</button>
            </form></details>
            """)
    }

    private static func field(
        _ name: String, _ label: String, kind: String, autocomplete: String, id: String? = nil
    ) -> String {
        let id = id ?? name
        return "<label for=\"\(id)\">\(label)</label>"
            + "<input id=\"\(id)\" name=\"\(name)\" type=\"\(kind)\" autocomplete=\"\(autocomplete)\" required>"
    }
}
