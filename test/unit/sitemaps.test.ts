import { expect, test } from 'vitest';
import { readSitemap } from '../../shared/domain/crawls/sitemaps.ts';

const BASE = 'https://example.com/maps/sitemap.xml';

function read(text: string | Uint8Array, type?: string) {
  const parts = [...readSitemap(typeof text === 'string' ? Buffer.from(text) : text, BASE, type)];
  const entries = parts.flatMap((part) => part.entries);
  return {
    kind: parts.at(-1)?.kind,
    isCut: parts.some(({ isCut }) => isCut),
    pages: entries.filter(({ isSitemap }) => !isSitemap).map(({ url }) => url.href),
    sitemaps: entries.filter(({ isSitemap }) => isSitemap).map(({ url }) => url.href),
    facts: entries.map(({ lastmod, title }) => [lastmod, title]),
  };
}

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const urlset = (content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NS}>${content}</urlset>`;
const pagesOf = (text: string | Uint8Array, type?: string) => read(text, type).pages;
const A = 'https://example.com/a';

test('a sitemap has pages, each with the time of its change', () => {
  const text = urlset(
    `<url><loc>${A}</loc><lastmod>2026-11-21T10:00:00+01:00</lastmod></url><url><loc>${A}b</loc></url>`,
  );
  expect(read(text)).toEqual({
    kind: 'sitemap',
    isCut: false,
    pages: [A, `${A}b`],
    sitemaps: [],
    facts: [
      ['2026-11-21T09:00:00.000Z', undefined],
      [undefined, undefined],
    ],
  });
});

test('an index has sitemaps, and a file with sitemaps and pages is read as both', () => {
  const index = `<sitemapindex ${NS}><sitemap><loc>/one.xml</loc></sitemap><url><loc>${A}</loc></url></sitemapindex>`;
  expect(read(index)).toMatchObject({ sitemaps: ['https://example.com/one.xml'], pages: [A] });
  const mixed = urlset(`<url><loc>${A}</loc></url><sitemap><loc>https://example.com/two.xml</loc></sitemap>`);
  expect(read(mixed)).toMatchObject({ sitemaps: ['https://example.com/two.xml'], pages: [A] });
});

test.each([
  ['CDATA', `<url><loc><![CDATA[ ${A}?b=1&c=2 ]]></loc></url>`, `${A}?b=1&c=2`],
  ['entities', `<url><loc>${A}?b=1&amp;c=&#50;</loc></url>`, `${A}?b=1&c=2`],
  ['a bare ampersand', `<url><loc>${A}?b=1&c=2</loc></url>`, `${A}?b=1&c=2`],
  ['white space', `<url>\n  <loc>\n    ${A}\n  </loc>\n</url>`, A],
  ['a relative URL', '<url><loc>../a</loc></url>', A],
  ['a comment', `<!-- <url><loc>${A}x</loc></url> --><url><loc>${A}</loc></url>`, A],
  ['a picture', `<url><image:image><image:loc>${A}.png</image:loc></image:image><loc>${A}</loc></url>`, A],
  [
    'a picture after it',
    `<url><loc>${A}</loc><image:image><image:loc>${A}.png</image:loc></image:image></url>`,
    A,
  ],
  [
    'a video',
    `<url><loc>${A}</loc><video:video><video:player_loc>${A}.mp4</video:player_loc></video:video></url>`,
    A,
  ],
  [
    'other languages',
    `<url><loc>${A}</loc><xhtml:link rel="alternate" hreflang="de" href="${A}de"/></url>`,
    A,
  ],
  ['two locations', `<url><loc>${A}</loc><loc>${A}b</loc></url>`, A],
])('a URL is read with %s', (_, content, url) => {
  expect(pagesOf(urlset(content))).toEqual([url]);
});

test('a title of news is the title, a title of a picture is not', () => {
  const news = `<url><loc>${A}</loc><image:image><image:title>No</image:title></image:image><news:news><news:title>Big &amp; new</news:title></news:news></url>`;
  expect(read(urlset(news)).facts).toEqual([[undefined, 'Big & new']]);
});

test('a prefix, other cases and a byte order mark change nothing', () => {
  const text = `\uFEFF<sm:urlset xmlns:sm="http://www.sitemaps.org/schemas/sitemap/0.9"><sm:URL><sm:Loc>${A}</sm:Loc></sm:URL></sm:urlset>`;
  expect(pagesOf(text)).toEqual([A]);
});

