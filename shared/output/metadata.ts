import type { Document, Element } from 'domhandler';
import type { Metadata } from '../contract/scrape/output.ts';
import { dated } from './metadata/dated.ts';
import { feedsOf } from './metadata/feeds-of.ts';
import { first } from './metadata/first.ts';
import { isLink } from './metadata/is-link.ts';
import { imagesOf, jsonLdOf, mainNodeOf, nameOf, textOf } from './metadata/json-ld.ts';
import { metaTags } from './metadata/meta-tags.ts';
import { microdataOf } from './metadata/microdata-of.ts';
import { present } from './metadata/present.ts';
import { find, rawText } from '../html/tree.ts';

type Absolute = (href: string) => string | undefined;

/** What a page says about itself: its structured data first, then Open Graph, then its `meta` elements. */
export function metadataOf(document: Document, absolute: Absolute): Metadata {
  const metas = metaTags(document);
  const { blocks: jsonLd, omitted } = jsonLdOf(document);
  const main = mainNodeOf(jsonLd);
  const meta = (...names: string[]) => first(...names.map((name) => metas[name]));
  const micro = (name: string) => microdataOf(document, name);
  const link = (rel: string) => find(document, (element) => isLink(element, rel))?.attribs.href;
  const html = find(document, ({ name }) => name === 'html');
  const title = find(document, ({ name, parent }) => name === 'title' && !isIn(parent, 'svg'));
  const url = (text: string | undefined) => (text ? absolute(text) : undefined);
  const published = meta('article:published_time', 'date', 'dc.date');
  const images = [
    metas['og:image'],
    metas['og:image:url'],
    metas['twitter:image'],
    ...imagesOf(main.image),
    micro('image'),
  ];
  return present({
    title: first(meta('og:title', 'twitter:title'), title && rawText(title), textOf(main.headline)),
    description: first(
      meta('og:description', 'description', 'twitter:description'),
      textOf(main.description),
    ),
    language: first(html?.attribs.lang, html?.attribs['xml:lang'], meta('content-language', 'og:locale')),
    canonical: url(first(link('canonical'), metas['og:url'])),
    author: first(nameOf(main.author), meta('author', 'article:author'), micro('author')),
    published_at: dated(first(textOf(main.datePublished), published, micro('datePublished'))),
    site_name: first(meta('og:site_name', 'application-name'), nameOf(main.publisher)),
    // One of data is none that others could show.
    image: images.map((each) => url(first(each))).find((each) => each !== undefined),
    feeds: feedsOf(document, absolute),
    json_ld: jsonLd,
    json_ld_omitted: omitted > 0 ? omitted : undefined,
  });
}

function isIn(parent: Element['parent'], name: string): boolean {
  return parent !== null && 'name' in parent && parent.name === name;
}
