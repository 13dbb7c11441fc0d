const SHOWN_CHARACTERS = 100_000;
/** A key that ends within this time is replaced before a request. */
const MARGIN_MS = 15_000;

const form = document.querySelector('#playground');
const at = (id) => document.querySelector(`#${id}`);
const { endpoint, key: keyPath, costs, open, marked: markedPath } = form.dataset;
const { snippets } = await import(form.dataset.snippets);

/** Kept here only, so it is gone with the page. */
let key;
let sending;
let saved;
let previewed;

form.addEventListener('input', follow);
form.addEventListener('submit', (event) => {
  event.preventDefault();
  send();
});
at('cancel').addEventListener('click', () => sending?.abort());
at('next').addEventListener('click', () => {
  form.elements.offset.value = at('next').value;
  follow();
  send();
});
/** Shows the cost and snippets of the current form. */
function follow() {
  const isAuto = form.elements.mode?.value === 'auto';
  // The mode decides these.
  for (const name of ['render_js', 'premium_proxy']) form.elements[name].disabled = isAuto;
  const isOn = (name) => Number(form.elements[name]?.checked ?? false);
  const credits = JSON.parse(costs)[isOn('premium_proxy')][Number(isOn('render_js') || impliesBrowser())];
  const most = isAuto ? Math.min(25, Number(form.elements.max_credits?.value) || 25) : credits;
  // A kept page is free.
  const least = Number(form.elements.max_age?.value) > 0 ? 0 : isAuto ? 1 : credits;
  at('cost').textContent =
    `${least < most ? `${least} to ` : ''}${most} ${most === 1 ? 'credit' : 'credits'}`;
  const { request } = read();
  for (const [language, write] of Object.entries(snippets))
    document.querySelector(`[data-language="${language}"] code`).textContent = write(endpoint, request);
}

/** Whether another field makes `render_js` true. */
function impliesBrowser() {
  const textOf = (name) => form.elements[name]?.value.trim() ?? '';
  const isPicture = /screenshot|pdf/.test(textOf('format') === 'json' ? textOf('formats') : textOf('format'));
  return isPicture || textOf('js_scenario') !== '' || textOf('capture') !== '';
}

/** The request in the form, without empty fields. */
function read() {
  const request = {};
  const faults = {};
  for (const field of form.querySelectorAll('[data-kind]')) {
    try {
      const value = valueOf(field);
      if (value !== undefined) request[field.name] = value;
    } catch {
      faults[field.name] = 'This is not JSON.';
    }
  }
  return { request, faults };
}

function valueOf({ dataset: { kind, type }, checked, disabled, value }) {
  if (disabled) return undefined;
  if (kind === 'checkbox') return checked || undefined;
  if (value.trim() === '') return undefined;
  if (kind === 'number') return Number(value);
  if (kind === 'json' || (kind === 'text-or-json' && /^\s*\{/.test(value))) return JSON.parse(value);
  return kind === 'choice' && type === 'boolean' ? value === 'true' : value;
}

async function send() {
  const { request, faults } = read();
  showFaults(faults);
  if (Object.keys(faults).length > 0) return;
  sending?.abort();
  const current = (sending = new AbortController());
  busy(true);
  try {
    await showResponse(await call(request, current.signal));
  } catch (error) {
    if (sending === current) showFailure(current.signal.aborted ? 'Cancelled.' : error.message);
  } finally {
    if (sending === current) busy(false);
  }
}

function busy(isBusy) {
  at('cancel').hidden = !isBusy;
  form.querySelector('.primary').disabled = isBusy;
  if (!isBusy) return;
  at('response').hidden = false;
  at('response').classList.add('waiting');
  at('outcome').textContent = 'Waiting for the response…';
}

/** Repeats the request once with a new key if this one has been revoked. */
async function call(request, signal, isAgain = false) {
  if (!key || Date.parse(key.expires_at) - Date.now() < MARGIN_MS) key = await newKey(signal);
  const startedAt = performance.now();
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key.api_key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(request),
    ...{ cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer', signal },
  }).catch((error) => {
    throw signal.aborted
      ? error
      : new Error('The API could not be reached from this page, or takes no more requests at the moment.');
  });
  if (response.status === 401 && !isAgain) {
    key = undefined;
    return call(request, signal, true);
  }
  return { response, bytes: await response.arrayBuffer(), ms: Math.round(performance.now() - startedAt) };
}

async function newKey(signal) {
  const response = await fetch(keyPath, { method: 'POST', signal });
  if (response.redirected) throw new Error('Your session has ended. Reload this page to sign in.');
  const answer = await response.json();
  if (response.ok) return answer;
  throw new Error(answer.message);
}

async function showResponse({ response, bytes, ms }) {
  const { status, statusText, headers } = response;
  const type = headers.get('Content-Type') ?? '';
  const text = isText(type) ? new TextDecoder(charsetOf(type, bytes)).decode(bytes) : undefined;
  at('response').classList.remove('waiting');
  at('outcome').textContent = `${status} ${statusText}`.trim();
  at('charged').textContent = chargedOf(headers, ms);
  at('headers').replaceChildren(...[...headers].flatMap(definition));
  at('about-body').textContent = aboutBody(headers, bytes, type);
  showNext(headers.get('X-Next-Offset'));
  at('body').textContent = shown(text);
  at('body').scrollTop = 0;
  for (const part of at('response').querySelectorAll('details, h3, #body, #save')) part.hidden = false;
  save(bytes, type);
  await preview(bytes, type, text);
  if (!response.ok) explain(text);
  at('response').focus({ preventScroll: innerWidth > 900 });
}

