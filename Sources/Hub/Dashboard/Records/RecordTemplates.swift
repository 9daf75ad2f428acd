/// The templates of lists and of single records. Everything in them is escaped.
enum RecordTemplates {
    static let all = [
        "record-place": place, "record-pager": pager, "record-filter": filter, "alarms": alarms,
        "flags": flags, "refusals": refusals, "refusal": refusal, "orders": orders, "order": order,
    ]

    private static let place = """
        {{#storeId}}{{>store}}{{/storeId}}{{#terminalId}} <small><a href="/terminals/{{terminalId}}">{{terminalPlace}}</a></small>{{/terminalId}}
        """

    private static let pager = """
        <p class="pager">{{#newest}}<a rel="prev" href="{{.}}">{{t.newest}}</a>{{/newest}} {{#next}}<a rel="next" href="{{.}}">{{t.older}}</a>{{/next}}</p>
        """

    private static let filter = """
        <form class="filter" method="get" action="{{path}}" role="search">
        <label>{{t.filter}}<select name="state"><option value="open">{{t.openOnly}}</option><option value="all"{{#showsAll}} selected{{/showsAll}}>{{t.all}}</option></select></label>
        <label>{{t.store}}<input name="store" value="{{store}}" maxlength="32"></label><button>{{t.apply}}</button></form>
        """

    private static let alarms = """
        {{<layout}}{{$body}}
        <h1>{{heading}}</h1>
        {{>record-filter}}
        {{#hasRows}}<table><thead><tr><th>{{t.alarm}}</th><th>{{t.store}}</th><th>{{t.lastTime}}</th><th class="n">{{t.times}}</th><th>{{t.detail}}</th><th>{{t.state}}</th></tr></thead><tbody>
        {{#rows}}<tr><th scope="row" data-label="{{t.alarm}}">{{#link}}<a href="{{.}}">{{kind}}</a>{{/link}}{{^link}}{{kind}}{{/link}}</th><td data-label="{{t.store}}">{{>record-place}}</td><td data-label="{{t.lastTime}}">{{#last}}{{>time}}{{/last}}</td><td class="n" data-label="{{t.times}}">{{count}}</td><td data-label="{{t.detail}}">{{shownDetail}}{{#mutationId}} <small>{{.}}</small>{{/mutationId}}</td><td data-label="{{t.state}}">{{#open}}<span class="outcome warning">{{t.openOne}}</span>{{/open}}{{^open}}<span class="outcome good">{{t.acknowledged}}</span> {{by}}{{t.colon}}{{note}}{{/open}}
        {{#form}}<form class="act" method="post" action="/alarms/acknowledge"><input type="hidden" name="csrf" value="{{csrf}}"><input type="hidden" name="id" value="{{id}}"><input type="hidden" name="seen" value="{{seen}}"><label>{{t.note}}<input name="note" maxlength="500" required></label><button class="quiet">{{t.acknowledge}}</button></form>{{/form}}</td></tr>
        {{/rows}}</tbody></table><a class="csv" href="{{tables}}rows" download>CSV</a>{{/hasRows}}
        {{^hasRows}}<p>{{t.noAlarms}}</p>{{/hasRows}}
        {{>record-pager}}
        {{/body}}{{/layout}}
        """

    private static let flags = """
        {{<layout}}{{$body}}
        <h1>{{heading}}</h1>
        <p>{{t.flagsAre}}</p>
        <form class="filter" method="get" action="/flags" role="search">
        <label>{{t.flag}}<input name="flag" value="{{flagName}}" maxlength="64"></label>
        <label>{{t.store}}<input name="store" value="{{store}}" maxlength="32"></label>
        <label>{{t.dayReceived}}<input type="date" name="day" value="{{dayName}}"></label><button>{{t.apply}}</button></form>
        {{#hasRows}}<table><thead><tr><th>{{t.flag}}</th><th>{{t.order}}</th><th>{{t.store}}</th><th>{{t.received}}</th><th>{{t.type}}</th></tr></thead><tbody>
        {{#rows}}<tr><th scope="row" data-label="{{t.flag}}"><a href="/flags?flag={{flag}}">{{flagWord}}</a> <small>{{flag}}</small></th><td data-label="{{t.order}}">{{#number}}<a href="/orders/{{mutationId}}">{{number}}</a>{{/number}}{{^number}}<small>{{mutationId}}</small>{{/number}}</td><td data-label="{{t.store}}">{{>record-place}}</td><td data-label="{{t.received}}">{{#received}}{{>time}}{{/received}}</td><td data-label="{{t.type}}">{{type}}</td></tr>
        {{/rows}}</tbody></table><a class="csv" href="{{tables}}rows" download>CSV</a>{{/hasRows}}
        {{^hasRows}}<p>{{#isToCome}}{{t.notBegun}}{{/isToCome}}{{^isToCome}}{{t.noFlags}}{{/isToCome}}</p>{{/hasRows}}
        {{>record-pager}}
        {{/body}}{{/layout}}
        """

