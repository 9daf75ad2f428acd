/// The templates, by name. What is escaped and what is not: `{{{…}}}` takes only plots that this module drew.
enum Templates {
    static let all = [
        "layout": layout, "overview": overview, "services": services, "terminals": terminals,
        "terminal": terminal, "stores": stores, "offline": offline, "overrides": overrides, "log": log,
        "login": login, "sales": sales, "sales-row": salesRow, "override-form": overrideForm,
        "store-page": storePage, "terminal-rows": terminalRows, "waiting": waiting, "time": time,
        "store": store, "stores-away": storesAway, "outage-rows": outageRows,
        "refusal-notice": refusalNotice, "confirmation": confirmation,
    ]

    private static let refusalNotice = """
        {{<layout}}{{$body}}
        <h1>{{heading}}</h1>
        {{/body}}{{/layout}}
        """

    private static let time = """
        <time datetime="{{iso}}" title="{{clock}}">{{ago}}</time>
        """

    private static let store = """
        <a href="/stores/{{storeId}}">{{storeId}}</a>{{#storeName}} <small>{{.}}</small>{{/storeName}}
        """

    private static let storesAway = """
        <h2 id="away"><a href="/stores?away=1">{{t.storesAway}}</a></h2><table><thead><tr><th>{{t.store}}</th><th>{{t.sinceHead}}</th><th>{{t.causes}}</th><th class="n">{{t.outbox}}</th><th class="n">{{t.oldest}}</th><th class="n">{{t.terminals}}</th><th>{{t.telephone}}</th></tr></thead><tbody>
        {{#awayStores}}<tr><th scope="row" data-label="{{t.store}}">{{>store}}</th><td data-label="{{t.sinceHead}}">{{#since}}<time datetime="{{iso}}">{{clock}}</time> <small>{{ago}}</small>{{/since}}</td><td data-label="{{t.causes}}">{{causes}}</td><td class="n" data-label="{{t.outbox}}">{{pending}}</td><td class="n" data-label="{{t.oldest}}">{{oldest}}</td><td class="n" data-label="{{t.terminals}}">{{away}} / {{terminals}}</td><td data-label="{{t.telephone}}">{{#tel}}<a href="{{.}}">{{telephone}}</a>{{/tel}}{{^tel}}{{telephone}}{{/tel}}</td></tr>
        {{/awayStores}}</tbody></table><a class="csv" href="{{tables}}awayStores" download>CSV</a>
        {{#moreAway}}<p><a href="/stores?away=1">{{.}}</a></p>{{/moreAway}}
        """

    private static let layout = """
        <!doctype html>
        <html lang="{{language}}">
        <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{title}} · Holdfast</title>
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/assets/dashboard.css">
        <script src="/assets/dashboard.js" defer></script></head>
        <body>
        <a class="skip" href="#content">{{t.skip}}</a>
        <header><a class="brand" href="/">Holdfast</a>
        <nav class="groups" aria-label="{{t.navigation}}">{{#groups}}<a href="{{path}}"{{#here}} aria-current="true"{{/here}}>{{name}}</a>{{/groups}}</nav>
        <div class="person">{{#others}}<a href="/language/{{key}}" lang="{{key}}" hreflang="{{key}}">{{name}}</a>{{/others}}
        {{#person}}<span>{{who}}</span><form method="post" action="/logout"><input type="hidden" name="csrf" value="{{csrf}}"><button class="quiet">{{t.signOut}}</button></form>{{/person}}</div>
        <nav class="pages" aria-label="{{group}}">{{#pages}}<a href="{{path}}"{{#here}} aria-current="page"{{/here}}>{{name}}</a>{{/pages}}</nav>
        </header>
        <p id="connection" class="notice bad" role="alert" hidden>{{t.disconnected}}</p>
        <main id="content" tabindex="-1">
        {{#away}}<p class="notice bad" role="alert">{{t.storeAway}}{{t.opening}}{{t.since}} {{clock}}{{t.closing}}</p>{{/away}}
        {{#notice}}<p class="notice {{tone}}" role="status">{{text}}</p>{{/notice}}
        {{$body}}{{/body}}
        </main>
        <footer>{{t.figures}} {{#readAt}}<time datetime="{{iso}}">{{clock}}</time>{{/readAt}} · {{t.timesOf}} {{zone}} {{#live}}<span id="live" aria-live="polite" data-updated="{{t.updated}}" data-version="{{version}}"></span>{{/live}}</footer>
        </body>
        </html>
        """

