type Aims = {
  /** Tried in every way, each with its own path. */
  origins: readonly string[];
  /** Tried in the main ways only. */
  others: readonly string[];
  files: readonly string[];
};

/** A page that tries every forbidden target. It throws no error. */
export function hostilePage({ origins, others, files }: Aims): string {
  return `<!doctype html><meta charset=utf-8><title>tried</title><body>
${origins.map(markup).join('\n')}
${others.map(posted).join('\n')}
${files.map(fileMarkup).join('\n')}
<script>${pageScript}
const origins = ${JSON.stringify(origins)};
const inWorker = ${JSON.stringify(workerScript(origins, ''))};
for (const origin of origins) for (const [name, attempt] of Object.entries(attempts)) quietly(() => attempt(origin + '/' + name));
for (const other of ${JSON.stringify(others)}) for (const attempt of [attempts.fetch, attempts.websocket]) quietly(() => attempt(other));
for (const file of ${JSON.stringify(files)}) for (const read of readers) quietly(() => read(file));
for (let at = 0; at < origins.length; at += 4) quietly(() => call(origins.slice(at, at + 4)));
quietly(() => meet(origins.map(host)));
quietly(() => new Worker(script('const kind = "worker";' + inWorker)));
quietly(() => new SharedWorker(script('const kind = "shared";' + inWorker)));
quietly(() => navigator.serviceWorker.register('/service-worker.js' + location.search));
</script><p id=end>the end</p>`;
}

/** The attempts of a worker, shared worker or service worker; `kind` says which. */
export function workerScript(origins: readonly string[], kind: string): string {
  return `${kind && `const kind = "${kind}";`}
const quietly = (attempt) => { try { const done = attempt(); if (done && done.catch) done.catch(() => 0); } catch {} };
const ways = {
  fetch: (url) => fetch(url, { mode: 'no-cors' }),
  socket: (url) => void new WebSocket(url.replace(/^http/, 'ws')),
  eventsource: (url) => void new EventSource(url),
  transport: (url) => void new WebTransport(url.replace(/^http:/, 'https:')),
  script: (url) => importScripts(url),
};
for (const [name, way] of Object.entries(ways))
  for (const origin of ${JSON.stringify(origins)}) quietly(() => way(origin + '/' + kind + name));`;
}

const posted = (origin: string) => `
<iframe name="to ${origin}"></iframe><form action="${origin}/form" method=post target="to ${origin}" class=f></form>`;

const markup = (origin: string, index: number) => `
<link rel=stylesheet href="${origin}/css"><link rel=prefetch href="${origin}/prefetch"><link rel=prerender href="${origin}/linked">
<link rel=preload as=script href="${origin}/preload"><link rel=modulepreload href="${origin}/modulepreload">
<link rel=preconnect href="${origin}"><link rel=dns-prefetch href="${origin}"><link rel=icon href="${origin}/icon">
<link rel=manifest href="${origin}/manifest">
<script src="${origin}/script"></script><script type=module src="${origin}/module"></script>
<script type=speculationrules>{"prerender":[{"urls":["${origin}/prerender"]}],"prefetch":[{"urls":["${origin}/speculated"]}]}</script>
<iframe src="${origin}/iframe"></iframe><object data="${origin}/object"></object><embed src="${origin}/embed">
<iframe srcdoc="<script src='${origin}/srcdoc'></script><meta http-equiv=refresh content='0;url=${origin}/refresh'>"></iframe>
<img src="${origin}/img" srcset="${origin}/srcset 2x"><video src="${origin}/video" poster="${origin}/poster"></video>
<audio src="${origin}/audio"></audio><svg><image href="${origin}/svg"/><use href="${origin}/use#x"/></svg>
<iframe name=linked${index}></iframe><a href="${origin}/link" ping="${origin}/ping" target=linked${index} class=p></a>
${posted(origin)}
<iframe name=saved${index}></iframe><a href="${origin}/download" download target=saved${index} class=p></a>
<style>@import "${origin}/import"; @font-face{font-family:f;src:url(${origin}/font)} p{font-family:f;background:url(${origin}/background)}</style>`;

