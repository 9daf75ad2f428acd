"""Walks through the operators' pages in a real browser, by the W3C WebDriver protocol.

Usage: dashboard.py URL FACTS [--write] [--all FOLDER]. The pictures of the manual are compared by what their pages consist of, as
docs/pictures/dashboard.json has it; --write takes them anew. --all: a folder for those of every page, width, theme and language.
FACTS is JSON: {"kim": {"loginCode"}, "lee": {"token"}, "vic": {"token"},
"terminals": 10000, "hub": ["pos-hub", …, "--store", …]}. The process `chromedriver` is started on a free port; exit 0
when everything held, else 1 with one line for each thing that did not.
"""
import argparse
import base64
import hashlib
import json
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

PAGES = ["/", "/services", "/stores", "/terminals", "/offline", "/sales", "/orders", "/shifts", "/debts", "/alarms", "/flags",
         "/refused", "/overrides", "/log"]
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs/pictures"


class Browser:
    def __init__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        self.driver = subprocess.Popen(
            ["chromedriver", f"--port={port}", "--silent"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: self.call("GET", "/status")["ready"], "chromedriver does not start")
        options = {"binary": "/usr/bin/chromium", "args": [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]}
        capabilities = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.session = "/session/" + session["sessionId"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.base + path, method=method, data=data, headers={"Content-Type": "application/json"})
        try:
            return json.load(urllib.request.urlopen(request, timeout=60))["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"].splitlines()[0]) from None
        except OSError as error:
            raise AssertionError(str(error)) from None

    def on(self, method, path, body=None):
        return self.call(method, self.session + path, body)

    def open(self, url):
        self.on("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        return self.on("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def find(self, selector):
        found = self.on("POST", "/element", {"using": "css selector", "value": selector})
        return "/element/" + next(iter(found.values()))

    def click(self, selector):
        # An update may replace what was found just now.
        def clicked():
            self.on("POST", self.find(selector) + "/click", {})
            return True
        until(clicked, f"{selector} cannot be clicked")

    def type(self, selector, text):
        def typed():
            place = self.find(selector)
            self.on("POST", place + "/clear", {})
            self.on("POST", place + "/value", {"text": text})
            return True
        until(typed, f"{selector} cannot be written")

    def press(self, key):
        keys = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.on("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": keys}]})

    def text(self):
        return self.run("return document.body.innerText")

    def shape(self, width, theme, height=900):
        self.on("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}})
        self.on("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
            "features": [{"name": "prefers-color-scheme", "value": theme}]}})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.on("GET", "/screenshot")))

    def complaints(self):
        return [entry["message"] for entry in self.on("POST", "/se/log", {"type": "browser"})
                if entry["level"] == "SEVERE"]

    def end(self):
        try:
            self.on("DELETE", "")
        except AssertionError:
            pass
        self.driver.terminate()
        self.driver.wait()


def until(condition, failure, seconds=30):
    end = time.monotonic() + seconds
    while True:
        try:
            if condition():
                return
        except AssertionError:
            pass
        assert time.monotonic() < end, failure
        # Between two looks at a condition of the browser, which reports none by itself.
        time.sleep(0.05)


# What a screen reader and a keyboard need of a page; the list of what is missing.
ACCESSIBLE = """
const missing = [];
if (!document.documentElement.lang) missing.push('lang');
if (!document.title) missing.push('title');
if (document.querySelectorAll('h1').length !== 1) missing.push('one h1');
if (!document.querySelector('main')) missing.push('main');
for (const field of document.querySelectorAll('input:not([type=hidden]),select'))
  if (!field.labels.length) missing.push('label of ' + field.name);
for (const button of document.querySelectorAll('button,a'))
  if (!button.textContent.trim()) missing.push('name of ' + button.outerHTML);
for (const drawing of document.querySelectorAll('main svg'))
  if (!drawing.getAttribute('aria-label')) missing.push('name of a drawing');
const ids = [...document.querySelectorAll('[id]')].map(part => part.id);
if (new Set(ids).size !== ids.length) missing.push('unique ids');
// Contrast of text (WCAG 2.2, 1.4.3): at least 4.5.
const channel = value => { value /= 255; return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4; };
const light = color => { const [r, g, b] = color.match(/[\\d.]+/g).map(Number); return 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b); };
const ground = part => { for (; part; part = part.parentElement) { const color = getComputedStyle(part).backgroundColor; if (color !== 'rgba(0, 0, 0, 0)') return color; } return 'rgb(255, 255, 255)'; };
for (const part of document.querySelectorAll('main *, header *, footer *')) {
  if (![...part.childNodes].some(node => node.nodeType === 3 && node.data.trim()) || part.closest('svg')) continue;
  const [one, other] = [light(getComputedStyle(part).color), light(ground(part))].sort((a, b) => b - a);
  if ((one + 0.05) / (other + 0.05) < 4.5) missing.push('contrast of ' + part.outerHTML.slice(0, 80));
}
return missing;
"""