function aboutBody(headers, bytes, type) {
  const total = headers.get('X-Total-Chars');
  const part = total === null ? '' : `, a part of ${count(Number(total))} characters`;
  return `${count(bytes.byteLength)} bytes, ${type || 'of unknown type'}${part}`;
}

/** Of a part of a text that is not the last one. */
function showNext(offset) {
  at('next-part').hidden = offset === null;
  at('next').value = offset ?? '';
}

function showFailure(message) {
  showNext(null);
  at('response').classList.remove('waiting');
  at('outcome').replaceChildren(...withCode(message));
  for (const id of ['picture', 'rendered']) at(id).hidden = true;
  for (const id of ['charged', 'about-body']) at(id).textContent = '';
  for (const part of at('response').querySelectorAll('details, h3, #body, #save')) part.hidden = true;
}

function chargedOf(headers, ms) {
  const used = Number(headers.get('X-Credits-Used') ?? 0);
  const left = headers.get('X-Credits-Remaining');
  const facts = [`${used} ${used === 1 ? 'credit' : 'credits'} used (${headers.get('X-Credits-Reason')})`];
  if (left !== null) facts.push(`${count(Number(left))} left`);
  return [...facts, `${count(ms)} ms`].join(' · ');
}

function definition([name, value]) {
  const [term, text] = [document.createElement('dt'), document.createElement('dd')];
  term.textContent = name;
  text.textContent = value;
  return [term, text];
}

/** Always as text, never as markup, because the page is not trusted. */
function shown(text) {
  if (text === undefined) return '(not text)';
  if (text.length <= SHOWN_CHARACTERS) return text;
  return `${text.slice(0, SHOWN_CHARACTERS)}\n… cut off after ${count(SHOWN_CHARACTERS)} characters`;
}

/** Shows a picture as one, and Markdown as a page in a frame where nothing runs and nothing is loaded. */
async function preview(bytes, type, text) {
  if (previewed) URL.revokeObjectURL(previewed);
  const [picture] = /^image\/(png|jpeg|webp|gif)/.exec(type) ?? [];
  const isMarkdown = type.startsWith('text/markdown') && text.length <= SHOWN_CHARACTERS;
  const page = isMarkdown ? await asPage(text) : undefined;
  previewed = URL.createObjectURL(new Blob([page ?? bytes], { type: page ? 'text/html' : (picture ?? '') }));
  at('picture').hidden = !picture;
  if (picture) at('picture').src = previewed;
  at('rendered').hidden = !isMarkdown;
  if (isMarkdown) at('rendered').src = previewed;
  if (picture) at('body').hidden = true;
}

async function asPage(text) {
  const { Marked } = await import(markedPath);
  const marked = new Marked({ renderer: { html: asText } });
  const style = document.querySelector('[rel="stylesheet"]').href;
  const head = `<meta charset="utf-8"><title>Markdown</title><link rel="stylesheet" href="${style}">`;
  return `<!doctype html><html lang="en">${head}<body class="frame">${marked.parse(text)}</body></html>`;
}

/** Markup in Markdown, but for line ends in tables: no policy keeps a link element from connecting. */
const asText = ({ text }) => (text === '<br>' ? text : text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'));

/** With a type that no browser runs. */
function save(bytes, type) {
  if (saved) URL.revokeObjectURL(saved);
  saved = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  const [, kind = 'bin'] = /(html|json|xml|pdf|png|jpeg|webp|csv|plain|markdown)/.exec(type) ?? [];
  Object.assign(at('save'), {
    href: saved,
    download: `page.${{ plain: 'txt', markdown: 'md' }[kind] ?? kind}`,
  });
}

const isText = (type) => /^text\/|json|xml|javascript/.test(type);

/** By the header, else by the page itself; what neither declares is UTF-8 or Western. */
function charsetOf(type, bytes) {
  const head = new TextDecoder('latin1').decode(bytes.slice(0, 1_024));
  const [, inHeader] = /charset="?([\w:.-]+)/i.exec(type) ?? [];
  const [, inPage] = /<meta[^>]+charset\s*=\s*["']?([\w:.-]+)/i.exec(head) ?? [];
  const labels = [inHeader, isUtf8(bytes) ? 'utf-8' : inPage, 'windows-1252'];
  return labels.find((label) => label !== undefined && isKnown(label));
}

const isUtf8 = (bytes) => succeeds(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
const isKnown = (label) => succeeds(() => new TextDecoder(label));

function succeeds(attempt) {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

/** Shows the API's faults beside their fields too. */
function explain(text) {
  try {
    const { errors, param, message } = JSON.parse(text);
    const named = (errors ?? [{ param, message }]).filter((fault) => fault.param);
    showFaults(Object.fromEntries(named.map((fault) => [fault.param.split(/[.[]/)[0], fault.message])));
  } catch {
    // Any other body names no field.
  }
}

function showFaults(faults) {
  for (const field of form.querySelectorAll('[data-kind]')) {
    const note = at(`${field.id}-fault`);
    const message = faults[field.name];
    note.hidden = message === undefined;
    note.replaceChildren(...withCode(message ?? ''));
    if (message === undefined) field.removeAttribute('aria-invalid');
    else field.setAttribute('aria-invalid', 'true');
    if (message !== undefined) field.closest('details')?.setAttribute('open', '');
  }
}

/** A text whose names in `backticks` are code. */
function withCode(text) {
  return text.split('`').map((part, index) => {
    const node = document.createElement(index % 2 === 1 ? 'code' : 'span');
    node.textContent = part;
    return node;
  });
}

const count = (value) => value.toLocaleString('en');

follow();
form.querySelector('.primary').disabled = open !== 'true';
