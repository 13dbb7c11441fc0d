const SHOWN_CHARACTERS = 100_000;

const root = new URL(document.documentElement.dataset.root, location.href).href;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

// The examples get the address of this page's host.
for (const code of all('.hero .code:first-of-type code'))
  code.firstChild.data = code.firstChild.data.replace('https://api.example', root.replace(/\/$/, ''));

for (const button of all('.copy')) {
  // Browsers offer the clipboard to secure origins only.
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 2_000);
  });
}

for (const radio of all('.tabs input'))
  radio.addEventListener('change', () => {
    for (const other of all(`.tabs input[value="${radio.value}"]`)) other.checked = true;
  });

// The key and ids that forms share stay in this tab until it is closed.
const IDS = ['job_id', 'batch_id', 'crawl_id', 'webhook_id', 'delivery_id'];
const SHARED = ['key', ...IDS];
for (const field of all('.try [name]')) {
  if (!SHARED.includes(field.name)) continue;
  field.value = sessionStorage.getItem(field.name) ?? field.value;
  field.addEventListener('input', () => sessionStorage.setItem(field.name, field.value));
}

for (const form of all('.try form'))
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const button = form.querySelector('button');
    const outcome = form.querySelector('.outcome');
    button.disabled = true;
    outcome.textContent = 'Waiting for the response…';
    try {
      await send(form, outcome);
    } catch (error) {
      outcome.textContent = `The request failed: ${error.message}`;
    } finally {
      button.disabled = false;
    }
  });

async function send(form, outcome) {
  const startedAt = performance.now();
  const response = await fetch(urlOf(form), requestOf(form));
  const bytes = await response.arrayBuffer();
  const facts = [
    `${response.status} ${response.statusText}`,
    creditsOf(response.headers),
    `${bytes.byteLength.toLocaleString('en-US')} bytes`,
    `${Math.round(performance.now() - startedAt).toLocaleString('en-US')} ms`,
  ];
  outcome.textContent = facts.filter(Boolean).join(' · ');
  const received = form.querySelector('.received');
  received.hidden = bytes.byteLength === 0;
  received.textContent = textOf(bytes, response.headers.get('Content-Type') ?? '');
  received.scrollTop = 0;
}

function urlOf({ dataset, elements }) {
  const query = new URLSearchParams(elements.more?.value);
  let path = dataset.path.slice(1);
  for (const { name, value, dataset: field } of elements) {
    if (field.in === 'path') path = path.replace(`{${name}}`, encodeURIComponent(value));
    if (field.in === 'query') query.set(name, value);
  }
  return `${root}${path}${query.size > 0 ? `?${query}` : ''}`;
}

function requestOf({ dataset, elements }) {
  const headers = new Headers();
  if (elements.key) headers.set('Authorization', `Bearer ${elements.key.value.trim()}`);
  if (elements.body) headers.set('Content-Type', 'application/json');
  return { method: dataset.method, headers, body: elements.body?.value, cache: 'no-store' };
}

function creditsOf(headers) {
  const left = headers.get('X-Credits-Remaining');
  const used = headers.get('X-Credits-Used');
  if (used === null) return '';
  return `${used} credits used${left === null ? '' : `, ${left} left`}`;
}

/** The body as text, never as markup, because the page is not trusted. */
function textOf(bytes, type) {
  if (!/^text\/|json|xml/.test(type)) return `(${type || 'no type'})`;
  const text = new TextDecoder().decode(bytes);
  if (/json/.test(type)) keepIds(text);
  if (text.length <= SHOWN_CHARACTERS) return text;
  return `${text.slice(0, SHOWN_CHARACTERS)}\n… cut off after ${SHOWN_CHARACTERS.toLocaleString('en-US')} characters`;
}

/** Keeps the ids of a response for the forms of other operations. A fetched page never replaces the key. */
function keepIds(text) {
  for (const [name, value] of Object.entries(parsed(text) ?? {}))
    if (IDS.includes(name) && typeof value === 'string') sessionStorage.setItem(name, value);
}

/** Undefined if it is no JSON, such as lines of JSON. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// As on many sites, a slash begins a search.
addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName)) return;
  const field = all('.search input').find((input) => input.checkVisibility());
  if (!field) return;
  event.preventDefault();
  field.focus();
});

// On a phone the contents cover the page until a link is chosen.
const contents = document.querySelector('#contents');
contents.addEventListener(
  'click',
  ({ target }) => target.closest('a') && contents.matches(':popover-open') && contents.hidePopover(),
);

// The current page is in the middle of long contents.
const here = contents.querySelector('[aria-current]');
if (here) contents.scrollTop = here.offsetTop - contents.clientHeight / 2;

// Marks the current section in the contents.
const links = new Map(all('#contents a[href^="#"]').map((link) => [link.hash.slice(1), link]));
const places = [...links.keys()].map((id) => document.getElementById(id));
if (places.length > 0) {
  addEventListener('scroll', markCurrent, { passive: true });
  markCurrent();
}

function markCurrent() {
  const passed = places.filter((place) => place.getBoundingClientRect().top < innerHeight / 3);
  const current = links.get((passed.at(-1) ?? places[0]).id);
  for (const link of links.values()) link.removeAttribute('aria-current');
  current.setAttribute('aria-current', 'location');
}
