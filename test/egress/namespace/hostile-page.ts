/** A page that tries to reach `origin` in every way there is, each way under a path of its own. Runs without an error. */
export function hostilePage(origins: readonly string[], files: readonly string[]): string {
  return `<!doctype html><meta charset=utf-8><title>tried</title><body>
${origins.map(markup).join('\n')}
${files.map(fileMarkup).join('\n')}
<script>${script}
const origins = ${JSON.stringify(origins)};
for (const origin of origins) for (const [name, attempt] of Object.entries(attempts)) quietly(() => attempt(origin + '/' + name));
for (const file of ${JSON.stringify(files)}) for (const read of readers) quietly(() => read(file));
</script><p id=end>the end</p>`;
}

const markup = (origin: string) => `
<link rel=stylesheet href="${origin}/css"><link rel=prefetch href="${origin}/prefetch">
<link rel=preload as=script href="${origin}/preload"><link rel=modulepreload href="${origin}/modulepreload">
<link rel=preconnect href="${origin}"><link rel=dns-prefetch href="${origin}"><link rel=icon href="${origin}/icon">
<link rel=manifest href="${origin}/manifest">
<script src="${origin}/script"></script><script type=module src="${origin}/module"></script>
<script type=speculationrules>{"prerender":[{"urls":["${origin}/prerender"]}],"prefetch":[{"urls":["${origin}/speculated"]}]}</script>
<iframe src="${origin}/iframe"></iframe><object data="${origin}/object"></object><embed src="${origin}/embed">
<iframe srcdoc="<script src='${origin}/srcdoc'></script>"></iframe>
<img src="${origin}/img" srcset="${origin}/srcset 2x"><video src="${origin}/video" poster="${origin}/poster"></video>
<audio src="${origin}/audio"></audio><svg><image href="${origin}/svg"/><use href="${origin}/use#x"/></svg>
<a href="${origin}/download" download target=linked class=p></a><a href="${origin}/pinged" ping="${origin}/ping" target=linked class=p></a>
<iframe name=linked></iframe><iframe name=posted></iframe><form action="${origin}/form" method=post target=posted class=f></form>
<style>@import "${origin}/import"; @font-face{font-family:f;src:url(${origin}/font)} p{font-family:f;background:url(${origin}/background)}</style>`;

const fileMarkup = (file: string) => `
<iframe src="${file}"></iframe><object data="${file}"></object><embed src="${file}"><script src="${file}"></script>
<link rel=stylesheet href="${file}"><img src="${file}"><link rel=import href="${file}">
<iframe srcdoc="<iframe src='${file}'></iframe>"></iframe><a href="${file}" download target=linked class=p></a>`;

const script = `
const quietly = (attempt) => { try { const done = attempt(); if (done && done.catch) done.catch(() => 0); } catch {} };
const inWorker = (code, type = {}) => new Worker(URL.createObjectURL(new Blob([code])), type);
const ws = (url) => url.replace(/^http/, 'ws');
const host = (url) => new URL(url).host;
const show = (text) => { document.body.append(text); };
const attempts = {
  fetch: (url) => fetch(url, { mode: 'no-cors' }),
  keepalive: (url) => fetch(url, { mode: 'no-cors', keepalive: true, method: 'POST', body: 'x' }),
  xhr: (url) => { const x = new XMLHttpRequest(); x.open('POST', url); x.send('x'); },
  beacon: (url) => navigator.sendBeacon(url, 'x'),
  websocket: (url) => void new WebSocket(ws(url)),
  eventsource: (url) => void new EventSource(url),
  popup: (url) => void open(url),
  worker: (url) => void inWorker('fetch("' + url + '", { mode: "no-cors" })'),
  workersocket: (url) => void inWorker('new WebSocket("' + ws(url) + '")'),
  workerscript: (url) => void inWorker('importScripts("' + url + '")'),
  shared: (url) => void new SharedWorker(URL.createObjectURL(new Blob(['fetch("' + url + '", { mode: "no-cors" })']))),
  service: async (url) => { await navigator.serviceWorker.register('/service-worker.js?' + url); },
  dynamic: (url) => import(url),
  webtransport: (url) => void new WebTransport(url.replace(/^http:/, 'https:')),
  webrtc: async (url) => {
    const urls = ['stun:' + host(url), 'turn:' + host(url) + '?transport=udp', 'turn:' + host(url) + '?transport=tcp'];
    const peer = new RTCPeerConnection({ iceServers: [{ urls, username: 'u', credential: 'c' }] });
    peer.createDataChannel('x');
    await peer.setLocalDescription(await peer.createOffer());
  },
};
for (const form of document.querySelectorAll('.f')) quietly(() => form.submit());
for (const link of document.querySelectorAll('.p')) quietly(() => link.click());
const readers = [
  (file) => fetch(file).then((answer) => answer.text()).then(show),
  (file) => { const x = new XMLHttpRequest(); x.open('GET', file, false); x.send(); show(x.responseText); },
  (file) => void open(file),
  (file) => import(file),
  (file) => void inWorker('fetch("' + file + '").then((a) => a.text()).then(postMessage)').addEventListener('message', (e) => show(e.data)),
  (file) => { const frame = document.createElement('iframe'); frame.src = file;
    frame.onload = () => quietly(() => show(frame.contentDocument.body.innerText)); document.body.append(frame); },
];
`;