test('other charsets are read: as declared, by a byte order mark, or by the type', () => {
  const accented = `<url><loc>${A}/é</loc></url>`;
  const declared = urlset(accented).replace('UTF-8', 'ISO-8859-1');
  const url = `${A}/%C3%A9`;
  expect(pagesOf(Buffer.from(declared, 'latin1'), 'application/octet-stream')).toEqual([url]);
  expect(pagesOf(Buffer.from(`\uFEFF${urlset(accented)}`, 'utf16le'))).toEqual([url]);
  const bare = Buffer.from(`<urlset>${accented}</urlset>`, 'latin1');
  expect(pagesOf(bare, 'text/xml; charset=iso-8859-1')).toEqual([url]);
});

test.each(['text/html', 'text/plain; charset=utf-8', 'application/x-gzip', 'image/png', ''])(
  'a sitemap sent as %j is read',
  (type) => {
    expect(pagesOf(urlset(`<url><loc>${A}</loc></url>`), type)).toEqual([A]);
  },
);

test.each([
  ['an HTML page', '<!doctype html><html><body><url><loc>https://example.com/a</loc></url></body></html>'],
  ['an XHTML page', '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"></html>'],
  ['other XML', '<note><url><loc>https://example.com/a</loc></url></note>'],
  ['text', 'Not found. See https://example.com/ for more.'],
  ['JSON', '{"url": "https://example.com/a"}'],
  ['nothing', ''],
  ['bytes', '\u0000\u0001\u0002'],
])('%s is no sitemap', (_, text) => {
  expect(read(text)).toMatchObject({ kind: undefined, pages: [] });
});

test('a sitemap that is cut off has its whole URLs', () => {
  const text = urlset(`<url><loc>${A}</loc></url><url><loc>${A}b</loc><lastmod>2026`);
  const cut = text.slice(0, -'</urlset>'.length);
  expect(read(cut)).toMatchObject({ isCut: true, pages: [A, `${A}b`] });
  expect(read(cut.slice(0, cut.indexOf('b</loc>')))).toMatchObject({ isCut: true, pages: [A] });
});

test('elements nested without end are no sitemap, and do not fill the memory', () => {
  expect(read(`<urlset>${'<a>'.repeat(500_000)}`)).toMatchObject({ kind: undefined, pages: [] });
});

test('a text file has a URL in each line', () => {
  const text = `\uFEFF${A}\r\n\r\n  ${A}b  \nnot a url\nftp://example.com/\nhttps://example.com/two urls\n${A}c`;
  expect(read(text)).toMatchObject({ kind: 'sitemap', pages: [A, `${A}b`, `${A}c`] });
});

test('large files are read in pieces, and nothing is lost between them', () => {
  const count = 20_000;
  const urls = Array.from({ length: count }, (_, at) => `https://example.com/page/${at}`);
  const xml = Buffer.from(urlset(urls.map((url) => `<url><loc>${url}</loc></url>`).join('\n')));
  expect([...readSitemap(xml, BASE)].length).toBeGreaterThan(10);
  expect(pagesOf(xml)).toEqual(urls);
  expect(pagesOf(urls.join('\n'))).toEqual(urls);
});

test('an RSS feed has what its items lead to', () => {
  const rss = `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>
    <title>Blog</title><link>https://example.com/</link><atom:link href="https://example.com/feed" rel="self"/>
    <image><url>https://example.com/logo.png</url><title>Logo</title><link>https://example.com/</link></image>
    <item><title>One &lt;b&gt;bold&lt;/b&gt;</title><link>${A}</link><pubDate>Sat, 21 Nov 2026 10:00:00 GMT</pubDate></item>
    <item><guid>${A}b</guid><image><url>https://example.com/b.png</url></image><title>Two</title></item>
    <item><guid isPermaLink="false">42</guid></item></channel></rss>`;
  expect(read(rss)).toMatchObject({
    kind: 'feed',
    pages: [A, `${A}b`],
    facts: [
      ['2026-11-21T10:00:00.000Z', 'One bold'],
      [undefined, 'Two'],
    ],
  });
});

test('an Atom feed has the alternate link of its entries', () => {
  const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://example.com/blog/"><link href="/"/>
    <entry xml:base="2026/"><title type="html">One</title><link rel="edit" href="/edit"/><link href="one"/><updated>2026-11-21T10:00:00Z</updated></entry>
    <entry><link rel="alternate" href="two"/><source><title>Other</title></source></entry></feed>`;
  expect(read(atom)).toMatchObject({
    kind: 'feed',
    pages: ['https://example.com/blog/2026/one', 'https://example.com/blog/two'],
    facts: [
      ['2026-11-21T10:00:00.000Z', 'One'],
      [undefined, undefined],
    ],
  });
});

test('an RSS 1.0 feed has its items beside the channel', () => {
  const rdf = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><channel><link>/</link></channel><item><link>${A}</link><dc:date>2026-11-21</dc:date></item></rdf:RDF>`;
  expect(read(rdf)).toMatchObject({ kind: 'feed', pages: [A], facts: [['2026-11-21', undefined]] });
});