    private static let overview = """
        {{<layout}}{{$body}}
        <h1>{{t.wrongNow}}</h1>
        <div class="troubles">{{#troubles}}<a class="trouble {{level}}" href="{{link}}"><span class="mark" aria-hidden="true">{{mark}}</span><span><strong>{{title}}</strong>{{#detail}}<small>{{detail}}</small>{{/detail}}</span></a>
        {{/troubles}}
        {{^troubles}}<p class="trouble well"><span class="mark" aria-hidden="true">✓</span><strong>{{t.allWell}}</strong></p>{{/troubles}}</div>
        {{#hasAway}}{{>stores-away}}{{/hasAway}}
        <section class="tiles">
        {{#tiles}}<a class="tile" href="{{link}}"><span>{{name}}</span><strong>{{value}}</strong><small>{{note}}</small></a>{{/tiles}}
        </section>
        <h2><a href="/services">{{t.services}}</a></h2>
        <ul class="services">{{#services}}<li><a href="/services#{{key}}"><span class="state {{state}}">{{word}}</span> {{name}}<small>{{note}}</small></a></li>{{/services}}</ul>
        {{/body}}{{/layout}}
        """

    private static let waiting = """
        <div class="notice warning"><p><strong>{{t.waiting}}{{t.colon}}</strong>{{sentence}}<br>{{t.by}} <span data-written>{{by}}{{t.colon}}{{reason}}</span><br>{{t.confirmBy}} {{#expires}}<time datetime="{{iso}}">{{clock}}</time>{{/expires}}</p>
        {{#confirm}}<form method="post" action="/overrides/confirm"><input type="hidden" name="csrf" value="{{csrf}}"><input type="hidden" name="service" value="{{key}}"><input type="hidden" name="id" value="{{id}}"><button>{{t.confirm}}</button></form>{{/confirm}}
        {{#own}}<p>{{t.notOwn}}</p>{{/own}}
        {{#clear}}<form method="post" action="/overrides/clear"><input type="hidden" name="csrf" value="{{csrf}}"><input type="hidden" name="service" value="{{key}}"><input type="hidden" name="id" value="{{id}}"><button class="quiet">{{t.takeBack}}</button></form>{{/clear}}</div>
        """

    private static let overrideForm = """
        <form class="override" method="post" action="/overrides"><input type="hidden" name="csrf" value="{{csrf}}">
        <h2>{{t.setOverride}}</h2>
        <label>{{t.service}}<select name="service" required><option value="">{{t.choose}}</option>{{#names}}<option value="{{key}}">{{name}}</option>{{/names}}</select></label>
        <label>{{t.state}}<select name="state"><option value="faulty">{{faulty}}</option><option value="recovering">{{recovering}}</option><option value="healthy">{{healthy}}</option></select></label>
        <label>{{#chain}}{{t.forStore}}{{/chain}}{{^chain}}{{t.forStoreOnly}}{{/chain}}<input name="storeId" maxlength="32" pattern="[A-Za-z0-9_\\-]*"{{^chain}} required{{/chain}}></label>
        <label>{{t.ends}}<select name="minutes"><option value="15">{{t.min15}}</option><option value="60" selected>{{t.h1}}</option><option value="240">{{t.h4}}</option><option value="1440">{{t.h24}}</option><option value="">{{t.untilCleared}}</option></select></label>
        <label class="wide">{{t.reason}}<input name="reason" maxlength="500" required></label>
        <button>{{t.setOverride}}</button>{{#chain}}<p class="hint">{{t.chainNote}}</p>{{/chain}}</form>
        """

