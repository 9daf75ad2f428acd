/// What the pages load from the hub itself; nothing comes from elsewhere.
package enum PageAssets {
    /// The style sheet: light and dark by the system's choice, tables as cards on a phone.
    package static let style = """
        :root{color-scheme:light dark;--ground:#f6f7f9;--sheet:#fff;--ink:#17202b;--soft:#566274;--line:#dde2e9;
        --accent:#1556c0;--bad:#b3261e;--bad-ground:#fdecea;--warn:#8a5300;--warn-ground:#fff4df;--good:#1b6e3c;
        --good-ground:#e6f5ec;--note:#33507a;--note-ground:#e9f0fa;--fill-good:#7cc79a;--fill-warn:#f0b545;
        --fill-bad:#d9534a;--fill-manual:#8f7bd1;--fill-unknown:#b9c1cc}
        @media (prefers-color-scheme:dark){:root{--ground:#11161d;--sheet:#1a212b;--ink:#e8edf4;--soft:#9fb0c5;
        --line:#303b4a;--accent:#8ab6ff;--bad:#ffb0a8;--bad-ground:#4a1c1a;--warn:#ffd08a;--warn-ground:#433011;
        --good:#95dfb2;--good-ground:#16392a;--note:#b5cdf2;--note-ground:#1e304c;--fill-good:#2f7d50;
        --fill-warn:#b9811d;--fill-bad:#c8463c;--fill-manual:#7663bd;--fill-unknown:#4d5866}}
        *{box-sizing:border-box}html{-webkit-text-size-adjust:100%}
        body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Noto Sans CJK SC","PingFang SC","Microsoft YaHei",sans-serif}
        a{color:var(--accent)}h1{font-size:1.4rem;margin:0 0 .9rem}h2{font-size:1.05rem;margin:1.4rem 0 .6rem}
        h1 small{color:var(--soft);font-weight:400;font-size:1rem}
        :focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:3px}main:focus{outline:none}
        .skip{position:absolute;left:-99rem}.skip:focus{left:.5rem;top:.5rem;background:var(--sheet);padding:.5rem;z-index:9}
        header{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;align-items:center;background:var(--sheet);border-bottom:1px solid var(--line);padding:.55rem 1.2rem}
        .brand{font-weight:700;letter-spacing:.01em;color:var(--ink);text-decoration:none}
        nav{display:flex;flex-wrap:wrap;gap:.1rem}.groups{flex:1}.groups a{font-weight:600}.pages{order:5;flex-basis:100%}nav a{padding:.3rem .55rem;border-radius:.4rem;text-decoration:none;color:var(--soft);white-space:nowrap}
        nav a:hover{color:var(--ink)}nav a[aria-current]{background:var(--note-ground);color:var(--ink);font-weight:600}.csv{font-size:.85rem}.links a{margin-right:.8rem}
        .person{display:flex;gap:.8rem;align-items:center;color:var(--soft);white-space:nowrap}.person form{margin:0}
        main{max-width:76rem;margin:0 auto;padding:1.3rem 1.2rem}footer{max-width:76rem;margin:0 auto;padding:0 1.2rem 2rem;color:var(--soft);font-size:.85rem}
        .notice{border-left:4px solid var(--note);background:var(--note-ground);color:var(--ink);padding:.6rem .9rem;margin:0 0 1rem;border-radius:0 .4rem .4rem 0}
        .notice p{margin:0 0 .4rem}.notice form{display:inline-block;margin-right:.5rem}#connection{margin:0;border-radius:0;padding-left:1.2rem}
        .notice.bad{border-color:var(--bad);background:var(--bad-ground)}.notice.warning{border-color:var(--warn);background:var(--warn-ground)}.notice.good{border-color:var(--good);background:var(--good-ground)}
        .troubles{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,23rem),1fr));gap:.5rem}.trouble{display:flex;gap:.7rem;align-items:baseline;padding:.55rem .8rem;margin:0;border-radius:.5rem;text-decoration:none;color:var(--ink);border:1px solid var(--line);background:var(--sheet)}
        .trouble small{display:block;color:var(--soft);overflow-wrap:anywhere}.trouble .mark{font-weight:700;width:1.2em;text-align:center;flex:none}
        .trouble.bad{background:var(--bad-ground);border-color:var(--bad)}.trouble.bad .mark{color:var(--bad)}
        .trouble.warning{background:var(--warn-ground);border-color:var(--warn)}.trouble.warning .mark{color:var(--warn)}
        .trouble.note .mark{color:var(--note)}.trouble.well{background:var(--good-ground);border-color:var(--good)}.trouble.well .mark{color:var(--good)}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(11rem,1fr));gap:.7rem;margin:1.3rem 0}
        .tile{background:var(--sheet);border:1px solid var(--line);border-radius:.6rem;padding:.8rem 1rem;text-decoration:none;color:var(--ink)}
        .tile span,.tile small{display:block;color:var(--soft);font-size:.85rem}.tile strong{font-size:1.7rem;font-weight:650;font-variant-numeric:tabular-nums}
        .services{list-style:none;padding:0;margin:0;display:grid;grid-template-columns:repeat(auto-fit,minmax(15rem,1fr));gap:.5rem}
        .services a{display:block;background:var(--sheet);border:1px solid var(--line);border-radius:.5rem;padding:.6rem .8rem;text-decoration:none;color:var(--ink)}.services small{display:block;color:var(--soft)}
        .state,.mode,.outcome{display:inline-block;padding:.05rem .5rem;border-radius:1rem;font-size:.85rem;white-space:nowrap;background:var(--note-ground);color:var(--note);border:1px solid currentColor}
        .state.healthy,.mode.online,.outcome.good{background:var(--good-ground);color:var(--good)}.state.recovering,.mode.degraded,.mode.silent,.outcome.warning{background:var(--warn-ground);color:var(--warn)}
        .state.faulty,.mode.offline,.outcome.bad{background:var(--bad-ground);color:var(--bad)}.mode.revoked,.mode.waiting{color:var(--soft);background:none}
        .card{background:var(--sheet);border:1px solid var(--line);border-radius:.6rem;padding:.2rem 1rem .9rem;margin:0 0 1rem}.card h2{margin:.7rem 0 .3rem}.card>p{margin:.2rem 0 .7rem;color:var(--soft)}.card>p.notice{color:var(--ink)}
        table{border-collapse:collapse;width:100%;background:var(--sheet);border:1px solid var(--line);border-radius:.5rem;margin:.4rem 0}
        caption{text-align:left;color:var(--soft);padding:.3rem 0}th,td{text-align:left;padding:.4rem .7rem;border-top:1px solid var(--line);vertical-align:baseline;overflow-wrap:anywhere}
        thead th{border:0;color:var(--soft);font-weight:500;font-size:.85rem}tbody th{font-weight:600}th small{color:var(--soft);font-weight:400}.n{text-align:right;font-variant-numeric:tabular-nums;overflow-wrap:normal}td time{white-space:nowrap}
        form.filter,form.override{display:flex;flex-wrap:wrap;gap:.7rem;align-items:end;margin:0 0 .8rem}form.override{background:var(--sheet);border:1px solid var(--line);border-radius:.6rem;padding:.2rem 1rem 1rem;margin-top:1.2rem}
        form.override h2,.hint{flex-basis:100%;margin:.6rem 0 0}.hint{color:var(--soft);font-size:.9rem}label{display:flex;flex-direction:column;gap:.2rem;font-size:.85rem;color:var(--soft)}label.wide{flex:1;min-width:15rem}
        input,select{font:inherit;color:var(--ink);background:var(--sheet);border:1px solid var(--soft);border-radius:.4rem;padding:.42rem .55rem;min-height:2.4rem;max-width:100%}input[type=search]{min-width:17rem}
        button{font:inherit;min-height:2.4rem;padding:.4rem 1rem;border-radius:.4rem;border:1px solid var(--accent);background:var(--accent);color:var(--sheet);cursor:pointer}button.quiet{background:none;color:var(--accent)}
        form.act{display:flex;flex-wrap:wrap;gap:.5rem;align-items:end;margin:.4rem 0 0}pre{background:var(--sheet);border:1px solid var(--line);border-radius:.5rem;padding:.7rem 1rem;overflow:auto;max-height:32rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.9rem}
        .pager{color:var(--soft)}dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(14rem,1fr));gap:.5rem;margin:0}dl div{background:var(--sheet);border:1px solid var(--line);border-radius:.5rem;padding:.5rem .8rem}dt{color:var(--soft);font-size:.85rem}dd{margin:0;overflow-wrap:anywhere}
        .plot{width:100%;height:auto;display:block;background:var(--sheet);border:1px solid var(--line);border-radius:.5rem;padding:.4rem}.card .plot{border:0;padding:0}.plot.narrow{display:none}.plot text{fill:var(--soft);font-size:12px}.plot a text{fill:var(--accent)}.plot .grid{stroke:var(--line)}
        .fill-healthy{fill:var(--fill-good)}.fill-recovering{fill:var(--fill-warn)}.fill-faulty,.fill-network{fill:var(--fill-bad)}.fill-service{fill:var(--fill-warn)}.fill-manual{fill:var(--fill-manual)}.fill-unknown{fill:var(--fill-unknown)}.fill-open{stroke:var(--ink);stroke-width:1.5}
        .tabs a{margin-right:.8rem}.tabs a[aria-current]{font-weight:700;color:var(--ink);text-decoration:none}.legend{color:var(--soft);margin-left:1rem}.key{display:inline-block;width:.8rem;height:.8rem;border-radius:.2rem;margin:0 .3rem 0 .7rem}.key.network{background:var(--fill-bad)}.key.service{background:var(--fill-warn)}.key.manual{background:var(--fill-manual)}.key.unknown{background:var(--fill-unknown)}
        details{margin:.7rem 0}summary{cursor:pointer;color:var(--accent)}
        .login main{max-width:25rem;padding-top:3rem}.login label{margin:.7rem 0}.login button{margin-top:.4rem}.login input{width:100%}
        @media (max-width:640px){header{padding:.5rem .8rem}nav.groups,nav.pages{order:3;flex:1 0 100%}.person{margin-left:auto}main{padding:1rem .8rem}input[type=search]{min-width:0}form.filter{gap:.5rem}form.filter label{flex:1 1 45%;min-width:0}form.filter label:only-of-type,form.override label{flex-basis:100%}form.filter input,form.filter select,form.override input,form.override select{width:100%}.plot.wide{display:none}.plot.narrow{display:block}.person span{display:none}
        table,tbody,tr,td,tbody th{display:block;width:auto}thead{position:absolute;left:-99rem}table{border:0;background:none}tbody tr{background:var(--sheet);border:1px solid var(--line);border-radius:.5rem;margin:0 0 .6rem;padding:.3rem .2rem}td,tbody th,.n{border:0;text-align:left;padding:.18rem .7rem}td:empty{display:none}td[data-label]::before{content:attr(data-label) ": ";color:var(--soft)}:lang(zh) td[data-label]::before{content:attr(data-label) "\\FF1A"}.legend{display:block;margin:.5rem 0 0}tbody th a,td a,dd a,.pager a,.links a,.tabs a,a.csv{display:inline-block;padding:.55rem 0}.tiles{grid-template-columns:1fr 1fr}td{display:inline-block}}
        @media (prefers-reduced-motion:no-preference){a,button{transition:background .15s,color .15s}}
        """

    /// Loads the page's content anew when the hub says that something changed. Without it every page works
    /// the same, and is as old as its last load.
    package static let script = """
        'use strict';
        (() => {
          const live = document.getElementById('live');
          const connection = document.getElementById('connection');
          const main = document.getElementById('content');
          if (!live || !main || !window.EventSource) return;
          let running = false, again = false, held = false, last = Date.now();
          // What a person writes or presses must not go away under their hands.
          addEventListener('pointerdown', () => { held = true; });
          for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => { held = false; });
          const isChanged = field => field.tagName === 'INPUT' ? field.value !== field.defaultValue
            : field.selectedIndex !== Math.max(0, [...field.options].findIndex(option => option.defaultSelected));
          const isBusy = () => held || [...main.querySelectorAll('input:not([type=hidden]),select')].some(
            field => field === document.activeElement || isChanged(field));
          const load = async () => {
            if (running || isBusy()) { again = true; live.dataset.pending = ''; return; }
            delete live.dataset.pending;
            running = true; again = false; last = Date.now();
            try {
              const response = await fetch(location.href, {headers: {'X-Live': '1'}, redirect: 'error'});
              if (!response.ok) throw new Error(response.status);
              const page = new DOMParser().parseFromString(await response.text(), 'text/html');
              const fresh = page.getElementById('content');
              if (fresh && !isBusy()) {
                const open = [...main.querySelectorAll('details')].map(part => part.open);
                const place = document.activeElement && main.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
                main.replaceChildren(...fresh.childNodes);
                main.querySelectorAll('details').forEach((part, index) => { part.open = open[index] || false; });
                if (place) { const link = [...main.querySelectorAll('a')].find(link => link.getAttribute('href') === place); if (link) link.focus(); }
                const figures = document.querySelector('footer time'), newer = page.querySelector('footer time');
                if (figures && newer) figures.replaceWith(newer);
                live.textContent = '· ' + live.dataset.updated;
              }
              connection.hidden = true;
            } catch (error) { connection.hidden = false; again = true; }
            running = false;
          };
          const events = new EventSource('/live?after=' + live.dataset.version);
          events.addEventListener('change', load);
          events.onopen = () => { if (!connection.hidden) load(); };
          events.onerror = () => { connection.hidden = false; };
          // Ages change without an event.
          setInterval(() => { if (!document.hidden && (again || Date.now() - last > 30000)) load(); }, 3000);
        })();
        """

    /// The mark in a browser's tab.
    package static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#1556c0"/><path d="M10 7v18M22 7v18M10 16h12" stroke="#fff" stroke-width="4" stroke-linecap="round"/></svg>
        """
}
