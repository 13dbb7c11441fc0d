import { z } from 'zod';
import { EXTRACTION_CREDITS } from '../contract/scrape/extract-schema.ts';
import { PRICES } from '../contract/scrape/mode.ts';
import { MAX_URL_LENGTH } from '../contract/scrape/page.ts';
import { UNCACHED } from '../contract/scrape/cache.ts';
import { scenarioOf } from './actions.ts';
import { documentFields, FormatOption, formatFields, Parsers, parserWarnings } from './formats.ts';
import { type Fields, type Mapped, refused } from './mapped.ts';

const MAX_TIMEOUT_MS = 120_000;
const MAX_AGE_SECONDS = 2_592_000;

/** Options that this service does not have, unless they ask for nothing. */
const lacking = {
  minAge: z.number().optional(),
  lockdown: z.boolean().optional(),
  redactPII: z.unknown().optional(),
  threatProtection: z.unknown().optional(),
  profile: z.unknown().optional(),
  useMock: z.unknown().optional(),
  auditMetadata: z.unknown().optional(),
  domainTools: z.boolean().optional(),
  zeroDataRetention: z.boolean().optional(),
};

/** Options that change nothing here, or say who sends the request. */
const idle = {
  origin: z.string().optional(),
  integration: z.string().optional(),
  storeInCache: z.boolean().optional(),
  removeBase64Images: z.boolean().optional(),
  fastMode: z.boolean().optional(),
  skipTlsVerification: z.boolean().optional(),
  toolDetail: z.string().optional(),
};

/** How a page is requested, by the names of `/v2/scrape`. */
export const scrapeOptionShape = {
  formats: z.array(FormatOption).max(30).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  includeTags: z.array(z.string()).optional(),
  excludeTags: z.array(z.string()).optional(),
  onlyMainContent: z.boolean().optional(),
  timeout: z.int().min(1_000).optional(),
  waitFor: z.int().min(0).max(30_000).optional(),
  mobile: z.boolean().optional(),
  actions: z
    .array(z.looseObject({ type: z.string() }))
    .max(500)
    .optional(),
  location: z
    .strictObject({ country: z.string(), languages: z.array(z.string().max(35)).max(20) })
    .partial()
    .optional(),
  blockAds: z.boolean().optional(),
  proxy: z.enum(['auto', 'basic', 'enhanced', 'stealth']).optional(),
  maxAge: z.number().min(0).optional(),
  parsers: Parsers.optional(),
  ...lacking,
  ...idle,
};

/** A URL as callers of `/v2` write it: without a scheme it is http. */
export const TargetText = z
  .string()
  .trim()
  .min(1)
  .max(MAX_URL_LENGTH)
  .transform((url) => (/^[a-z][\w+.-]*:/i.test(url) && !/^[\w.-]+:\d/.test(url) ? url : `http://${url}`));

/** The body of `POST /v2/scrape`. */
export const ScrapeBody = z.strictObject({ url: TargetText, ...scrapeOptionShape });

export const ScrapeOptions = z.strictObject(scrapeOptionShape);
export type ScrapeOptions = z.infer<typeof ScrapeOptions>;

/**
 * The fields of a scrape for these options. Throws `invalid_request`, which names what this service does not
 * have: nothing is left out in silence.
 */
export function scrapeFields(options: ScrapeOptions): Mapped {
  assertSupported(options);
  const { fields: formats } = formatFields(options.formats ?? ['markdown']);
  const outputs = formats['formats'] as string[];
  const reading = readingFields(options, outputs);
  const fields = {
    ...formats,
    ...reading.fields,
    ...proxyFields(options, {
      hasPicture: outputs.includes('screenshot'),
      hasModel: 'extract_schema' in formats,
    }),
    ...headerFields(options),
  };
  return { fields: { ...fields, ...ageFields(options, fields) }, warnings: reading.warnings };
}

const TEXTS = ['markdown', 'clean_html', 'change'];

/** How a page or a file is read, once it is there. */
export function readingFields(options: ScrapeOptions, outputs: readonly string[]): Mapped {
  const hasText = TEXTS.some((output) => outputs.includes(output));
  const warnings = WARNINGS.filter(([isDue]) => isDue(options, hasText)).map(([, warning]) => warning);
  return {
    fields: {
      ...(hasText && textFields(options)),
      ...documentFields(options.parsers),
      ...(options.timeout !== undefined && { timeout: Math.min(options.timeout, MAX_TIMEOUT_MS) }),
    },
    warnings: [...warnings, ...parserWarnings(options.parsers)],
  };
}

