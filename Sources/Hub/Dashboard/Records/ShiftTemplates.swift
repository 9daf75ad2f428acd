/// The templates of shifts and debts. Everything in them is escaped.
enum ShiftTemplates {
    static let all = [
        "shifts": shifts, "shift": shift, "debts": debts, "shift-drawer": drawer,
        "shift-statements": statements, "shift-debts": debtsOfShift,
        "shift-card-machine": cardMachine,
    ]

    private static let shifts = """
        {{<layout}}{{$body}}
        <h1>{{heading}}</h1>
        <form class="filter" method="get" action="/shifts" role="search">
        <label>{{t.state}}<select name="state"><option value="">{{t.all}}</option>{{#states}}<option value="{{key}}"{{#chosen}} selected{{/chosen}}>{{name}}</option>{{/states}}</select></label>
        <label>{{t.businessDay}}<input type="date" name="day" value="{{dayName}}"></label>
        <label>{{t.store}}<input name="store" value="{{store}}" maxlength="32"></label><button>{{t.apply}}</button></form>
        {{#hasRows}}<table><thead><tr><th>{{t.shift}}</th><th>{{t.store}}</th><th>{{t.opened}}</th><th>{{t.closed}}</th><th>{{t.state}}</th><th class="n">{{t.expected}}</th><th class="n">{{t.counted}}</th><th class="n">{{t.difference}}</th><th class="n">{{t.debtsOpen}}</th></tr></thead><tbody>
        {{#rows}}<tr><th scope="row" data-label="{{t.shift}}"><a href="/shifts/{{id}}">{{day}}</a></th><td data-label="{{t.store}}">{{>record-place}}</td><td data-label="{{t.opened}}">{{#opened}}<time datetime="{{iso}}">{{clock}}</time>{{/opened}} <small>{{openedBy}}</small></td><td data-label="{{t.closed}}">{{#closed}}<time datetime="{{iso}}">{{clock}}</time>{{/closed}} <small>{{closedBy}}</small></td><td data-label="{{t.state}}"><span class="outcome {{tone}}">{{word}}</span></td><td class="n" data-label="{{t.expected}}">{{expected}} <small>{{currency}}</small></td><td class="n" data-label="{{t.counted}}">{{counted}}</td><td class="n" data-label="{{t.difference}}">{{difference}}</td><td class="n" data-label="{{t.debtsOpen}}">{{debtTotal}}</td></tr>
        {{/rows}}</tbody></table><a class="csv" href="{{tables}}rows" download>CSV</a>{{/hasRows}}
        {{^hasRows}}<p>{{#isToCome}}{{t.notBegun}}{{/isToCome}}{{^isToCome}}{{t.noShifts}}{{/isToCome}}</p>{{/hasRows}}
        {{>record-pager}}
        {{/body}}{{/layout}}
        """

    private static let shift = """
        {{<layout}}{{$body}}
        <h1>{{t.shift}} {{day}} <span class="outcome {{tone}}">{{word}}</span></h1>
        <p>{{>record-place}} · <small>{{id}}</small></p>
        {{#isDisputed}}<p class="notice warning">{{t.disputedMeans}}</p>{{/isDisputed}}
        <dl>{{#facts}}<div><dt>{{name}}</dt><dd>{{value}}</dd></div>{{/facts}}</dl>
        {{^isClosed}}<p>{{t.notClosed}}</p>{{/isClosed}}
        {{#isDisputed}}<h2>{{t.differences}}</h2><table><thead><tr><th>{{t.figure}}</th><th class="n">{{t.ofTerminal}}</th><th class="n">{{t.ofHub}}</th></tr></thead><tbody>
        {{#differences}}<tr><th scope="row" data-label="{{t.figure}}">{{figure}}</th><td class="n" data-label="{{t.ofTerminal}}">{{terminal}}</td><td class="n" data-label="{{t.ofHub}}">{{hub}}</td></tr>{{/differences}}</tbody></table>{{/isDisputed}}
        {{#isClosed}}{{>shift-drawer}}{{/isClosed}}
        {{#cardMachine}}{{>shift-card-machine}}{{/cardMachine}}
        {{>shift-statements}}
        {{#hasDebts}}{{>shift-debts}}{{/hasDebts}}
        <p><a href="/shifts?store={{storeId}}">{{t.allShifts}}{{t.colon}}{{storeId}}</a></p>
        {{/body}}{{/layout}}
        """

