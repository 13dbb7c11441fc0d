import { z } from 'zod';
import { TARGET_RULE } from '../../errors.ts';
import { isSelector } from './selector.ts';
import { cacheConditions, cacheFields } from './cache.ts';
import { camelCased } from '../case.ts';
import { captureConditions, captureField } from './capture.ts';
import { documentField } from './document.ts';
import { checkedBy, type Condition } from '../conditions.ts';
import { traits } from './field-traits.ts';
import { jsScenario, scenarioConditions } from './js-scenario.ts';
import { MAX_URL_LENGTH } from './page.ts';
import { modeConditions, modeField } from './mode.ts';
import { withPremiumProxy } from './premium-fields.ts';
import { outputConditions, outputFields } from './output.ts';
import { pictureConditions, pictureFields } from './picture.ts';
import { sliceConditions, sliceFields } from './slice.ts';
import { Cookies, TargetHeaders } from './target-headers.ts';
import { StoredSchema } from './stored-schema.ts';
import { targetConditions, targetRequest } from './target-request.ts';

const MAX_SELECTOR_LENGTH = 1_000;

export const WaitUntil = z.enum(['settled', 'domcontentloaded', 'load', 'networkidle']);
export type WaitUntil = z.infer<typeof WaitUntil>;

export const Device = z.enum(['desktop', 'mobile']);
export type Device = z.infer<typeof Device>;

/** The defaults of the fields that need `render_js`. */
export const RENDER_DEFAULTS = {
  waitUntil: 'settled',
  wait: 0,
  device: 'desktop',
  blockResources: true,
  blockAds: false,
  scroll: false,
} as const;

/** Without `default`: generated clients would send these fields even without `render_js`. */
export const withRenderJs = {
  wait_until: WaitUntil.optional().describe(
    'When the page counts as ready. `settled`: loaded and idle, with no request in flight, no timer due within five seconds of its own clock (which runs ahead), and no frame, worker or image still loading; stops waiting after 5 s. `networkidle`: no request for 500 ms; stops waiting after 10 s, and the page is then `partial`. Only with `render_js`; then `settled` if absent.',
  ),
  wait_for: z
    .string()
    .min(1, { abort: true })
    .max(MAX_SELECTOR_LENGTH)
    .refine(isSelector, 'expected a CSS selector')
    .optional()
    .describe('CSS selector: the page is ready once an element matches. Only with `render_js`.')
    .meta({ examples: ['#content .price'] })
    .register(traits, { secret: true }),
  wait: z
    .int()
    .min(0)
    .max(30_000)
    .optional()
    .describe(
      'Milliseconds to wait after all other conditions, up to 30,000. Only with `render_js`; then 0 if absent.',
    ),
  device: Device.optional().describe(
    'Viewport and user agent together. Only with `render_js`; then `desktop` if absent.',
  ),
  block_resources: z
    .boolean()
    .optional()
    .describe(
      'Do not load images, media and fonts. The page gets an empty image or font at once instead, as if it had loaded. ' +
        'Only with `render_js`; then true if absent.',
    ),
  block_ads: z
    .boolean()
    .optional()
    .describe('Do not load from ad and tracker hosts. Only with `render_js`; then false if absent.'),
  scroll: z
    .boolean()
    .optional()
    .describe(
      'Scroll the page to its end and back before it is read, after a `js_scenario`, to load lazy content: up to 60 windows and 30 s. Only with `render_js`; then false if absent.',
    ),
  js_scenario: jsScenario,
};

/** The fields of a scrape, by their names at the border. */
export const fields = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(MAX_URL_LENGTH)
    .describe(
      `The page to fetch, as an absolute URL: ${TARGET_RULE}. In a query string it is percent-encoded. Its fragment is not sent, but the scripts of a rendered page see it.`,
    )
    .meta({ format: 'uri', examples: ['https://example.com/'] }),
  render_js: z
    .boolean()
    .default(false)
    .describe(
      "Load the page in Chromium and return the rendered DOM instead of the target's bytes. Absent: false.",
    ),
  premium_proxy: z
    .boolean()
    .default(false)
    .describe("Send the requests through the operator's premium upstream proxy. Absent: false."),
  timeout: z
    .int()
    .min(1_000)
    .max(120_000)
    .default(90_000)
    .describe('Milliseconds that the whole scrape may take, from 1,000 to 120,000. Absent: 90,000.')
    .register(traits, { shapesPage: false }),
  headers: TargetHeaders.optional()
    .describe('Headers to send to the origin of the target. Only in the JSON body of a POST.')
    .meta({ examples: [{ 'Accept-Language': 'de' }] })
    .register(traits, { in: 'body', secret: true }),
  cookies: Cookies.optional()
    .describe('Cookies to send to the host of the target: text such as `a=1; b=2`, or an object in JSON.')
    .meta({ examples: [{ theme: 'dark' }] })
    .register(traits, { secret: true }),
  max_credits: z
    .int()
    .min(0)
    .max(1_000_000)
    .optional()
    .describe('Refuse the scrape if it could cost more credits than this. Absent: no limit.')
    .register(traits, { shapesPage: false }),
  ...modeField,
  ...cacheFields,
  ...targetRequest,
  ...outputFields,
  ...documentField,
  ...sliceFields,
  ...captureField,
  ...pictureFields,
  ...withPremiumProxy,
  ...withRenderJs,
});

type Request = z.output<typeof fields>;

const needs = Object.entries({ premium_proxy: withPremiumProxy, render_js: withRenderJs }).flatMap(
  ([needed, group]) =>
    Object.keys(group).map((name) => onlyWith(name as keyof Request, needed as keyof Request)),
);

function onlyWith(name: keyof Request, needed: keyof Request): Condition<Request> {
  const isImplied = (request: Request) => needed === 'render_js' && request.mode !== undefined;
  const isMet = (request: Request) =>
    request[name] === undefined || request[needed] !== false || isImplied(request);
  return { name, error: `only allowed with ${needed}`, isMet };
}

/** The JSON body of a POST, and under the same names the query string of a GET. */
export const ScrapeRequest = camelCased(withConditions(fields));
export type ScrapeRequest = z.infer<typeof ScrapeRequest>;

/** The request as stored with a job. Fields of a later version are dropped, which allows rollbacks. */
export const StoredRequest = camelCased(
  z.object({ ...fields.shape, extract_schema: StoredSchema.optional() }),
);

/** Fields that are taken only with another one, or without it. */
export function withConditions<S extends z.ZodType<Request>>(schema: S): S {
  return checkedBy<Request, S>(schema, [
    ...needs,
    ...modeConditions,
    ...cacheConditions,
    ...targetConditions,
    ...outputConditions,
    ...sliceConditions,
    ...captureConditions,
    ...pictureConditions,
    ...scenarioConditions,
  ]);
}

/** The fields by their names at the border, for query strings and for "did you mean". */
export const scrapeFields: Readonly<Record<string, z.ZodType>> = fields.shape;

/** The fields that a query string does not take. */
export const ONLY_IN_JSON: readonly string[] = Object.keys(scrapeFields).filter(
  (name) => traitsOf(name).in === 'body',
);

/** What is known of a field beside its schema. */
export function traitsOf(name: string) {
  const field = scrapeFields[name];
  return (field && traits.get(field)) ?? {};
}
