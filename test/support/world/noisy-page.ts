import { randomOf, type Random } from './random.ts';

const WORDS =
  'river stone market garden window silver winter letter morning engine harbour forest paper bridge summer copper island kitchen yellow travel'.split(
    ' ',
  );
const HEX = '0123456789abcdef'.split('');

/** What a page says: the same for the same seed, apart from one word that another one can replace. */
export type Told = { seed: number; word?: string };

/** A page of a shop, with the nonces, ads and clocks of one visit. */
export function noisyPage({ seed, word }: Told, visit: number): string {
  const told = randomOf(seed);
  const noise = noiseOf(randomOf(visit));
  const paragraphs = Array.from({ length: 3 + told.int(8) }, () =>
    Array.from({ length: 12 + told.int(30) }, () => told.of(WORDS)),
  );
  const changed = told.of(paragraphs);
  if (word !== undefined) changed[told.int(changed.length)] = word;
  const blocks = paragraphs.map((words) => blockOf(words.join(' '), told, noise));
  return `<!doctype html><html><head><title>Shop</title><script nonce="${noise.hex(16)}">var t=${noise.epoch()}</script>
    <meta name="csrf-token" content="${noise.hex(32)}"><link rel="stylesheet" href="/a.css?v=${noise.hex(8)}"></head>
    <body id="b-${noise.hex(6)}"><main><h1>Harbour market</h1><p>${noise.clock()}</p>
    ${blocks.join('\n')}${noise.ad()}<p>Price: 1,234.50 EUR, ${told.int(90)} in stock</p>
    <form><input type="hidden" name="token" value="${noise.hex(32)}"></form>
    <p>Request ID: ${noise.hex(12)}</p></main><!-- ${noise.epoch()} --></body></html>`;
}

function blockOf(text: string, told: Random, noise: ReturnType<typeof noiseOf>): string {
  const kind = told.int(6);
  const query = `id=${told.int(99)}&utm_source=${noise.hex(4)}&gclid=${noise.hex(20)}&_=${noise.epoch()}`;
  if (kind === 0) return `<ul><li id="${noise.hex(8)}">${text}</li><li>${noise.age()}</li></ul>`;
  if (kind === 1) return `<p>${text} <a href="/p/${told.int(99)}?${query}">more</a></p>`;
  if (kind === 2)
    return `<p>${text}</p><img alt="A ship" src="/i/ship-${noise.hex(8)}a1.png?v=${noise.epoch()}">`;
  if (kind === 3) return `<p>${text}</p>${noise.ad()}<p>Posted ${noise.age()}</p>`;
  if (kind === 4)
    return `<table><tr><th>Name</th><th>Seen</th></tr><tr><td>${text}</td><td>${noise.clock()}</td></tr></table>`;
  return `<h2>${told.of(WORDS)} ${told.int(99)}</h2><p>${text}</p>`;
}

function noiseOf(random: Random) {
  const two = (below: number) => String(random.int(below)).padStart(2, '0');
  const hex = (length: number) => Array.from({ length }, () => random.of(HEX)).join('');
  const time = () => `${two(24)}:${two(60)}:${two(60)}`;
  const day = () => `${1 + random.int(28)}`;
  const n = () => 2 + random.int(50);
  const ads = () => `https://ad${random.int(9)}.example/c/${hex(20)}`;
  return {
    hex,
    epoch: () => 1_700_000_000_000 + random.int(90_000_000_000),
    clock: () =>
      random.of([
        `It is ${time()}.`,
        `It is 2026-11-${two(28)}T${time()}.${two(99)}Z.`,
        `It is ${random.of(['Mon', 'Tue', 'Thu'])}, ${day()} Nov 2026 ${time()} GMT.`,
        `It is November ${day()}, 2026 at ${random.int(12) + 1}:${two(60)}:${two(60)} ${random.of(['AM', 'PM'])}.`,
        `It is ${day()}. November 2026, ${time()} Uhr.`,
      ]),
    age: () =>
      random.of([
        `${n()} minutes ago`,
        `${n()} hr. ago`,
        'just now',
        'an hour ago',
        `vor ${n()} Minuten`,
        `il y a ${n()} heures`,
      ]),
    /** Some visits have no ad there. */
    ad: () =>
      random.of([
        '',
        `<div id="slot-${hex(6)}"><a href="${ads()}"><img src="https://cdn${random.int(9)}.example/${hex(16)}.gif" alt="Advertisement"></a></div>`,
        `<iframe src="${ads()}"></iframe>`,
        `<ins class="adsbygoogle" data-ad-slot="${random.int(999)}"><script>push(${random.int(999)})</script></ins>`,
      ]),
  };
}