    private static let drawer = """
        <h2>{{t.drawer}}</h2>
        <dl>{{#drawer}}<div><dt>{{name}}</dt><dd>{{value}}</dd></div>{{/drawer}}</dl>
        <h2>{{t.byTender}}</h2><table><thead><tr><th>{{t.tender}}</th><th class="n">{{t.count}}</th><th class="n">{{t.amount}}</th><th class="n">{{t.counted}}</th><th class="n">{{t.difference}}</th></tr></thead><tbody>
        {{#tenders}}<tr><th scope="row" data-label="{{t.tender}}">{{method}}</th><td class="n" data-label="{{t.count}}">{{count}}</td><td class="n" data-label="{{t.amount}}">{{amount}}</td><td class="n" data-label="{{t.counted}}">{{counted}}</td><td class="n" data-label="{{t.difference}}">{{difference}}</td></tr>{{/tenders}}</tbody></table>
        {{#hasTaxes}}<h2>{{t.byTax}}</h2><table><thead><tr><th>{{t.rate}}</th><th class="n">{{t.taxable}}</th><th class="n">{{t.taxAmount}}</th></tr></thead><tbody>
        {{#taxes}}<tr><th scope="row" data-label="{{t.rate}}">{{rate}} %</th><td class="n" data-label="{{t.taxable}}">{{paid}}</td><td class="n" data-label="{{t.taxAmount}}">{{tax}}</td></tr>{{/taxes}}</tbody></table>{{/hasTaxes}}
        """

    private static let statements = """
        {{#isClosed}}<h2>{{t.statements}}</h2>
        {{#hasStatements}}<table><thead><tr><th>{{t.epoch}}</th><th>{{t.detail}}</th><th>{{t.key}}</th><th>{{t.issued}}</th></tr></thead><tbody>
        {{#statements}}<tr><th scope="row" data-label="{{t.epoch}}">{{epoch}}</th><td data-label="{{t.detail}}">{{text}}</td><td data-label="{{t.key}}">{{keyId}}</td><td data-label="{{t.issued}}">{{#issued}}<time datetime="{{iso}}">{{clock}}</time>{{/issued}}</td></tr>{{/statements}}</tbody></table>{{/hasStatements}}
        {{^hasStatements}}<p>{{t.noStatements}}</p>{{/hasStatements}}{{/isClosed}}
        """

    private static let cardMachine = """
        <h2>{{t.cardMachine}}</h2><p>{{t.cardMachineAre}}</p>
        {{#hasDays}}<table><thead><tr><th>{{t.businessDay}}</th><th class="n">{{t.ofMachine}}</th><th class="n">{{t.ofTerminal}}</th><th class="n">{{t.difference}}</th></tr></thead><tbody>
        {{#days}}<tr><th scope="row" data-label="{{t.businessDay}}">{{day}} <small>{{machineId}}</small></th><td class="n" data-label="{{t.ofMachine}}">{{machine}}</td><td class="n" data-label="{{t.ofTerminal}}">{{till}}</td><td class="n" data-label="{{t.difference}}"><span class="outcome {{tone}}">{{difference}}</span></td></tr>{{/days}}</tbody></table>{{/hasDays}}
        {{#hasDecisions}}<table><thead><tr><th>{{t.state}}</th><th class="n">{{t.amount}}</th><th>{{t.reason}}</th><th>{{t.decidedBy}}</th></tr></thead><tbody>
        {{#decisions}}<tr><th scope="row" data-label="{{t.state}}">{{word}} <small>{{key}}</small></th><td class="n" data-label="{{t.amount}}">{{amount}}</td><td data-label="{{t.reason}}">{{why}}</td><td data-label="{{t.decidedBy}}">{{person}}</td></tr>{{/decisions}}</tbody></table>{{/hasDecisions}}
        """