    private static let confirmation = """
        {{<layout}}{{$body}}
        <h1>{{t.setOverride}}</h1>
        <form class="override" method="post" action="/overrides"><input type="hidden" name="csrf" value="{{csrf}}"><input type="hidden" name="confirmed" value="1">
        {{#fields}}<input type="hidden" name="{{name}}" value="{{value}}">{{/fields}}
        <p class="hint"><strong>{{sentence}}</strong><br>{{t.reason}}{{t.colon}}<span data-written>{{why}}</span></p>
        {{#replaced}}<p class="notice warning">{{.}}</p>{{/replaced}}{{#unknownStore}}<p class="notice warning">{{.}}</p>{{/unknownStore}}{{#chain}}<p class="hint">{{t.chainNote}}</p>{{/chain}}
        <button>{{t.setOverride}}</button> <a class="back" href="/overrides">{{t.back}}</a></form>
        {{/body}}{{/layout}}
        """

    private static let services = """
        {{<layout}}{{$body}}
        <h1>{{t.services}}</h1>
        {{#services}}<section class="card" id="{{key}}" aria-labelledby="{{key}}-name">
        <h2 id="{{key}}-name"><span class="state {{state}}">{{word}}</span> {{name}}</h2>
        <p>{{t.source}} {{source}}{{t.comma}}{{age}}{{#reason}} · {{.}}{{/reason}}{{#percent}} · {{.}}{{/percent}}</p>
        {{#waiting}}{{>waiting}}{{/waiting}}
        {{#overrides}}<p class="notice note">{{t.overrideInForce}}{{t.opening}}{{place}}{{t.closing}}{{t.colon}}<span class="state {{state}}">{{word}}</span> {{t.by}} {{by}}{{t.comma}}{{#until}}{{t.until}} <time datetime="{{iso}}">{{clock}}</time>{{/until}}{{^until}}{{t.untilCleared}}{{/until}} · <span data-written>{{reason}}</span></p>{{/overrides}}
        {{{plot}}}
        {{#hasScopes}}<table><caption>{{t.evidence}}</caption><thead><tr><th>{{t.scope}}</th><th>{{t.state}}</th><th>{{t.sinceHead}}</th><th>{{t.reason}}</th><th>{{t.failing}}</th></tr></thead><tbody>
        {{#scopes}}<tr><td data-label="{{t.scope}}">{{place}}</td><td data-label="{{t.state}}"><span class="state {{state}}">{{word}}</span></td><td data-label="{{t.sinceHead}}">{{#since}}{{>time}}{{/since}}</td><td data-label="{{t.reason}}">{{reason}}</td><td data-label="{{t.failing}}">{{#failing}}<a href="/terminals/{{terminalId}}">{{storeId}}</a> {{failed}} {{t.failedOf}} {{all}}<br>{{/failing}}</td></tr>{{/scopes}}</tbody></table>{{/hasScopes}}
        {{#hasHistory}}<details><summary>{{t.history}}</summary><table><thead><tr><th>{{t.when}}</th><th>{{t.scope}}</th><th>{{t.state}}</th><th>{{t.source}}</th><th>{{t.reason}}</th></tr></thead><tbody>
        {{#history}}<tr><td data-label="{{t.when}}">{{#at}}<time datetime="{{iso}}">{{clock}}</time>{{/at}}</td><td data-label="{{t.scope}}">{{place}}</td><td data-label="{{t.state}}"><span class="state {{state}}">{{word}}</span></td><td data-label="{{t.source}}">{{source}}</td><td data-label="{{t.reason}}" data-written>{{reason}}</td></tr>{{/history}}</tbody></table></details>{{/hasHistory}}
        </section>{{/services}}
        {{#form}}{{>override-form}}{{/form}}
        {{/body}}{{/layout}}
        """

