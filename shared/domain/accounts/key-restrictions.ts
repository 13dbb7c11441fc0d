import type { KeyRestrictions, KeyRoute } from '../../contract/accounts/account.ts';
import { type AskedFormats, type Output, outputsOf } from '../../contract/scrape/output.ts';
import { everyIn } from '../../contract/scrape/scenario.ts';
import type { ScrapeRequest } from '../../contract/scrape/scrape-request.ts';
import { AppError } from '../../errors.ts';
import type { CappedKey } from './credits/key-caps.ts';

/** Throws `key_not_allowed` for routes that the key is not restricted to. */
export function assertRoute(restrictions: KeyRestrictions | undefined, route: KeyRoute): void {
  const allowed = restrictions?.routes;
  if (allowed === undefined || allowed.includes(route)) return;
  throw new AppError('key_not_allowed', {
    message: `This key may not call the routes of "${route}", only those of: ${allowed.join(', ')}.`,
  });
}

type Asked = AskedFormats & Pick<ScrapeRequest, 'jsScenario' | 'capture'>;

/**
 * Throws `key_not_allowed` for formats that the key is not restricted to, and for fields that return what
 * those do.
 */
export function assertFormats(restrictions: KeyRestrictions | undefined, request: Asked): void {
  const allowed = restrictions?.formats;
  const refused = allowed && neededBy(request).find(({ format }) => !allowed.includes(format));
  if (refused === undefined) return;
  const { format, field } = refused;
  const what = field ? `use ${field}, which needs the format "${format}"` : `request the format "${format}"`;
  throw new AppError('key_not_allowed', {
    message: `This key may not ${what}, only: ${allowed?.join(', ')}.`,
  });
}

/** Formats that a request needs, and the field that does if it is not a format itself. */
function neededBy({ jsScenario, capture, ...asked }: Asked): { format: Output; field?: string }[] {
  const steps = everyIn(jsScenario?.instructions ?? []);
  const has = (action: 'evaluate' | 'screenshot') => steps.some((each) => each[action] !== undefined);
  return [
    ...outputsOf(asked).map((format) => ({ format })),
    ...(has('evaluate') ? [{ format: 'html', field: 'evaluate in js_scenario' } as const] : []),
    ...(has('screenshot') ? [{ format: 'screenshot', field: 'screenshot in js_scenario' } as const] : []),
    ...(capture ? [{ format: 'html', field: 'capture' } as const] : []),
  ];
}

/** The cap of a key, for its admissions. */
export function cappedKey(id: string, restrictions: KeyRestrictions | undefined): CappedKey | undefined {
  const creditsPerDay = restrictions?.creditsPerDay;
  return creditsPerDay === undefined ? undefined : { id, creditsPerDay };
}