    private static let debtsOfShift = """
        <h2>{{t.debts}}</h2><p>{{t.debtsAre}}</p><table><thead><tr><th>{{t.order}}</th><th class="n">{{t.amount}}</th><th>{{t.reason}}</th><th>{{t.refusedAt}}</th><th>{{t.state}}</th></tr></thead><tbody>
        {{#debts}}<tr><th scope="row" data-label="{{t.order}}"><a href="/orders/{{orderId}}">{{number}}</a></th><td class="n" data-label="{{t.amount}}">{{amount}}</td><td data-label="{{t.reason}}">{{why}}</td><td data-label="{{t.refusedAt}}">{{#refused}}{{>time}}{{/refused}}</td><td data-label="{{t.state}}"><span class="outcome {{tone}}">{{word}}</span></td></tr>{{/debts}}</tbody></table>
        <p>{{t.debtsOpen}}{{t.colon}}<strong>{{debtTotal}}</strong> · <a href="/debts?store={{storeId}}">{{t.allDebts}}{{t.colon}}{{storeId}}</a></p>
        """

    private static let debts = """
        {{<layout}}{{$body}}
        <h1>{{heading}}</h1>
        <p>{{t.debtsAre}}</p>
        {{>record-filter}}
        {{#hasSums}}<h2>{{t.openByStore}}</h2><table><thead><tr><th>{{t.store}}</th><th class="n">{{t.count}}</th><th class="n">{{t.debtsOpen}}</th></tr></thead><tbody>
        {{#sums}}<tr><th scope="row" data-label="{{t.store}}"><a href="/debts?store={{storeId}}">{{storeId}}</a>{{#storeName}} <small>{{.}}</small>{{/storeName}}</th><td class="n" data-label="{{t.count}}">{{count}}</td><td class="n" data-label="{{t.debtsOpen}}">{{amount}}</td></tr>{{/sums}}</tbody></table><a class="csv" href="{{tables}}sums" download>CSV</a>{{/hasSums}}
        {{#hasRows}}<h2>{{heading}}</h2><table><thead><tr><th>{{t.order}}</th><th>{{t.store}}</th><th class="n">{{t.amount}}</th><th>{{t.taken}}</th><th>{{t.refusedAt}}</th><th>{{t.reason}}</th><th>{{t.state}}</th></tr></thead><tbody>
        {{#rows}}<tr><th scope="row" data-label="{{t.order}}"><a href="/orders/{{orderId}}">{{number}}</a>{{#shiftId}} <small><a href="/shifts/{{.}}">{{t.shift}}</a></small>{{/shiftId}}</th><td data-label="{{t.store}}">{{>record-place}}</td><td class="n" data-label="{{t.amount}}">{{amount}}</td><td data-label="{{t.taken}}">{{#taken}}<time datetime="{{iso}}">{{clock}}</time>{{/taken}}</td><td data-label="{{t.refusedAt}}">{{#refused}}<time datetime="{{iso}}">{{clock}}</time>{{/refused}}</td><td data-label="{{t.reason}}">{{why}}</td><td data-label="{{t.state}}">{{#open}}<span class="outcome warning">{{t.openOne}}</span>{{/open}}{{^open}}<span class="outcome good">{{t.settled}}</span> {{by}}{{t.colon}}{{note}}{{/open}}
        {{#form}}<form class="act" method="post" action="/debts/settle"><input type="hidden" name="csrf" value="{{csrf}}"><input type="hidden" name="id" value="{{id}}"><label>{{t.settleNote}}<input name="reason" maxlength="500" required></label><button class="quiet">{{t.settle}}</button></form>{{/form}}</td></tr>
        {{/rows}}</tbody></table><a class="csv" href="{{tables}}rows" download>CSV</a>{{/hasRows}}
        {{^hasRows}}<p>{{t.noDebts}}</p>{{/hasRows}}
        {{>record-pager}}
        {{/body}}{{/layout}}
        """
}