    private static let refusals = """
        {{<layout}}{{$body}}
        <h1>{{heading}}</h1>
        {{>record-filter}}
        {{#hasRows}}<table><thead><tr><th>{{t.type}}</th><th>{{t.store}}</th><th>{{t.received}}</th><th>{{t.reason}}</th><th class="n">{{t.amount}}</th><th>{{t.state}}</th></tr></thead><tbody>
        {{#rows}}<tr><th scope="row" data-label="{{t.type}}"><a href="/refused/{{id}}">{{type}}</a>{{#number}} <small>{{.}}</small>{{/number}}</th><td data-label="{{t.store}}">{{>record-place}}</td><td data-label="{{t.received}}">{{#received}}{{>time}}{{/received}}</td><td data-label="{{t.reason}}">{{why}}</td><td class="n" data-label="{{t.amount}}">{{amount}}</td><td data-label="{{t.state}}"><span class="outcome {{tone}}">{{state}}</span></td></tr>
        {{/rows}}</tbody></table><a class="csv" href="{{tables}}rows" download>CSV</a>{{/hasRows}}
        {{^hasRows}}<p>{{t.noRefusals}}</p>{{/hasRows}}
        {{>record-pager}}
        {{/body}}{{/layout}}
        """

    private static let refusal = """
        {{<layout}}{{$body}}
        <h1>{{type}} <small>{{number}}</small> <span class="outcome {{tone}}">{{state}}</span></h1>
        <p class="notice {{tone}}"><strong>{{why}}</strong> {{#code}}{{t.opening}}{{.}}{{t.closing}}{{/code}}</p>
        <p>{{>record-place}} · {{t.received}} {{#received}}{{>time}}{{/received}} · <small>{{id}}</small></p>
        {{#resolution}}<p class="notice good">{{t.resolvedBy}} {{by}}{{#at}} <time datetime="{{iso}}">{{clock}}</time>{{/at}}{{t.colon}}{{keep}}. {{note}}</p>{{/resolution}}
        {{#form}}<form class="override" method="post" action="/refused/resolve"><input type="hidden" name="csrf" value="{{csrf}}"><input type="hidden" name="id" value="{{id}}">
        <h2>{{t.resolve}}</h2>
        <label>{{t.keep}}<select name="keep"><option value="terminal">{{t.keepTerminal}}</option><option value="server">{{t.keepServer}}</option></select></label>
        <label class="wide">{{t.reason}}<input name="reason" maxlength="500" required></label><button>{{t.resolve}}</button><p class="hint">{{t.resolveNote}}</p></form>{{/form}}
        <h2>{{t.sent}}</h2><pre tabindex="0">{{payload}}</pre>
        {{#serverState}}<h2>{{t.serverHas}}</h2><pre tabindex="0">{{.}}</pre>{{/serverState}}
        <p><a href="/refused">{{t.allRefused}}</a></p>
        {{/body}}{{/layout}}
        """