# Three English words in a row on a Chinese page: what people and terminals wrote is left out.
FOREIGN = """
const found = [];
for (const part of document.querySelectorAll('main *, header *, footer *')) {
  if (part.closest('pre, [data-written]')) continue;
  for (const node of part.childNodes)
    // The technical detail stands behind the sentence.
    if (node.nodeType === 3 && /[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}/.test(node.data.replace(/（[^（]*）/g, ''))) found.push(node.data.trim().slice(0, 120));
}
return found;
"""


# What a page consists of, apart from its data: what has changed here has changed the picture.
OUTLINE = """
return [...document.querySelectorAll('header a, header button, main h1, main h2, main h3, main thead th, main dt, main label, main summary, main legend, main button')]
  .map(part => part.tagName.toLowerCase() + ' ' + part.textContent.trim().replace(/\\s+/g, ' ').replace(/\\b(?=\\w*\\d)[\\w:.-]+/g, '#'));
"""
STYLE = """
return [...document.querySelectorAll('link[rel=stylesheet], style')].map(part => {
  if (!part.href) return part.textContent;
  const request = new XMLHttpRequest(); request.open('GET', part.href, false); request.send(); return request.responseText;
}).join();
"""


class Pictures:
    """The pictures of the manual, each beside what its page consists of; and every other one for whoever looks at them."""

    def __init__(self, is_writing, folder):
        self.is_writing, self.folder = is_writing, folder
        self.recorded = json.loads((FOLDER / "dashboard.json").read_text())
        self.seen = {}

    def take(self, browser, name, width, theme="light", language="en"):
        if self.folder:
            browser.picture(f"{self.folder}/{name}-{width}-{theme}-{language}.png")
        file = f"{name}-{width}.png"
        if file in self.recorded and language == "en" and (width, theme) in [(1280, "light"), (390, "dark")]:
            style = hashlib.sha256(browser.run(STYLE).encode()).hexdigest()[:16]
            self.seen[file] = {"style": style, "page": browser.run(OUTLINE)}
            if self.is_writing:
                browser.picture(FOLDER / file)

    def end(self):
        if self.is_writing:
            (FOLDER / "dashboard.json").write_text(json.dumps(self.seen, indent=1, ensure_ascii=False) + "\n")
        for file, recorded in self.recorded.items():
            assert file in self.seen, f"{file} was not taken"
            assert self.is_writing or self.seen[file] == recorded, (
                f"docs/pictures/{file} is out of date: make pictures; {difference(recorded, self.seen[file])}")


def difference(recorded, seen):
    gone = [part for part in recorded.get("page", []) if part not in seen["page"]]
    new = [part for part in seen["page"] if part not in recorded.get("page", [])]
    style = "" if recorded.get("style") == seen["style"] else ", another style sheet"
    return f"gone: {gone}, new: {new}{style}"


def sign_in(browser, url, fields, summary=None):
    browser.open(url + "/login")
    if summary:
        browser.click(f"details:nth-of-type({summary}) summary")
    form = f"details:nth-of-type({summary}) form" if summary else "main > form"
    for name, value in fields.items():
        browser.type(f"{form} [name={name}]", value)
    browser.click(f"{form} button")
    until(lambda: browser.run("return location.pathname") == "/", f"no sign-in: {browser.text()[:200]}")


def sign_out(browser):
    browser.click("header form button")
    until(lambda: browser.run("return location.pathname") == "/login", "no sign-out")


def shown(browser, text, seconds=30):
    until(lambda: text in browser.text(), f"'{text}' is not shown on {browser.run('return location.pathname')}: "
          f"{browser.text()[:400]}", seconds)


