import { type Random, randomOf } from '../world/random.ts';

/** A page of a random web, or why there is none. */
export type WebPage = {
  status: number;
  links: string[];
  redirectsTo?: string;
  canonical?: string;
  bytes: string;
  contentUsage?: string;
  lastModified?: string;
  /** Attempts that fail before the page comes. */
  faults?: number;
};

export type RandomWeb = { pages: Map<string, WebPage>; files: Map<string, string>; seed: string };

const HOSTS = ['a.example', 'www.a.example', 'b.example', 'slow.example', 'off.test'];

/** Some hundred pages with redirects, canonicals, duplicates, traps, robots.txt and sitemaps. */
export function randomWeb(seed: number, size: number): RandomWeb {
  const random = randomOf(seed);
  const urls = Array.from({ length: size }, (_, n) => urlOf(random, n));
  const pages = new Map(urls.map((url, n) => [url, pageOf(random, urls, n)]));
  const files = new Map<string, string>();
  for (const [n, host] of HOSTS.slice(0, 4).entries()) {
    // A host has the same sitemaps with and without `www.`.
    if (n === 1) for (const [url, text] of [...files]) files.set(url.replace('//', '//www.'), text);
    if (n === 1) continue;
    const listed = random.some(urls, 0.15);
    const delay = host === 'slow.example' ? 'Crawl-delay: 5\n' : '';
    const signal = n === 2 ? 'Content-Signal: ai-train=no\n' : '';
    files.set(
      `https://${host}/robots.txt`,
      `User-agent: *\nDisallow: /private\n${delay}${signal}\nSitemap: https://${host}/index.xml\n`,
    );
    files.set(`https://${host}/index.xml`, index([`https://${host}/one.xml`, `https://${host}/two.xml`]));
    const half = Math.floor(listed.length / 2);
    files.set(`https://${host}/one.xml`, urlset(listed.slice(0, half)));
    files.set(`https://${host}/two.xml`, urlset(listed.slice(half)));
  }
  return { pages, files, seed: urls[0] ?? '' };
}

function urlOf(random: Random, n: number): string {
  if (n === 0) return 'https://a.example/';
  const host = random.of([...HOSTS, 'a.example', 'a.example', 'b.example']);
  const scheme = random.chance(0.1) ? 'http' : 'https';
  const folder = random.of(['', 'shop/', 'shop/private/', 'private/', 'deep/er/']);
  const query = random.chance(0.2) ? `?q=${n % 7}&utm_source=x` : '';
  return `${scheme}://${host}/${folder}${n}${query}`;
}

function pageOf(random: Random, urls: readonly string[], n: number): WebPage {
  const some = () => random.of(urls);
  const page: WebPage = {
    status: random.chance(0.1) ? random.of([404, 410, 500, 403]) : 200,
    links: [...Array.from({ length: random.int(9) }, some), ...odd(random, n)],
    bytes: random.chance(0.15) ? `same ${random.int(4)}` : `page ${n}`,
  };
  if (n === 0) return { ...page, status: 200, links: [...page.links, ...urls.slice(1, 12)] };
  if (random.chance(0.12)) page.redirectsTo = random.chance(0.3) ? `https://b.example/new/${n}` : some();
  if (random.chance(0.1)) page.canonical = random.chance(0.5) ? some() : `https://a.example/canonical/${n}`;
  if (random.chance(0.05)) page.contentUsage = 'train-ai=n';
  if (random.chance(0.1)) page.faults = 1 + random.int(2);
  return page;
}

function odd(random: Random, n: number): string[] {
  const all = [
    `https://a.example/x/${n}/x/y/x`,
    `https://a.example/${'l'.repeat(2_100)}`,
    'mailto:someone@a.example',
    `https://a.example/lost/${n}`,
  ];
  return random.some(all, 0.08);
}

const urlset = (urls: readonly string[]) =>
  `<urlset>${urls.map((url) => `<url><loc>${url.replaceAll('&', '&amp;')}</loc></url>`).join('')}</urlset>`;
const index = (urls: readonly string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;

/** A web of a few pages of `https://a.example`, by their paths or whole URLs, the first of which is the seed. */
export function webOf(
  pages: Record<string, Partial<WebPage>>,
  files: Record<string, string> = { '/robots.txt': '' },
): RandomWeb {
  const home = 'https://a.example/';
  const absolute = (path: string) => new URL(path, home).href;
  const entries = Object.entries(pages).map(([path, { links = [], redirectsTo, canonical, ...page }]) => {
    const to = {
      ...(redirectsTo && { redirectsTo: absolute(redirectsTo) }),
      ...(canonical && { canonical: absolute(canonical) }),
    };
    const whole: WebPage = { status: 200, bytes: `page ${path}`, ...page, ...to, links: links.map(absolute) };
    return [absolute(path), whole] as const;
  });
  const texts = Object.entries(files).map(([path, text]) => [absolute(path), text] as const);
  return { pages: new Map(entries), files: new Map(texts), seed: entries[0]?.[0] ?? home };
}
