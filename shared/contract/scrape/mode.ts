import { z } from 'zod';
import type { Condition } from '../conditions.ts';
import { EXTRACTION_CREDITS } from './extract-schema.ts';

/** The kinds of scrape, by their prices, the cheapest first. They are the rungs of `mode`. */
export const Kind = z.enum(['plain', 'rendered', 'premium', 'both']);
export type Kind = z.infer<typeof Kind>;

/** What a scrape of a kind costs, in credits. */
export const PRICES: Readonly<Record<Kind, number>> = { plain: 1, rendered: 5, premium: 10, both: 25 };

export type How = { renderJs: boolean; premiumProxy: boolean };

export function kindOf({ renderJs, premiumProxy }: How): Kind {
  if (premiumProxy) return renderJs ? 'both' : 'premium';
  return renderJs ? 'rendered' : 'plain';
}

/** The fields that request a kind. */
export const howOf = (kind: Kind): How => ({
  renderJs: kind === 'rendered' || kind === 'both',
  premiumProxy: kind === 'premium' || kind === 'both',
});

/** Without `default`, so that requests without it stay what they were. */
export const modeField = {
  mode: z
    .enum(['auto'])
    .optional()
    .describe(
      '`auto`: the page is requested in the cheapest way that works: plain (1 credit), rendered (5), through the premium proxy (10), or both (25). The next way is tried if a page is empty, a shell for scripts or a bot wall, if `wait_for` or a rule with `required` finds nothing in it, or if the target refuses the connection, or answers 403 or 429. Only the way whose page is returned is charged, and `X-Mode-Tried` names all of them. `max_credits`, from 1 to 25 (30 with `extract_schema`), is the most that one may cost. Not with `render_js`, `premium_proxy`, `method` or `body`. Absent: `render_js` and `premium_proxy` decide.',
    ),
};

/** What an automatic scrape costs at most, without and with `extract_schema`. */
const [MAX_CREDITS, MAX_EXTRACTION_CREDITS] = [PRICES.both, PRICES.both + EXTRACTION_CREDITS];

type Wanted = { mode?: 'auto' | undefined; max_credits?: number | undefined; extract_schema?: unknown };

const isWithin = ({ mode, max_credits: credits = 1 }: Wanted, most: number) =>
  mode === undefined || (credits >= 1 && credits <= most);

export const modeConditions: readonly Condition<Wanted>[] = [
  {
    name: 'max_credits',
    error: `must be from 1 to ${MAX_CREDITS} with mode`,
    isMet: (asked) => asked.extract_schema !== undefined || isWithin(asked, MAX_CREDITS),
  },
  {
    name: 'max_credits',
    error: `must be from 1 to ${MAX_EXTRACTION_CREDITS} with mode and extract_schema`,
    isMet: (asked) => asked.extract_schema === undefined || isWithin(asked, MAX_EXTRACTION_CREDITS),
  },
];

const NOT_WITH_MODE = ['render_js', 'premium_proxy', 'method', 'body'];

/** What a request as sent has beside `mode` although that decides it, even if it is `false`. */
export function modeIssues(input: unknown): z.core.$ZodIssue[] {
  if (typeof input !== 'object' || input === null || !('mode' in input)) return [];
  return NOT_WITH_MODE.filter((name) => Object.hasOwn(input, name)).map((name) => ({
    code: 'custom',
    path: [name],
    message: 'not allowed with mode',
    input,
  }));
}

/** The ways that were tried and what came of each, in their order: `plain;empty, rendered;page`. */
export const ModeTried = z.string();

/** Comes of a rung that the balance does not pay. */
const UNPAID = 'insufficient_credits';

/** `what`: a verdict, `shell`, `missing`, or the code of an error. `unpaid` would have been next. */
export function triedText(
  tried: readonly { rung: Kind; what: string }[],
  { unpaid }: { unpaid: Kind | undefined },
): string {
  const all = unpaid === undefined ? tried : [...tried, { rung: unpaid, what: UNPAID }];
  return all.map(({ rung, what }) => `${rung};${what}`).join(', ');
}

/** The last rung of such a text. */
export function lastTried(modeTried = ''): Kind | undefined {
  const last = modeTried.split(', ').findLast((each) => !each.endsWith(`;${UNPAID}`));
  return Kind.safeParse(last?.split(';')[0]).data;
}

/** Whether a rung brought what was requested, so that no other would have been tried; true without `mode`. */
export function wasWon({ rung, modeTried }: { rung?: Kind | undefined; modeTried?: string | undefined }) {
  return modeTried === undefined || modeTried.split(', ').includes(`${rung};page`);
}

/** What an error says was tried. */
export function modeTriedIn({ mode_tried: text }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof text === 'string' ? text : undefined;
}