    private static let overrides = """
        {{<layout}}{{$body}}
        <h1>{{t.overrides}}</h1>
        {{#waiting}}{{>waiting}}{{/waiting}}
        {{#hasOverrides}}<table><caption>{{t.inForce}}</caption><thead><tr><th>{{t.service}}</th><th>{{t.scope}}</th><th>{{t.state}}</th><th>{{t.who}}</th><th>{{t.end}}</th><th>{{t.reason}}</th><th></th></tr></thead><tbody>
        {{#overrides}}<tr><td data-label="{{t.service}}">{{service}}</td><td data-label="{{t.scope}}">{{place}}</td><td data-label="{{t.state}}"><span class="state {{state}}">{{word}}</span></td><td data-label="{{t.who}}">{{by}}</td><td data-label="{{t.end}}">{{#until}}<time datetime="{{iso}}">{{clock}}</time>{{/until}}{{^until}}{{t.untilCleared}}{{/until}}</td><td data-label="{{t.reason}}" data-written>{{reason}}</td><td>{{#clear}}<form method="post" action="/overrides/clear"><input type="hidden" name="csrf" value="{{csrf}}"><input type="hidden" name="service" value="{{key}}"><input type="hidden" name="storeId" value="{{storeId}}"><input type="hidden" name="seen" value="{{mark}}"><button class="quiet">{{t.takeBack}}</button></form>{{/clear}}</td></tr>{{/overrides}}</tbody></table>{{/hasOverrides}}
        {{^hasOverrides}}<p>{{t.noOverrides}}</p>{{/hasOverrides}}
        {{#form}}{{>override-form}}{{/form}}
        {{/body}}{{/layout}}
        """

    private static let terminals = """
        {{<layout}}{{$body}}
        <h1>{{t.terminals}} <small>{{count}}</small></h1>
        <form class="filter" method="get" action="/terminals" role="search">
        <label>{{t.search}}<input type="search" name="q" value="{{q}}" placeholder="{{t.searchHint}}"></label>
        <label>{{t.filter}}<select name="mode"><option value="">{{t.all}}</option>{{#modes}}<option value="{{key}}"{{#chosen}} selected{{/chosen}}>{{name}}</option>{{/modes}}</select></label>
        <label>{{t.store}}<input name="store" value="{{store}}" maxlength="32"></label>
        <label>{{t.only}}<select name="only"><option value="">{{t.all}}</option>{{#concerns}}<option value="{{key}}"{{#chosen}} selected{{/chosen}}>{{name}}</option>{{/concerns}}</select></label>
        <label>{{t.sort}}<select name="sort">{{#orders}}<option value="{{key}}"{{#chosen}} selected{{/chosen}}>{{name}}</option>{{/orders}}</select></label>
        <button>{{t.apply}}</button></form>
        {{#hasRows}}{{>terminal-rows}}{{/hasRows}}
        {{^hasRows}}<p>{{t.nothing}}</p>{{/hasRows}}
        <p class="pager">{{#previous}}<a rel="prev" href="{{.}}">{{t.previous}}</a>{{/previous}} {{shown}} {{#next}}<a rel="next" href="{{.}}">{{t.next}}</a>{{/next}}</p>
        {{/body}}{{/layout}}
        """

