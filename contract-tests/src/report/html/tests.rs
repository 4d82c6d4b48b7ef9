//! The page on the sample stream of events.

use super::*;
use crate::report::sample;

#[test]
fn a_run_is_a_page() {
    let events = sample::events();
    let page = print(&RunSummary::of(&events)).replace(STYLE, "");
    // A tag a line, so that a difference can be read.
    insta::assert_snapshot!(page.replace("><", ">\n<"), @r##"
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/nTf+oGON08IuEr+OIoYt+HGAE1HnQLy9SWqI1rZN30='; base-uri 'none'; form-action 'none'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="referrer" content="no-referrer">
        <title>Contract tests: broken</title>
        <style>
        </style>
        </head>
        <body>
        <header>
        <h1>Contract tests: broken</h1>
        <p class="soft">Seed <code>s</code>, test at <code>http://127.0.0.1:8801</code>
        </p>
        <ul class="sums">
        <li class="proven">
        <b>1</b> passed</li>
        <li class="broken">
        <b>1</b> failed</li>
        <li class="skipped">
        <b>1</b> known</li>
        <li class="skipped">
        <b>2</b> skipped</li>
        <li class="broken">
        <b>1</b> unreachable</li>
        </ul>
        <p class="alarm">The service did not answer: no connection: refused</p>
        </header>
        <main>
        <h2>2 clauses broken</h2>
        <section class="breach" id="clause-b.broken">
        <h3>
        <code>b.broken</code>: broken 6 times</h3>
        <p>Two bodies are the same &amp; &lt;b&gt;equal&lt;/b&gt; | always.</p>
        <p class="soft">A section</p>
        <details open>
        <summary>one.is-broken: an.operation, step 1: the body</summary>
        <dl>
        <dt>Difference</dt>
        <dd>
        <pre>
        <del>--- expected</del>
        <ins>+++ found</ins>@@ -1,4 +1,4 @@
         {
           &quot;a&quot;: 1,
        <del>-  &quot;b&quot;: 2</del>
        <ins>+  &quot;b&quot;: 3</ins> }
        </pre>
        </dd>
        <dt>Request</dt>
        <dd>
        <pre>POST /v1/an/operation
        authorization: [redacted key]
        content-type: application/json

        {
          &quot;pan&quot;: &quot;AAAAA0000A&quot;
        }</pre>
        </dd>
        <dt>Response</dt>
        <dd>
        <pre>200
        content-type: application/json

        {
          &quot;a&quot;: 1,
          &quot;b&quot;: 3
        }</pre>
        </dd>
        <dt>Again, with the key in the environment</dt>
        <dd>
        <pre>curl -sS -X POST http://127.0.0.1:8801/v1/an/operation -H &quot;Authorization: Bearer $SVC_API_KEY&quot; -H 'content-type: application/json' --data-binary '{&quot;pan&quot;:&quot;AAAAA0000A&quot;}'</pre>
        </dd>
        </dl>
        </details>
        <details>
        <summary>one.is-broken: an.operation, step 2: the status</summary>
        <dl>
        <dt>Expected</dt>
        <dd>
        <pre>200</pre>
        </dd>
        <dt>Found</dt>
        <dd>
        <pre>404</pre>
        </dd>
        </dl>
        </details>
        <details>
        <summary>one.is-broken: an.operation, step 3: the status</summary>
        <dl>
        <dt>Expected</dt>
        <dd>
        <pre>200</pre>
        </dd>
        <dt>Found</dt>
        <dd>
        <pre>404</pre>
        </dd>
        </dl>
        </details>
        <details>
        <summary>one.is-broken: an.operation, step 4: the status</summary>
        <dl>
        <dt>Expected</dt>
        <dd>
        <pre>200</pre>
        </dd>
        <dt>Found</dt>
        <dd>
        <pre>404</pre>
        </dd>
        </dl>
        </details>
        <details>
        <summary>one.is-broken: an.operation, step 5: the status</summary>
        <dl>
        <dt>Expected</dt>
        <dd>
        <pre>200</pre>
        </dd>
        <dt>Found</dt>
        <dd>
        <pre>404</pre>
        </dd>
        </dl>
        </details>
        <details>
        <summary>one.is-broken: hostile, step 1: <code>error.message</code>
        </summary>
        <dl>
        <dt>Expected</dt>
        <dd>
        <pre>a text</pre>
        </dd>
        <dt>Found</dt>
        <dd>
        <pre>&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt; ```
        ::error::x, 100%</pre>
        </dd>
        <dt>Request</dt>
        <dd>
        <pre>POST /v1/an/operation
        authorization: [redacted key]
        content-type: application/json

        {}</pre>
        </dd>
        <dt>Response</dt>
        <dd>
        <pre>200
        content-type: application/json

        &lt;/script&gt;&lt;img src=x onerror=alert(1)&gt; ```
        ::error::x, 100%</pre>
        </dd>
        <dt>Again, with the key in the environment</dt>
        <dd>
        <pre>curl -sS -X POST http://127.0.0.1:8801/v1/an/operation -H &quot;Authorization: Bearer $SVC_API_KEY&quot; -H 'content-type: application/json' --data-binary '{}'</pre>
        </dd>
        </dl>
        </details>
        </section>
        <section class="breach known" id="clause-c.known">
        <h3>
        <code>c.known</code>: known, broken 1 time</h3>
        <p>Something else holds.</p>
        <p class="soft">A section</p>
        <details open>
        <summary>one.is-known: an.operation, step 1: the status</summary>
        <p>Known: told to the vendor, ticket 12</p>
        <dl>
        <dt>Expected</dt>
        <dd>
        <pre>202</pre>
        </dd>
        <dt>Found</dt>
        <dd>
        <pre>200</pre>
        </dd>
        <dt>Request</dt>
        <dd>
        <pre>POST /v1/an/operation
        authorization: [redacted key]
        content-type: application/json

        {}</pre>
        </dd>
        <dt>Response</dt>
        <dd>
        <pre>200
        content-type: application/json

        {}</pre>
        </dd>
        <dt>Again, with the key in the environment</dt>
        <dd>
        <pre>curl -sS -X POST http://127.0.0.1:8801/v1/an/operation -H &quot;Authorization: Bearer $SVC_API_KEY&quot; -H 'content-type: application/json' --data-binary '{}'</pre>
        </dd>
        </dl>
        </details>
        </section>
        <h2>Known deviations that are none any more</h2>
        <section class="breach">
        <h3>one.holds: a.held</h3>
        <p class="soft">known.toml:7</p>
        <pre>it holds now: take the entry out</pre>
        </section>
        <h2>Clauses</h2>
        <ul class="sums">
        <li class="broken">
        <b>1</b> broken</li>
        <li class="skipped">
        <b>1</b> known</li>
        <li class="skipped">
        <b>1</b> skipped</li>
        <li class="proven">
        <b>1</b> proven</li>
        <li class="off">
        <b>1</b> not asked</li>
        <li class="off">
        <b>1</b> excluded</li>
        </ul>
        <div class="wide">
        <table>
        <thead>
        <tr>
        <th>clause</th>
        <th>state</th>
        <th>wording</th>
        <th class="where">section</th>
        </tr>
        </thead>
        <tbody>
        <tr>
        <td>
        <code>a.held</code>
        </td>
        <td>
        <span class="state proven">proven</span>
        </td>
        <td>Something holds.</td>
        <td class="where soft">A section</td>
        </tr>
        <tr>
        <td>
        <a href="#clause-b.broken">
        <code>b.broken</code>
        </a>
        </td>
        <td>
        <span class="state broken">broken</span>
        </td>
        <td>Two bodies are the same &amp; &lt;b&gt;equal&lt;/b&gt; | always.</td>
        <td class="where soft">A section</td>
        </tr>
        <tr>
        <td>
        <a href="#clause-c.known">
        <code>c.known</code>
        </a>
        </td>
        <td>
        <span class="state skipped">known</span>
        </td>
        <td>Something else holds.</td>
        <td class="where soft">A section</td>
        </tr>
        <tr>
        <td>
        <code>d.skipped</code>
        </td>
        <td>
        <span class="state skipped">skipped</span>
        </td>
        <td>Nobody knows.<br>
        <span class="soft">some of it was not judged</span>
        </td>
        <td class="where soft">A section</td>
        </tr>
        <tr>
        <td>
        <code>e.not-asked</code>
        </td>
        <td>
        <span class="state off">not asked</span>
        </td>
        <td>Nobody asks.<br>
        <span class="soft">no check proves it yet</span>
        </td>
        <td class="where soft">A section</td>
        </tr>
        <tr>
        <td>
        <code>f.excluded</code>
        </td>
        <td>
        <span class="state off">excluded</span>
        </td>
        <td>Left out.<br>
        <span class="soft">the filter leaves it out</span>
        </td>
        <td class="where soft">A section</td>
        </tr>
        </tbody>
        </table>
        </div>
        <h2>Checks</h2>
        <div class="wide">
        <table>
        <thead>
        <tr>
        <th>check</th>
        <th>outcome</th>
        <th>requests</th>
        <th>what it shows</th>
        </tr>
        </thead>
        <tbody>
        <tr>
        <td>
        <code>one.holds</code>
        </td>
        <td>
        <span class="state proven">passed</span>
        </td>
        <td>1</td>
        <td>A title</td>
        </tr>
        <tr>
        <td>
        <code>one.is-broken</code>
        </td>
        <td>
        <span class="state broken">failed</span>
        </td>
        <td>7</td>
        <td>A title</td>
        </tr>
        <tr>
        <td>
        <code>one.is-known</code>
        </td>
        <td>
        <span class="state skipped">known</span>
        </td>
        <td>1</td>
        <td>A title</td>
        </tr>
        <tr>
        <td>
        <code>one.is-skipped</code>
        </td>
        <td>
        <span class="state skipped">skipped</span>
        </td>
        <td>1</td>
        <td>A title<br>
        <span class="soft">there is no live key for this run</span>
        </td>
        </tr>
        <tr>
        <td>
        <code>one.is-lost</code>
        </td>
        <td>
        <span class="state skipped">skipped</span>
        </td>
        <td>1</td>
        <td>A title<br>
        <span class="soft">no answer: no connection: refused</span>
        </td>
        </tr>
        </tbody>
        </table>
        </div>
        </main>
        </body>
        </html>
        "##);
}

#[test]
fn nothing_that_was_answered_is_markup() {
    let events = sample::events();
    let page = print(&RunSummary::of(&events));
    for tag in [
        "<script",
        "<img",
        "<b>equal",
        "<iframe",
        " onerror=\"",
        "http-equiv=\"refresh",
    ] {
        assert!(!page.contains(tag), "{tag}");
    }
    assert!(page.contains("&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
    assert!(!page.contains(" src=\"") && !page.contains("url(") && !page.contains("@import"));
}

#[test]
fn nothing_judged_is_told() {
    assert!(print(&RunSummary::of(&[])).contains("Nothing was judged."));
}
