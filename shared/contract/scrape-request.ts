import { z } from 'zod';
import { isCountry } from '../domain/country.ts';
import { camelCased } from './case.ts';

const MAX_URL_LENGTH = 8_192;

const fields = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(MAX_URL_LENGTH)
    .describe('The page to fetch: an absolute http or https URL. Its fragment is not sent.')
    .meta({ format: 'uri', examples: ['https://example.com/'] }),
  render_js: z
    .boolean()
    .default(false)
    .describe('Load the page in Chromium and return the rendered DOM instead of the bytes of the target.'),
  premium_proxy: z.boolean().default(false).describe("Go out through the operator's premium upstream proxy."),
  country_code: z
    .string()
    .regex(/^[A-Za-z]{2}$/)
    .toUpperCase()
    .refine(isCountry, 'Invalid input: expected an ISO 3166 country code of two letters')
    .optional()
    .describe('ISO 3166 alpha-2 code of the country to go out from. Only with `premium_proxy`.')
    .meta({ examples: ['DE'] }),
  session_id: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/)
    .optional()
    .describe('Keeps the same exit address for 10 minutes. Only with `premium_proxy`.'),
  timeout: z
    .int()
    .min(1_000)
    .max(120_000)
    .default(90_000)
    .describe('Milliseconds that the whole scrape may take.'),
});

/** What a caller asks for: the JSON body of a POST, and by the same names the query string of a GET. */
export const ScrapeRequest = camelCased(fields.superRefine(onlyWithPremiumProxy));
export type ScrapeRequest = z.infer<typeof ScrapeRequest>;

function onlyWithPremiumProxy(request: z.output<typeof fields>, context: z.RefinementCtx): void {
  for (const field of ['country_code', 'session_id'] as const) {
    if (request.premium_proxy || request[field] === undefined) continue;
    context.addIssue({ code: 'custom', path: [field], message: 'only taken with premium_proxy' });
  }
}

/** The names of the fields at the border, for query strings and for "did you mean". */
export const scrapeFields: Readonly<Record<string, z.ZodType>> = fields.shape;