    private static let terminalRows = """
        <table><thead><tr><th>{{t.terminal}}</th><th>{{t.mode}}</th><th>{{t.causes}}</th><th>{{t.sinceHead}}</th><th class="n">{{t.outbox}}</th><th class="n">{{t.oldest}}</th><th class="n">{{t.refused}}</th><th>{{t.version}}</th><th>{{t.contact}}</th></tr></thead><tbody>
        {{#rows}}<tr><th scope="row" data-label="{{t.terminal}}"><a href="/terminals/{{id}}">{{place}}</a>{{#storeName}} <small>{{.}}</small>{{/storeName}}{{#name}} <small>{{.}}</small>{{/name}}{{#unconfirmed}} <small class="state recovering">{{t.unconfirmed}}</small>{{/unconfirmed}}{{#missing}} <small class="state recovering">{{t.missingEntries}}: {{.}}</small>{{/missing}}</th><td data-label="{{t.mode}}"><span class="mode {{mode}}">{{word}}</span></td><td data-label="{{t.causes}}">{{causes}}</td><td data-label="{{t.sinceHead}}">{{#since}}{{>time}}{{/since}}</td><td class="n" data-label="{{t.outbox}}">{{pending}}</td><td class="n" data-label="{{t.oldest}}">{{oldest}}</td><td class="n" data-label="{{t.refused}}">{{refused}}</td><td data-label="{{t.version}}">{{version}}</td><td data-label="{{t.contact}}">{{#contact}}{{>time}}{{/contact}}{{^contact}}{{t.never}}{{/contact}}</td></tr>
        {{/rows}}</tbody></table><a class="csv" href="{{tables}}rows" download>CSV</a>
        """

    private static let storePage = """
        {{<layout}}{{$body}}
        <h1>{{storeId}} <small>{{ownName}}</small>{{#isAway}} <span class="mode offline">{{t.away}}</span>{{/isAway}}</h1>
        <section class="tiles">
        {{#tiles}}<a class="tile" href="{{link}}"><span>{{name}}</span><strong>{{value}}</strong><small>{{note}}</small></a>{{/tiles}}
        </section>
        <dl>{{#facts}}<div><dt>{{name}}</dt><dd>{{#tel}}<a href="{{.}}">{{value}}</a>{{/tel}}{{^tel}}{{value}}{{/tel}}</dd></div>{{/facts}}</dl>
        <h2>{{t.terminals}}</h2>
        {{#hasRows}}{{>terminal-rows}}{{/hasRows}}
        {{^hasRows}}<p>{{t.nothing}}</p>{{/hasRows}}
        <h2>{{t.alarms}}</h2>
        {{#hasAlarms}}<table><thead><tr><th>{{t.alarm}}</th><th>{{t.terminal}}</th><th>{{t.lastTime}}</th><th class="n">{{t.times}}</th><th>{{t.detail}}</th></tr></thead><tbody>
        {{#alarmRows}}<tr><th scope="row" data-label="{{t.alarm}}"><a href="/alarms?store={{storeId}}">{{kind}}</a></th><td data-label="{{t.terminal}}">{{#terminalId}}<a href="/terminals/{{.}}">{{place}}</a>{{/terminalId}}</td><td data-label="{{t.lastTime}}">{{#last}}{{>time}}{{/last}}</td><td class="n" data-label="{{t.times}}">{{count}}</td><td data-label="{{t.detail}}">{{shownDetail}}</td></tr>
        {{/alarmRows}}</tbody></table><a class="csv" href="{{tables}}alarmRows" download>CSV</a>{{/hasAlarms}}
        {{^hasAlarms}}<p>{{t.noAlarms}}</p>{{/hasAlarms}}
        <h2>{{t.offline}}</h2>
        {{#hasPeriods}}{{{plot}}}{{>outage-rows}}{{/hasPeriods}}
        {{^hasPeriods}}<p>{{t.noPeriods}}</p>{{/hasPeriods}}
        <p class="links"><a href="/orders?store={{storeId}}">{{t.orders}}</a> <a href="/shifts?store={{storeId}}">{{t.shifts}}</a> <a href="/debts?store={{storeId}}">{{t.debts}}</a> <a href="/flags?store={{storeId}}">{{t.flags}}</a> <a href="/refused?store={{storeId}}">{{t.refused}}</a></p>
        {{/body}}{{/layout}}
        """