def every_page(browser, url, pictures, language):
    for path in PAGES:
        for width, theme in [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]:
            browser.shape(width, theme)
            browser.open(url + path)
            missing = browser.run(ACCESSIBLE)
            assert not missing, f"{path} {width} {theme}: {missing[:5]}"
            wide, room = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
            assert wide <= room, f"{path} is {wide} wide at {width}"
            here = browser.run("return document.querySelector('nav [aria-current=page]').getAttribute('href')")
            assert here == path, f"{here} is current on {path}"
            foreign = browser.run(
                "return performance.getEntriesByType('resource').map(r => r.name).filter(n => !n.startsWith(location.origin))")
            assert not foreign, f"{path} loads {foreign}"
            if language == "zh":
                foreign = browser.run(FOREIGN)
                assert not foreign, f"{path} has sentences of another language: {foreign[:5]}"
            pictures.take(browser, f"dashboard-{path.strip('/') or 'overview'}", width, theme, language)
    browser.shape(1280, "light")


def store(browser, url, pictures):
    browser.open(url + "/")
    browser.click("tbody th[data-label=Store] a")
    shown(browser, "S017-100")
    looked(browser, "a store", pictures, "dashboard-store")
    browser.open(url + "/stores?away=1")
    address = browser.run("return document.querySelector('a.csv').getAttribute('href')")
    text = browser.run("const request = new XMLHttpRequest(); request.open('GET', arguments[0], false); request.send(); "
                       "return request.responseText", address)
    assert "S017,,100,100," in text, f"{address}: {text[:300]}"


def search(browser, url, count):
    browser.open(url + "/terminals")
    # Two tills traded beside them.
    grouped = f"{count + 2:,}".replace(",", "\u202f")
    shown(browser, grouped)
    rows = "return document.querySelectorAll('tbody tr').length"
    assert browser.run(rows) == 100, "a page has 100 rows"
    browser.click("a[rel=next]")
    until(lambda: "101–200" in browser.text(), "the next page")
    browser.type("[name=q]", "s042 -100")
    browser.click(".filter button")
    until(lambda: browser.run(rows) == 1, f"search finds one: {browser.run(rows)}")
    browser.click("tbody a")
    shown(browser, "S042-100")
    browser.open(url + "/terminals?mode=offline&sort=outbox")
    words = browser.run("return [...document.querySelectorAll('tbody .mode')].map(part => part.textContent)")
    assert words and set(words) == {"offline"}, f"the filter shows {set(words)}"


def keyboard(browser, url):
    browser.open(url + "/")
    browser.press("\ue004")
    assert browser.run("return document.activeElement.className") == "skip", "the first stop is the skip link"
    browser.press("\ue007")
    assert browser.run("return document.activeElement.id") == "content", "the skip link leads to the content"
    browser.press("\ue004")
    assert browser.run("return document.querySelector('main').contains(document.activeElement)"), "the next stop is inside"


def choose(browser, field, value):
    browser.run(f"document.querySelector('form.override [name={field}]').value = '{value}'")


def overrides(browser, url, facts, pictures):
    browser.open(url + "/overrides")
    assert browser.run("return document.querySelector('form.override [name=service]').value") == "", "a chosen service"
    choose(browser, "service", "order")
    browser.type("form.override [name=reason]", "maintenance <b>tonight</b>")
    browser.click("form.override button")
    # In words, before anything is set.
    shown(browser, "The service order becomes faulty for all stores, until 20")
    shown(browser, "maintenance <b>tonight</b>")
    assert not browser.run("return document.getElementById('live')"), "the confirmation would be loaded anew"
    looked(browser, "a confirmation", pictures, "dashboard-confirmation", reload=False)
    browser.click("form.override button")
    shown(browser, "Waits for a second operator")
    shown(browser, "The service order becomes faulty for all stores, until 20")
    shown(browser, "maintenance <b>tonight</b>")
    shown(browser, "Another operator has to confirm this.")
    assert not browser.run("return document.querySelector('form[action=\"/overrides/confirm\"]')"), "own proposal"
    sign_out(browser)
    sign_in(browser, url, {"token": facts["lee"]["token"]}, summary=2)
    shown(browser, "waits for a second operator")
    browser.open(url + "/overrides")
    browser.click("form[action='/overrides/confirm'] button")
    shown(browser, "In force")
    shown(browser, "kim, lee")
    choose(browser, "service", "order")
    browser.type("form.override [name=storeId]", "S001")
    browser.type("form.override [name=reason]", "one store")
    browser.click("form.override button")
    shown(browser, "The service order becomes faulty for store S001, until 20")
    assert "No terminal is of a store" not in browser.text(), "a known store"
    browser.click("form.override button")
    shown(browser, "In force")
    shown(browser, "store S001")
    browser.click("form[action='/overrides/clear'] button")
    until(lambda: "store S001" not in browser.text(), "the store's override is not taken back")
    sign_out(browser)
    sign_in(browser, url, {"token": facts["vic"]["token"]}, summary=2)
    browser.open(url + "/overrides")
    shown(browser, "kim, lee")
    forms = browser.run("return document.querySelectorAll('main form').length")
    assert forms == 0, "a viewer has forms"
    sign_out(browser)


