import { expect, test } from 'vitest';
import { converted } from '../support/world/converted.ts';

const linksOf = (html: string) => converted(html, { outputs: ['links'] }).links;
const metadataOf = (html: string) => converted(html, { outputs: ['metadata'] }).metadata;

test('links are absolute, in order and each once, with their text and rel', () => {
  const html = `<a href="/b" rel="nofollow ugc"> B <b>b</b></a><a href="a">A</a><a href="/b">again</a>
      <a href="//cdn.example/x"><div>One</div><div>Two</div></a><a href="mailto:a@b.c">Mail</a>`;
  expect(linksOf(html)).toEqual([
    { url: 'https://example.com/b', text: 'B b', rel: 'nofollow ugc' },
    { url: 'https://example.com/shop/a', text: 'A', rel: '' },
    { url: 'https://cdn.example/x', text: 'One Two', rel: '' },
    { url: 'mailto:a@b.c', text: 'Mail', rel: '' },
  ]);
});

test('links have the text of a picture or a label if they have none, and the first text that a page gives', () => {
  const html = `<a href="/1"><img src="i" alt="Logo"></a><a href="/2" aria-label="Close"></a>
      <a href="/3"></a><a href="/3">Three</a><map><area href="/4" alt="Area"></map>`;
  expect(linksOf(html)?.map(({ text }) => text)).toEqual(['Logo', 'Close', 'Three', 'Area']);
});

test('links lead elsewhere: no scripts, no places on the page', () => {
  const html = '<a href="javascript:x()">a</a><a href="#top">b</a><a href="http://[">c</a><a>d</a>';
  expect(linksOf(html)).toEqual([]);
});

test('metadata comes from the elements of the head', () => {
  const html = `<html lang="de"><head><title> A &amp;
      B </title><meta name="description" content="D"><meta name="author" content="Ada">
      <link rel="canonical" href="/c"><link rel="alternate" type="application/rss+xml" title="News" href="/feed">`;
  expect(metadataOf(html)).toEqual({
    title: 'A & B',
    description: 'D',
    language: 'de',
    canonical: 'https://example.com/c',
    author: 'Ada',
    feeds: [{ url: 'https://example.com/feed', title: 'News', type: 'application/rss+xml' }],
  });
});

test('metadata prefers Open Graph', () => {
  const html = `<title>A | Site</title><meta property="og:title" content="A"><meta property="og:site_name" content="Site">
      <meta property="og:image" content="/i.png"><meta property="article:published_time" content="2026-01-02T03:04:05+01:00">`;
  expect(metadataOf(html)).toEqual({
    title: 'A',
    site_name: 'Site',
    image: 'https://example.com/i.png',
    open_graph: { title: 'A', image: '/i.png', site_name: 'Site' },
    published_at: '2026-01-02T02:04:05.000Z',
  });
});

test('metadata has JSON-LD, and what it says about the page', () => {
  const json = {
    '@graph': [
      {
        '@type': 'NewsArticle',
        headline: 'H',
        author: [{ name: 'Ada' }, { name: 'Alan' }],
        datePublished: '2026-01-02',
        image: { url: '/j.png' },
      },
    ],
  };
  const html = `<script type="application/ld+json">${JSON.stringify(json)}</script><script type="application/ld+json">{broken</script>`;
  expect(metadataOf(html)).toEqual({
    title: 'H',
    author: 'Ada, Alan',
    published_at: '2026-01-02',
    image: 'https://example.com/j.png',
    json_ld: [json],
  });
});

test('metadata has microdata', () => {
  const html =
    '<div itemscope><span itemprop="author"> Ada </span><time itemprop="datePublished" datetime="2026-01-02">';
  expect(metadataOf(html)).toEqual({ author: 'Ada', published_at: '2026-01-02' });
});

test('metadata does not take the title of a picture', () => {
  expect(metadataOf('<svg><title>Icon</title></svg>')).toEqual({});
});

const rss = `<?xml version="1.0"?><rss xmlns:dc="x"><channel><title>News</title><link>https://example.com/</link><description><![CDATA[All <b>news</b>]]></description>
    <language>en</language><item><title>One &amp; only</title><link>/1</link></item><item><title>Two</title><link>/2</link></item></channel></rss>`;
const atom = `<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="fr"><title>Atom</title><link rel="self" href="/feed"/><link href="/home"/><updated>2026-01-02T03:04:05Z</updated>
    <author><name>Ada</name></author><entry><title>E</title><link href="/e" rel="alternate"/></entry></feed>`;
const of = (xml: string, contentType: string) =>
  converted(xml, { contentType, outputs: ['links', 'metadata'] });

test('a feed of RSS has links and metadata', () => {
  expect(of(rss, 'application/rss+xml')).toEqual({
    links: [
      { url: 'https://example.com/1', text: 'One & only', rel: '' },
      { url: 'https://example.com/2', text: 'Two', rel: '' },
    ],
    metadata: {
      title: 'News',
      description: 'All <b>news</b>',
      language: 'en',
      canonical: 'https://example.com/',
    },
  });
});

test('a feed of Atom has links and metadata', () => {
  expect(of(atom, 'application/atom+xml; charset=utf-8')).toEqual({
    links: [{ url: 'https://example.com/e', text: 'E', rel: 'alternate' }],
    metadata: {
      title: 'Atom',
      language: 'fr',
      canonical: 'https://example.com/home',
      author: 'Ada',
      published_at: '2026-01-02T03:04:05.000Z',
    },
  });
});

test('a feed of Atom has absolute URLs by its xml:base, and titles without their markup', () => {
  const xml = `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://blog.example/news/"><title type="html">Rock &amp;amp; &lt;b&gt;Roll&lt;/b&gt;</title>
      <link href="./"/><entry><title type="html">A &amp;lt; B</title><link href="one"/></entry>
      <entry xml:base="2026/"><title>Two</title><link href="two"/></entry></feed>`;
  expect(of(xml, 'application/atom+xml')).toEqual({
    links: [
      { url: 'https://blog.example/news/one', text: 'A < B', rel: '' },
      { url: 'https://blog.example/news/2026/two', text: 'Two', rel: '' },
    ],
    metadata: { title: 'Rock & Roll', canonical: 'https://blog.example/news/' },
  });
});

test('a sitemap has its addresses', () => {
  const xml =
    '<urlset><url><loc>https://example.com/a</loc></url><url><loc>https://example.com/b</loc></url></urlset>';
  expect(of(xml, 'text/xml').links?.map(({ url }) => url)).toEqual([
    'https://example.com/a',
    'https://example.com/b',
  ]);
});

test('a feed has no text of a page', () => {
  expect(() => converted(rss, { contentType: 'text/xml', outputs: ['markdown'] })).toThrow(/text\/xml/);
});