    private static let terminal = """
        {{<layout}}{{$body}}
        <h1>{{place}} <small>{{name}}</small> <span class="mode {{mode}}">{{word}}</span></h1>
        <dl>{{#facts}}<div><dt>{{name}}</dt><dd>{{value}}</dd></div>{{/facts}}</dl>
        <h2>{{t.offline}}</h2>
        {{{plot}}}
        {{#hasPeriods}}<table><thead><tr><th>{{t.began}}</th><th class="n">{{t.length}}</th><th>{{t.causes}}</th></tr></thead><tbody>
        {{#periods}}<tr><td data-label="{{t.began}}">{{#start}}<time datetime="{{iso}}">{{clock}}</time>{{/start}}</td><td class="n" data-label="{{t.length}}">{{length}}</td><td data-label="{{t.causes}}">{{causes}}</td></tr>{{/periods}}</tbody></table><a class="csv" href="{{tables}}periods" download>CSV</a>{{/hasPeriods}}
        {{#hasHandedIn}}<h2>{{t.handedIn}}</h2>
        {{#waitsForPerson}}<p class="notice warning">{{t.acceptHandedIn}}</p>{{/waitsForPerson}}
        <table><thead><tr><th class="n">{{t.epoch}}</th><th>{{t.journalEntries}}</th><th>{{t.state}}</th><th>{{t.by}}</th><th>{{t.when}}</th></tr></thead><tbody>
        {{#handedInRows}}<tr><td class="n" data-label="{{t.epoch}}">{{epoch}}</td><td data-label="{{t.journalEntries}}">{{entries}}</td><td data-label="{{t.state}}">{{#waits}}<span class="state recovering">{{word}}</span>{{/waits}}{{^waits}}{{word}}{{/waits}}</td><td data-label="{{t.by}}"><a href="/terminals/{{byId}}">{{by}}</a></td><td data-label="{{t.when}}">{{#at}}{{>time}}{{/at}}</td></tr>
        {{/handedInRows}}</tbody></table><a class="csv" href="{{tables}}handedInRows" download>CSV</a>{{/hasHandedIn}}
        <p>{{t.store}} {{>store}}</p>
        {{/body}}{{/layout}}
        """

    private static let stores = """
        {{<layout}}{{$body}}
        <h1>{{t.stores}} <small>{{count}}</small></h1>
        <form class="filter" method="get" action="/stores" role="search">
        <label>{{t.search}}<input type="search" name="q" value="{{q}}"></label>
        <label>{{t.filter}}<select name="away"><option value="">{{t.all}}</option><option value="1"{{#onlyAway}} selected{{/onlyAway}}>{{t.offlineOrSilent}}</option></select></label>
        <button>{{t.apply}}</button></form>
        {{#hasRows}}<table><thead><tr><th>{{t.store}}</th><th class="n">{{t.terminals}}</th><th class="n">{{t.away}}</th><th>{{t.sinceHead}}</th><th>{{t.causes}}</th><th class="n">{{t.outbox}}</th><th class="n">{{t.oldest}}</th><th class="n">{{t.refused}}</th><th>{{t.contact}}</th></tr></thead><tbody>
        {{#rows}}<tr><th scope="row" data-label="{{t.store}}">{{>store}}</th><td class="n" data-label="{{t.terminals}}">{{terminals}}</td><td class="n" data-label="{{t.away}}">{{#bad}}<span class="mode offline">{{away}}</span>{{/bad}}{{^bad}}{{away}}{{/bad}}</td><td data-label="{{t.sinceHead}}">{{#since}}{{>time}}{{/since}}</td><td data-label="{{t.causes}}">{{causes}}</td><td class="n" data-label="{{t.outbox}}">{{pending}}</td><td class="n" data-label="{{t.oldest}}">{{oldest}}</td><td class="n" data-label="{{t.refused}}">{{refused}}</td><td data-label="{{t.contact}}">{{#contact}}{{>time}}{{/contact}}{{^contact}}{{t.never}}{{/contact}}</td></tr>
        {{/rows}}</tbody></table><a class="csv" href="{{tables}}rows" download>CSV</a>{{/hasRows}}
        {{^hasRows}}<p>{{t.nothing}}</p>{{/hasRows}}
        <p class="pager">{{#previous}}<a rel="prev" href="{{.}}">{{t.previous}}</a>{{/previous}} {{shown}} {{#next}}<a rel="next" href="{{.}}">{{t.next}}</a>{{/next}}</p>
        {{/body}}{{/layout}}
        """

