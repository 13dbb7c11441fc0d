import { articles, type Article } from './articles.ts';
import { products, type Product } from './products.ts';

type MagazinePage = { title: string; body: string; lastmod: string };

const ROOT = '/magazine/';
/** When pages without a day of their own were changed. */
const OPENED = '2026-09-01';

const link = (path: string, text = titleOf(path)) => `<a href="${ROOT}${path}">${text}</a>`;
const list = (links: readonly string[]) => `<ul>${links.map((each) => `<li>${each}</li>`).join('')}</ul>`;
const below = <T extends { path: string }>(all: readonly T[], folder: string) =>
  all.filter(({ path }) => path.startsWith(folder));

/** Pages that are neither an article nor a product. */
const sections: Readonly<Record<string, { title: string; body: () => string }>> = {
  '': { title: 'Crumb', body: front },
  'baking/': { title: 'Baking', body: () => shelf(articles, 'baking/') },
  'places/': { title: 'Places', body: () => shelf(articles, 'places/') },
  archive: { title: 'All articles', body: () => list(articles.map((it) => `${it.day} ${link(it.path)}`)) },
  'shop/': {
    title: 'Shop',
    body: () => list(['shop/tools/', 'shop/flour/', 'shop/delivery'].map((path) => link(path))),
  },
  'shop/tools/': { title: 'Tools', body: () => shelf(products, 'shop/tools/') },
  'shop/flour/': { title: 'Flour and salt', body: () => shelf(products, 'shop/flour/') },
  'shop/delivery': {
    title: 'Delivery',
    body: () =>
      '<p>Orders leave on Tuesdays and Fridays. Delivery costs 5 euros, and nothing from 60 euros on.</p><p>Flour is milled to order, which takes a week.</p>',
  },
  about: {
    title: 'About Crumb',
    body: () =>
      `<p>Crumb is a small magazine about bread and those who make it. It appears on Thursdays. ${link('contact', 'Write to us')} if you know a baker whom we should visit.</p>`,
  },
  contact: {
    title: 'Contact',
    body: () => '<p>Crumb, Mill Lane 3, Aubel. Telephone on weekdays from nine to noon.</p>',
  },
};

/** Robots.txt disallows it. */
const CART = `${ROOT}cart`;

const pages: ReadonlyMap<string, MagazinePage> = new Map([
  ...Object.entries(sections).map(([path, { title, body }]) => [path, page(path, title, body())] as const),
  ...articles.map((it) => [it.path, page(it.path, it.title, article(it), it.day)] as const),
  ...products.map((it) => [it.path, page(it.path, it.name, product(it))] as const),
]);

/** A page of the demo magazine by its path below `/magazine/`. */
export function magazinePage(path: string): MagazinePage | undefined {
  const isCart = ROOT + path === CART;
  return isCart ? page(path, 'Your cart', '<p>Your cart is empty.</p>') : pages.get(path);
}

/** What the site at an origin says to crawlers. */
export const crawlerFiles: Readonly<Record<string, { type: string; body: (origin: string) => string }>> = {
  '/robots.txt': {
    type: 'text/plain; charset=utf-8',
    body: (origin) => `User-agent: *\nDisallow: ${CART}\n\nSitemap: ${origin}/sitemap.xml\n`,
  },
  '/sitemap.xml': { type: 'application/xml', body: sitemap },
};

function sitemap(origin: string): string {
  const urls = [...pages].map(
    ([path, { lastmod }]) => `<url><loc>${origin}${ROOT}${path}</loc><lastmod>${lastmod}</lastmod></url>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join('\n')}</urlset>\n`;
}

function titleOf(path: string): string {
  const article = articles.find((it) => it.path === path)?.title;
  return article ?? products.find((it) => it.path === path)?.name ?? sections[path]?.title ?? path;
}

function page(path: string, title: string, content: string, lastmod = OPENED): MagazinePage {
  const menu = ['', 'baking/', 'places/', 'shop/', 'archive', 'about'].map((each) => link(each));
  const folders = path.split('/').slice(0, -1);
  const trail = folders.map((_, depth) => link(`${folders.slice(0, depth + 1).join('/')}/`));
  const body = `<nav>${menu.join(' · ')}</nav><main><p>${trail.join(' › ')}</p><h1>${title}</h1>${content}</main>
<footer>${link('shop/delivery')} · ${link('contact')} · <a href="${CART}">Cart</a></footer>`;
  return { title, body, lastmod };
}

function front(): string {
  const newest = articles.toReversed().slice(0, 3);
  const lead = newest.map((it) => `<h2>${link(it.path)}</h2><p>${it.summary}</p>`).join('');
  return `<p>A magazine about bread, with a small shop.</p>${lead}<h2>From the shop</h2>${list(products.slice(0, 3).map((it) => link(it.path)))}`;
}

function shelf(all: readonly (Article | Product)[], folder: string): string {
  return list(
    below(all, folder).map((it) =>
      'euros' in it ? `${link(it.path)}, ${it.euros} euros` : `${link(it.path)}: ${it.summary}`,
    ),
  );
}

function article({ day, summary, text, next }: Article): string {
  return `<p><time datetime="${day}">${day}</time> <em>${summary}</em></p>${text.map((each) => `<p>${each}</p>`).join('')}<h2>Read on</h2>${list(next.map((path) => link(path)))}`;
}

function product({ euros, text, facts, about }: Product): string {
  const table = facts.map(([name, value]) => `<tr><th>${name}</th><td>${value}</td></tr>`).join('');
  return `<p>${text}</p><p class="price">${euros}.00 €</p><table>${table}</table><h2>In the magazine</h2>${list(about.map((path) => link(path)))}`;
}