const fileMarkup = (file: string) => `
<iframe src="${file}"></iframe><object data="${file}"></object><embed src="${file}"><script src="${file}"></script>
<script type=module src="${file}"></script><link rel=stylesheet href="${file}"><link rel=import href="${file}">
<link rel=prefetch href="${file}"><link rel=prerender href="${file}">
<script type=speculationrules>{"prerender":[{"urls":["${file}"]}],"prefetch":[{"urls":["${file}"]}]}</script>
<img src="${file}"><video src="${file}"><track src="${file}"></video><svg><image href="${file}"/><use href="${file}#x"/></svg>
<iframe srcdoc="<iframe src='${file}'></iframe><meta http-equiv=refresh content='0;url=${file}'>"></iframe>
<iframe name="read ${file}"></iframe><form action="${file}" target="read ${file}" class=f></form>
<a href="${file}" download target="read ${file}" class=p></a><a href="${file}" ping="${file}" target="read ${file}" class=p></a>
<style>@import "${file}"; p{background:url("${file}")}</style>`;

const pageScript = `
const quietly = (attempt) => { try { const done = attempt(); if (done && done.catch) done.catch(() => 0); } catch {} };
const script = (code) => URL.createObjectURL(new Blob([code], { type: 'text/javascript' }));
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
  dynamic: (url) => import(url),
  assigned: (url) => { const frame = document.createElement('iframe'); document.body.append(frame); frame.contentWindow.location = url; },
  webtransport: (url) => void new WebTransport(url.replace(/^http:/, 'https:')),
};
for (const form of document.querySelectorAll('.f')) quietly(() => form.submit());
for (const link of document.querySelectorAll('.p')) quietly(() => link.click());
const call = async (origins) => {
  const urls = origins.map(host).flatMap((host) => ['stun:' + host, 'turn:' + host + '?transport=udp',
    'turn:' + host + '?transport=tcp', 'turns:' + host + '?transport=tcp']);
  const peer = new RTCPeerConnection({ iceServers: [{ urls, username: 'u', credential: 'c' }] });
  peer.createDataChannel('x');
  await peer.setLocalDescription(await peer.createOffer());
};
// Two peers of one page, each with candidates at names of multicast DNS and at private addresses.
const meet = async (hosts) => {
  const urls = ['stun:a.local', 'turn:b.local', 'turns:c.local', 'turn:d.local?transport=tcp'];
  const iceServers = [{ urls, username: 'u', credential: 'c' }];
  const places = ['e.local', 'f.local', ...hosts].map((host) => host.replace(/^\\[|\\]?(:\\d+)?$/g, ''));
  const candidates = places.flatMap((place) => ['udp 2113937151 ' + place + ' 50123 typ host', 'udp 1677729535 ' + place + ' 3478 typ srflx',
    'tcp 1518280447 ' + place + ' 8080 typ host tcptype passive']).map((rest) => 'candidate:1 1 ' + rest);
  const [caller, callee] = [0, 1].map(() => new RTCPeerConnection({ iceServers, iceCandidatePoolSize: 2 }));
  const described = ({ type, sdp }) => ({ type, sdp: sdp + 'a=' + candidates[0] + '\\r\\n' });
  caller.createDataChannel('x');
  await caller.setLocalDescription(await caller.createOffer());
  await callee.setRemoteDescription(described(caller.localDescription));
  await callee.setLocalDescription(await callee.createAnswer());
  await caller.setRemoteDescription(described(callee.localDescription));
  for (const candidate of candidates) for (const peer of [caller, callee]) quietly(() => peer.addIceCandidate({ candidate, sdpMid: '0' }));
  caller.restartIce();
  await caller.setLocalDescription(await caller.createOffer());
};
const readers = [
  (file) => fetch(file).then((answer) => answer.text()).then(show),
  (file) => { const x = new XMLHttpRequest(); x.open('GET', file, false); x.send(); show(x.responseText); },
  (file) => void open(file),
  (file) => import(file),
  (file) => { new Worker(script('fetch("' + file + '").then((a) => a.text()).then(postMessage)')).onmessage = (e) => show(e.data); },
  (file) => void new Worker(file),
  (file) => { const frame = document.createElement('iframe'); frame.src = file;
    frame.onload = () => quietly(() => show(frame.contentDocument.body.innerText)); document.body.append(frame); },
];
`;