    private static let offline = """
        {{<layout}}{{$body}}
        <h1>{{t.offline}}</h1>
        <p class="tabs">{{#spans}}<a href="/offline?hours={{hours}}"{{#here}} aria-current="page"{{/here}}>{{name}}</a>{{/spans}}
        <span class="legend"><i class="key network"></i>{{t.legendNetwork}} <i class="key service"></i>{{t.legendService}} <i class="key manual"></i>{{t.legendManual}} <i class="key unknown"></i>{{t.nothingKnown}}</span></p>
        {{{plot}}}
        {{#hasPeriods}}{{>outage-rows}}{{/hasPeriods}}
        {{^hasPeriods}}<p>{{t.noPeriods}}</p>{{/hasPeriods}}
        {{/body}}{{/layout}}
        """

    private static let outageRows = """
        <table><thead><tr><th>{{t.storeOrTerminal}}</th><th class="n">{{t.terminals}}</th><th>{{t.began}}</th><th class="n">{{t.length}}</th><th>{{t.causes}}</th></tr></thead><tbody>
        {{#periods}}<tr><th scope="row" data-label="{{t.storeOrTerminal}}"><a href="{{link}}">{{place}}</a></th><td class="n" data-label="{{t.terminals}}">{{count}}</td><td data-label="{{t.began}}">{{#start}}<time datetime="{{iso}}">{{clock}}</time>{{/start}}</td><td class="n" data-label="{{t.length}}">{{length}}</td><td data-label="{{t.causes}}">{{causes}}</td></tr>{{/periods}}</tbody></table><a class="csv" href="{{tables}}periods" download>CSV</a>
        """

    private static let salesRow = """
        <td class="n" data-label="{{t.saleCount}}">{{orders}}</td><td class="n" data-label="{{t.gross}}">{{gross}}</td><td class="n" data-label="{{t.discounts}}">{{discounts}}</td><td class="n" data-label="{{t.refunds}}">{{refunds}}</td><td class="n" data-label="{{t.net}}"><strong>{{net}}</strong></td><td class="n" data-label="{{t.tax}}">{{tax}}</td><td data-label="{{t.currency}}">{{currency}}</td>
        """

