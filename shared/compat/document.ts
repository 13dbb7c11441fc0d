import type { Change } from '../contract/scrape/change.ts';
import type { Envelope } from '../contract/scrape/envelope.ts';
import type { ScenarioReport } from '../contract/scrape/js-scenario.ts';
import type { CacheState } from '../contract/scrape/cache.ts';
import type { Metadata } from '../contract/scrape/metadata.ts';
import type { Extracted } from '../contract/scrape/output.ts';
import { attributeOf } from './formats.ts';
import { modelMembers } from './model-formats.ts';

/** A page as it came, and how its request ended. */
export type Delivered = {
  envelope: Envelope;
  /** As requested. */
  sourceUrl: string;
  scrapeId: string;
  credits: number;
  isPremium: boolean;
  cache?: CacheState | undefined;
  /** Seconds since the page was current, and when that was read. */
  age?: number | undefined;
  at: Date;
  warnings?: readonly string[];
};

/** Stores a picture, and returns a URL that shows it to anyone. */
export type PictureLink = (picture: { type: string; base64: string }) => Promise<string>;

type Document = Record<string, unknown> & { metadata: Record<string, unknown>; warning?: string };

/** A page in the shape of `/v2`. What is no page, or was not charged, says so in `warning`. */
export async function documentOf(delivered: Delivered, linkTo: PictureLink): Promise<Document> {
  const { envelope, warnings = [] } = delivered;
  const { screenshot, links, images, extract, change, scenario } = envelope;
  const all = [...warningsOf(envelope, delivered.credits), ...warnings];
  return {
    ...(envelope.markdown !== undefined && { markdown: envelope.markdown }),
    ...(envelope.clean_html !== undefined && { html: envelope.clean_html }),
    ...(envelope.html !== undefined && { rawHtml: envelope.html }),
    ...(links && { links: links.map(({ url }) => url) }),
    ...(images && { images }),
    ...(screenshot && { screenshot: await linkTo(screenshot) }),
    ...(extract && membersOf(extract)),
    ...(change && { changeTracking: changeOf(change) }),
    ...(scenario && { actions: await actionsOf(scenario, linkTo) }),
    ...(all.length > 0 && { warning: all.join(' ') }),
    metadata: { ...aboutPage(envelope.metadata ?? {}), ...aboutScrape(delivered) },
  };
}

const WARNINGS: Readonly<Record<string, string>> = {
  bot_wall: 'The target answered with a bot wall instead of the page.',
  login_wall: 'The target answered with a login instead of the page.',
  consent_wall: 'The target answered with a consent form instead of the page.',
  empty: 'The page is empty.',
  payment_required: 'The target wants to be paid for the page.',
};

function warningsOf({ verdict, verdict_by: by, status, ...envelope }: Envelope, credits: number): string[] {
  const wall = verdict && WARNINGS[verdict];
  return [
    ...(wall === undefined ? [] : [by === undefined ? wall : `${wall} It is made by ${by}.`]),
    ...(status >= 400 ? [`The target answered with status ${status}.`] : []),
    ...((wall !== undefined || status >= 400) && credits === 0 ? ['Nothing was charged.'] : []),
    ...(envelope.content_truncated ? ['The page was cut off.'] : []),
    ...(envelope.extract_truncated ? ['Only the beginning of the page was shown to the model.'] : []),
    ...(envelope.document_type === 'mixed' ? ['Some pages of the document are pictures without text.'] : []),
    ...(envelope.render_state === 'partial' ? ['The page was still loading when it was read.'] : []),
    ...(envelope.content_scope === 'selected' && envelope.content_coverage === 0
      ? ['No element with text matches includeTags.']
      : []),
  ];
}

function aboutScrape({ envelope, sourceUrl, scrapeId, credits, isPremium, ...kept }: Delivered) {
  const { url, status, content_type: contentType, document_pages: pages } = envelope;
  const { cache, age, at } = kept;
  return {
    sourceURL: sourceUrl,
    url,
    statusCode: status,
    ...(contentType !== undefined && { contentType }),
    ...(pages !== undefined && { numPages: pages }),
    scrapeId,
    proxyUsed: isPremium ? 'stealth' : 'basic',
    ...(cache && { cacheState: cache === 'hit' ? 'hit' : 'miss' }),
    ...(cache === 'hit' && { cachedAt: new Date(at.getTime() - (age ?? 0) * 1_000).toISOString() }),
    creditsUsed: credits,
    ...(status >= 400 && { error: `The target answered with status ${status}.` }),
  };
}

/** Open Graph properties under `og:title` too, as `/v2` has all `meta` elements. */
function aboutPage({ open_graph: openGraph = {}, published_at: publishedTime, ...page }: Metadata) {
  const { title, description, language, author, canonical, favicon, keywords, robots } = page;
  const known = { title, description, language, author, canonical, favicon, keywords, robots, publishedTime };
  const properties = Object.entries(openGraph).flatMap(([name, value]) => [
    [`og:${name}`, value],
    [ogName(name), value],
  ]);
  const present = Object.entries(known).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...properties, ...present]) as Record<string, string>;
}

/** `locale:alternate` is `ogLocaleAlternate`. */
const ogName = (name: string) =>
  `og${name
    .split(/[:_]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;

function membersOf(extract: Extracted) {
  const attributes = Object.entries(extract).flatMap(([name, values]) => {
    const attribute = attributeOf(name);
    return attribute ? [{ ...attribute, values }] : [];
  });
  return { ...(attributes.length > 0 && { attributes }), ...modelMembers(extract) };
}

function changeOf({ status, previous_at: previousAt, diff }: Change) {
  return {
    previousScrapeAt: previousAt ?? null,
    ...(status && { changeStatus: status }),
    visibility: 'visible',
    ...(diff !== undefined && { diff: { text: diff } }),
  };
}

async function actionsOf({ steps }: ScenarioReport, linkTo: PictureLink) {
  const pictures = steps.flatMap(({ screenshot }) => screenshot ?? []);
  const results = steps.filter(({ step }) => step === 'evaluate').map(({ result }) => result);
  return {
    screenshots: await Promise.all(pictures.map((picture) => linkTo(picture))),
    javascriptReturns: results.map((value) => ({ type: value === null ? 'null' : typeof value, value })),
  };
}