export function assertSupported(options: ScrapeOptions): void {
  const names = (Object.keys(lacking) as (keyof typeof lacking)[]).filter((name) => Boolean(options[name]));
  const [first] = names;
  if (first === undefined) return;
  throw refused(first, `These options are not supported here: ${names.join(', ')}.`);
}

function textFields({ includeTags = [], excludeTags = [], onlyMainContent = true }: ScrapeOptions): Fields {
  const scope = onlyMainContent ? 'auto' : 'full';
  return {
    ...(includeTags.length > 0 ? { include_selectors: includeTags } : { scope }),
    ...(excludeTags.length > 0 && { exclude_selectors: excludeTags }),
  };
}

type Proxy = NonNullable<ScrapeOptions['proxy']>;

/** What a proxy is as a way to request the page. Without one, the ways end before the premium proxy. */
const PROXIES: Readonly<Record<Proxy, (needsBrowser: boolean, besides: number) => Fields>> = {
  auto: () => ({ mode: 'auto' }),
  basic: (_, besides) => ({ mode: 'auto', max_credits: PRICES.rendered + besides }),
  enhanced: premium,
  stealth: premium,
};

function premium(needsBrowser: boolean): Fields {
  return { premium_proxy: true, ...(needsBrowser && { render_js: true }) };
}

type Needed = { hasPicture: boolean; hasModel: boolean };

function proxyFields(options: ScrapeOptions, { hasPicture, hasModel }: Needed): Fields {
  const { waitFor = 0, mobile = false, actions = [], blockAds = true, proxy = 'auto' } = options;
  const needsBrowser = hasPicture || waitFor > 0 || mobile || actions.length > 0;
  return {
    ...PROXIES[proxy](needsBrowser, hasModel ? EXTRACTION_CREDITS : 0),
    // A page that is requested without a browser loads no ads.
    ...(needsBrowser && { block_ads: blockAds }),
    ...(waitFor > 0 && { wait: waitFor }),
    ...(mobile && { device: 'mobile' }),
    ...(actions.length > 0 && { js_scenario: scenarioOf(actions) }),
    ...(isPremium(options) && location(options)),
  };
}

const isPremium = ({ proxy }: ScrapeOptions) => proxy === 'enhanced' || proxy === 'stealth';
const location = ({ location: { country } = {} }: ScrapeOptions) =>
  country === undefined ? {} : { country_code: country };

function headerFields({ headers = {}, location: { languages = [] } = {} }: ScrapeOptions): Fields {
  const isSet = Object.keys(headers).some((name) => name.toLowerCase() === 'accept-language');
  const all = { ...headers, ...(languages.length > 0 && !isSet && { 'Accept-Language': languages.join() }) };
  return Object.keys(all).length > 0 ? { headers: all } : {};
}

/** A new page is never too old, so options that a kept page cannot have need none. */
function ageFields({ maxAge = 0 }: ScrapeOptions, fields: Fields): Fields {
  const seconds = Math.min(Math.floor(maxAge / 1_000), MAX_AGE_SECONDS);
  const isKept = !UNCACHED.some((name) => name in fields) && !('change' in fields);
  return seconds > 0 && isKept ? { max_age: seconds } : {};
}

type Warning = readonly [isDue: (options: ScrapeOptions, hasText: boolean) => boolean, warning: string];

const WARNINGS: readonly Warning[] = [
  [
    ({ skipTlsVerification }) => skipTlsVerification === true,
    'Certificates are always checked: skipTlsVerification has no effect.',
  ],
  [
    ({ timeout = 0 }) => timeout > MAX_TIMEOUT_MS,
    `A page may take ${MAX_TIMEOUT_MS} ms at most: a longer timeout has no effect.`,
  ],
  [
    (options) => options.location?.country !== undefined && !isPremium(options),
    'location.country has an effect only with the proxy enhanced.',
  ],
  [
    ({ includeTags = [], excludeTags = [] }, hasText) =>
      !hasText && includeTags.length + excludeTags.length > 0,
    'includeTags and excludeTags have an effect only on markdown, html and changeTracking.',
  ],
];