    private static let sales = """
        {{<layout}}{{$body}}
        <h1>{{t.salesOf}} {{days}}</h1>
        {{#hasSeveral}}<p>{{t.ownDays}}</p>{{/hasSeveral}}
        <form class="filter" method="get" action="/sales"><label>{{t.businessDay}}<input type="date" name="day" value="{{day}}"></label><button>{{t.apply}}</button>
        {{#before}}<a rel="prev" href="/sales?day={{.}}">{{.}}</a>{{/before}} {{#after}}<a rel="next" href="/sales?day={{.}}">{{.}}</a>{{/after}}</form>
        {{#hasRows}}<table><caption>{{t.all}}</caption><thead><tr><th class="n">{{t.saleCount}}</th><th class="n">{{t.gross}}</th><th class="n">{{t.discounts}}</th><th class="n">{{t.refunds}}</th><th class="n">{{t.net}}</th><th class="n">{{t.tax}}</th><th>{{t.currency}}</th></tr></thead><tbody>
        {{#total}}<tr>{{>sales-row}}</tr>{{/total}}</tbody></table><a class="csv" href="{{tables}}total" download>CSV</a>
        {{#lists}}<h2>{{title}}</h2><table><thead><tr><th>{{head}}</th><th class="n">{{t.saleCount}}</th><th class="n">{{t.gross}}</th><th class="n">{{t.discounts}}</th><th class="n">{{t.refunds}}</th><th class="n">{{t.net}}</th><th class="n">{{t.tax}}</th><th>{{t.currency}}</th></tr></thead><tbody>
        {{#rows}}<tr><th scope="row" data-label="{{head}}">{{#link}}<a href="{{.}}">{{key}}</a>{{/link}}{{^link}}{{key}}{{/link}}{{#storeName}} <small>{{.}}</small>{{/storeName}}</th>{{>sales-row}}</tr>{{/rows}}</tbody></table><a class="csv" href="{{tables}}{{list}}" download>CSV</a>{{/lists}}{{/hasRows}}
        {{^hasRows}}<p>{{nothing}}</p>{{/hasRows}}
        <p><a href="/orders?day={{#hasSeveral}}own{{/hasSeveral}}{{^hasSeveral}}{{day}}{{/hasSeveral}}">{{t.ordersOf}}</a></p>
        {{/body}}{{/layout}}
        """

    private static let log = """
        {{<layout}}{{$body}}
        <h1>{{heading}}</h1>
        {{#brokenAt}}<p class="notice bad" role="alert">{{t.broken}} {{.}}</p>{{/brokenAt}}
        {{^brokenAt}}<p>{{t.intact}}</p>{{/brokenAt}}
        <table><thead><tr><th>{{t.when}}</th><th>{{t.who}}</th><th>{{t.what}}</th><th>{{t.subject}}</th><th>{{t.outcome}}</th><th>{{t.detail}}</th></tr></thead><tbody>
        {{#entries}}<tr><td data-label="{{t.when}}">{{#at}}<time datetime="{{iso}}">{{clock}}</time>{{/at}}</td><td data-label="{{t.who}}">{{who}}</td><td data-label="{{t.what}}">{{what}}</td><td data-label="{{t.subject}}">{{subject}}</td><td data-label="{{t.outcome}}"><span class="outcome {{tone}}">{{outcome}}</span></td><td data-label="{{t.detail}}" data-written>{{shownDetail}}</td></tr>{{/entries}}</tbody></table><a class="csv" href="{{tables}}entries" download>CSV</a>
        {{/body}}{{/layout}}
        """

    private static let login = """
        <!doctype html>
        <html lang="{{language}}">
        <head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
        <title>{{t.signIn}} · Holdfast</title><link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/assets/dashboard.css"></head>
        <body class="login"><main>
        <p class="brand">Holdfast</p><h1>{{t.signIn}}</h1>
        {{#refusal}}<p class="notice bad" role="alert">{{.}}</p>{{/refusal}}
        <form method="post" action="/login"><label>{{t.name}}<input name="name" autocomplete="username" required></label>
        <label>{{t.password}}<input name="password" type="password" autocomplete="current-password" required></label><button>{{t.signIn}}</button></form>
        <details><summary>{{t.firstTime}}</summary><form method="post" action="/login"><label>{{t.name}}<input name="name" autocomplete="username" required></label>
        <label>{{t.loginCode}}<input name="loginCode" autocomplete="one-time-code" required></label>
        <label>{{t.newPassword}}<input name="newPassword" type="password" autocomplete="new-password" minlength="10" required></label><button>{{t.setPassword}}</button></form></details>
        <details><summary>{{t.withToken}}</summary><form method="post" action="/login"><label>{{t.token}}<input name="token" type="password" autocomplete="off" required></label><button>{{t.signIn}}</button></form></details>
        <p>{{#others}}<a href="/language/{{key}}" lang="{{key}}">{{name}}</a>{{/others}}</p>
        </main></body></html>
        """
}