def live(browser, url, facts):
    browser.open(url + "/")
    browser.run("window.mark = 1; document.querySelector('main').focus()")
    subprocess.run(facts["hub"][:1] + ["qos", "set", "payment", "faulty", "--reason", "seen live"] + facts["hub"][1:],
                   check=True, stdout=subprocess.DEVNULL)
    shown(browser, "seen live")
    assert browser.run("return window.mark") == 1, "the page was loaded as a whole"
    shown(browser, "Updated")
    browser.open(url + "/overrides")
    browser.type("form.override [name=reason]", "half writ")
    browser.run("delete document.getElementById('live').dataset.pending")
    subprocess.run(facts["hub"][:1] + ["qos", "clear", "payment"] + facts["hub"][1:], check=True, stdout=subprocess.DEVNULL)
    until(lambda: browser.run("return document.getElementById('live').dataset.pending === ''"),
          "the change did not reach the page")
    kept = browser.run("return document.querySelector('form.override [name=reason]').value")
    assert kept == "half writ", f"an update takes what a person writes: {kept}"
    # A choice counts as written, too, once its list has lost the focus.
    browser.open(url + "/overrides")
    choose(browser, "service", "payment")
    browser.run("document.activeElement.blur(); delete document.getElementById('live').dataset.pending")
    subprocess.run(facts["hub"][:1] + ["qos", "set", "payment", "faulty", "--reason", "once more"] + facts["hub"][1:],
                   check=True, stdout=subprocess.DEVNULL)
    until(lambda: browser.run("return document.getElementById('live').dataset.pending === ''"),
          "the change did not reach the page")
    kept = browser.run("return document.querySelector('form.override [name=service]').value")
    assert kept == "payment", f"an update takes what a person chose: {kept}"
    subprocess.run(facts["hub"][:1] + ["qos", "clear", "payment"] + facts["hub"][1:], check=True, stdout=subprocess.DEVNULL)


def records(browser, url, pictures):
    browser.open(url + "/")
    for text in ["Open alarms: 1", "Refused mutations to resolve: 1", "Journals with missing entries: 1"]:
        shown(browser, text)
    browser.open(url + "/orders")
    shown(browser, "S900-1-")
    browser.type("form[action='/orders/find'] [name=q]", browser.run("return document.querySelector('tbody a').textContent"))
    browser.click("form[action='/orders/find'] button")
    shown(browser, "Payments")
    browser.open(url + "/flags")
    browser.click("tbody td[data-label=Order] a")
    shown(browser, "Flagged")
    pictures.take(browser, "dashboard-order", 1280)
    browser.open(url + "/alarms")
    browser.type("form.act [name=note]", "the till was restored")
    browser.click("form.act button")
    shown(browser, "The alarm is acknowledged.")
    shown(browser, "No alarm is open.")
    browser.open(url + "/alarms?state=all")
    shown(browser, "kim: the till was restored")
    browser.open(url + "/refused")
    browser.click("tbody a")
    shown(browser, "What the terminal sent")
    for width, theme in [(390, "dark"), (1280, "light")]:
        browser.shape(width, theme)
        # Loaded anew: a colour that changes on an open page takes a moment.
        browser.open(browser.run("return location.href"))
        missing = browser.run(ACCESSIBLE)
        assert not missing, f"a refused mutation {width} {theme}: {missing[:5]}"
    pictures.take(browser, "dashboard-refusal", 1280)
    browser.type("form.override [name=reason]", "no sale at all")
    browser.run("document.querySelector('form.override [name=keep]').value = 'server'")
    browser.click("form.override button")
    shown(browser, "Resolved by kim")
    browser.open(url + "/refused")
    shown(browser, "Nothing refused is open.")