    private static let orders = """
        {{<layout}}{{$body}}
        <h1>{{heading}}</h1>
        <form class="filter" method="get" action="/orders" role="search">
        <label>{{t.businessDay}}<input type="date" name="day" value="{{dayName}}"></label>
        <label>{{t.store}}<input name="store" value="{{store}}" maxlength="32"></label><button>{{t.apply}}</button></form>
        <form class="filter" method="get" action="/orders/find" role="search"><label>{{t.orderNumber}}<input name="q" maxlength="128" required></label><button>{{t.find}}</button></form>
        {{#hasSeveral}}<p class="tabs"><a href="/orders?day=own"{{#isOwn}} aria-current="page"{{/isOwn}}>{{t.ownDay}}</a></p>{{/hasSeveral}}
        {{#hasRows}}<table><thead><tr><th>{{t.order}}</th><th>{{t.businessDay}}</th><th>{{t.store}}</th><th>{{t.cashier}}</th><th class="n">{{t.amount}}</th><th>{{t.state}}</th><th>{{t.received}}</th></tr></thead><tbody>
        {{#rows}}<tr><th scope="row" data-label="{{t.order}}"><a href="/orders/{{id}}">{{number}}</a></th><td data-label="{{t.businessDay}}">{{day}}</td><td data-label="{{t.store}}">{{>record-place}}</td><td data-label="{{t.cashier}}">{{cashier}}</td><td class="n" data-label="{{t.amount}}">{{amount}}</td><td data-label="{{t.state}}"><span class="outcome {{tone}}">{{word}}</span></td><td data-label="{{t.received}}">{{#received}}{{>time}}{{/received}}</td></tr>
        {{/rows}}</tbody></table><a class="csv" href="{{tables}}rows" download>CSV</a>{{/hasRows}}
        {{^hasRows}}<p>{{#isToCome}}{{t.notBegun}}{{/isToCome}}{{^isToCome}}{{t.nothing}}{{/isToCome}}</p>{{/hasRows}}
        {{>record-pager}}
        {{/body}}{{/layout}}
        """

    private static let order = """
        {{<layout}}{{$body}}
        <h1>{{number}} <span class="outcome {{tone}}">{{word}}</span></h1>
        <p>{{>record-place}} · {{t.received}} {{#received}}{{>time}}{{/received}}</p>
        {{#flagged}}<p class="notice warning">{{t.flagged}}{{t.colon}}{{.}}</p>{{/flagged}}
        <dl>{{#facts}}<div><dt>{{name}}</dt><dd>{{value}}</dd></div>{{/facts}}</dl>
        <h2>{{t.lines}}</h2>
        <table><thead><tr><th>{{t.article}}</th><th>{{t.barcode}}</th><th class="n">{{t.quantity}}</th><th class="n">{{t.price}}</th><th class="n">{{t.discounts}}</th><th class="n">{{t.amount}}</th></tr></thead><tbody>
        {{#lines}}<tr><th scope="row" data-label="{{t.article}}">{{name}}{{#offers}} <small>{{.}}</small>{{/offers}}</th><td data-label="{{t.barcode}}">{{barcode}}</td><td class="n" data-label="{{t.quantity}}">{{quantity}}</td><td class="n" data-label="{{t.price}}">{{price}}</td><td class="n" data-label="{{t.discounts}}">{{discount}}</td><td class="n" data-label="{{t.amount}}">{{total}}</td></tr>
        {{/lines}}</tbody></table>
        <h2>{{t.payments}}</h2>
        <table><thead><tr><th>{{t.tender}}</th><th class="n">{{t.amount}}</th><th>{{t.detail}}</th></tr></thead><tbody>
        {{#payments}}<tr><th scope="row" data-label="{{t.tender}}">{{method}}</th><td class="n" data-label="{{t.amount}}">{{amount}}</td><td data-label="{{t.detail}}">{{note}}</td></tr>{{/payments}}</tbody></table>
        {{#hasReversals}}<h2>{{t.cameBack}}</h2><table><thead><tr><th>{{t.type}}</th><th class="n">{{t.amount}}</th><th>{{t.reason}}</th><th>{{t.cashier}}</th><th>{{t.received}}</th><th>{{t.mutation}}</th></tr></thead><tbody>
        {{#reversals}}<tr><th scope="row" data-label="{{t.type}}">{{kind}}</th><td class="n" data-label="{{t.amount}}">{{amount}}</td><td data-label="{{t.reason}}">{{why}}</td><td data-label="{{t.cashier}}">{{cashier}}</td><td data-label="{{t.received}}">{{#received}}{{>time}}{{/received}}</td><td data-label="{{t.mutation}}"><small>{{mutationId}}</small></td></tr>{{/reversals}}</tbody></table>{{/hasReversals}}
        <p><a href="/orders?day={{day}}&amp;store={{storeId}}">{{t.sameDay}}</a></p>
        {{/body}}{{/layout}}
        """
}