def money(browser, url, pictures):
    browser.open(url + "/")
    for text in ["Disputed shifts: 1", "Cards taken offline and refused: 1"]:
        shown(browser, text)
    browser.click("a[href='/shifts?state=disputed']")
    shown(browser, "disputed")
    rows = "return document.querySelectorAll('tbody tr').length"
    assert browser.run(rows) == 1, f"the filter shows {browser.run(rows)} shifts"
    browser.run("document.querySelector('form.filter [name=state]').value = ''")
    browser.click("form.filter button")
    until(lambda: browser.run(rows) == 2, "both shifts are listed")
    browser.open(url + "/shifts?state=disputed")
    browser.click("tbody a")
    shown(browser, "What differs")
    for text in ["Paid by cash", "gap 0", "By tender", "By tax", "Debts open"]:
        shown(browser, text)
    looked(browser, "a shift", pictures, "dashboard-shift")
    browser.click("tbody th[data-label=Order] a")
    shown(browser, "Payments")
    browser.open(url + "/debts")
    shown(browser, "stolen card")
    looked(browser, "debts", pictures, "dashboard-debts-open")
    browser.type("form.act [name=reason]", "paid in cash")
    browser.click("form.act button")
    shown(browser, "The debt is settled.")
    shown(browser, "No debt is open.")
    browser.open(url + "/debts?state=all")
    shown(browser, "kim: paid in cash")
    browser.open(url + "/")
    until(lambda: "Cards taken offline and refused" not in browser.text(), "the overview forgets a settled debt")


def looked(browser, what, pictures, name, reload=True):
    for width, theme in [(390, "light"), (390, "dark"), (1280, "dark"), (1280, "light")]:
        browser.shape(width, theme)
        # Loaded anew: a colour that changes on an open page takes a moment.
        if reload:
            browser.open(browser.run("return location.href"))
        missing = browser.run(ACCESSIBLE)
        assert not missing or not reload and "contrast" in missing[0], f"{what} {width} {theme}: {missing[:5]}"
        wide, room = browser.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide <= room, f"{what} is {wide} wide at {width}"
        pictures.take(browser, name, width, theme)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("facts", type=json.loads)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--all")
    given = parser.parse_args()
    url, facts, pictures = given.url, given.facts, Pictures(given.write, given.all)
    browser = Browser()
    try:
        browser.shape(1280, "light")
        browser.open(url + "/terminals")
        assert browser.run("return location.pathname") == "/login", "no session, no page"
        assert not browser.run(ACCESSIBLE), browser.run(ACCESSIBLE)
        pictures.take(browser, "dashboard-login", 1280)
        first = {"name": "kim", "loginCode": facts["kim"]["loginCode"], "newPassword": "correct horse"}
        sign_in(browser, url, first, summary=1)
        every_page(browser, url, pictures, "en")
        store(browser, url, pictures)
        search(browser, url, facts["terminals"])
        keyboard(browser, url)
        browser.open(url + "/stores")
        browser.click("a[hreflang=zh]")
        shown(browser, "门店")
        assert browser.run("return [document.documentElement.lang, location.pathname]") == ["zh", "/stores"], "the language"
        every_page(browser, url, pictures, "zh")
        browser.click("a[hreflang=en]")
        records(browser, url, pictures)
        money(browser, url, pictures)
        overrides(browser, url, facts, pictures)
        sign_in(browser, url, {"name": "kim", "password": "correct horse"})
        live(browser, url, facts)
        browser.open(url + "/log")
        for act in ["override of a service", "confirmed an override", "took an override back", "set a password", "signed out",
                    "acknowledged an alarm", "decided on a refused mutation", "settled a debt"]:
            shown(browser, act)
        pictures.end()
        complaints = browser.complaints()
        assert not complaints, complaints
    except AssertionError as failure:
        print(failure, file=sys.stderr)
        sys.exit(1)
    finally:
        browser.end()


main()
