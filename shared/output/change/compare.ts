import type { Change, ChangedField } from '../../contract/scrape/change.ts';
import type { Conversion } from '../../contract/scrape/output.ts';
import { significant } from './significant.ts';
import { unifiedDiff } from './unified-diff.ts';

/** How a text, or JSON of extracted values, differs from the previous one. */
export function compare(
  current: string,
  { of, previous, context }: NonNullable<Conversion['comparison']>,
): Change {
  if (previous === undefined) return { status: 'new' };
  if (previous === current) return { status: 'same' };
  if (of === 'extract') {
    const fields = changedFields(JSON.parse(previous), JSON.parse(current));
    return Object.keys(fields).length === 0 ? { status: 'same' } : { status: 'changed', fields };
  }
  if (significant(previous) === significant(current)) return { status: 'same' };
  return { status: 'changed', diff: unifiedDiff(previous, current, context) };
}

/** The values that differ, by their paths. A value that only one of them has is alone in its entry. */
export function changedFields(old: unknown, now: unknown): Record<string, ChangedField> {
  return Object.fromEntries(differences(old, now, ''));
}

function* differences(old: unknown, now: unknown, path: string): Generator<[string, ChangedField]> {
  if (old === now) return;
  if (!isHolder(old) || !isHolder(now) || Array.isArray(old) !== Array.isArray(now)) {
    yield [path, { ...(old !== undefined && { old }), ...(now !== undefined && { new: now }) }];
    return;
  }
  const isList = Array.isArray(old);
  for (const name of new Set([...Object.keys(old), ...Object.keys(now)]))
    yield* differences(own(old, name), own(now, name), isList ? `${path}[${name}]` : within(path, name));
}

type Holder = Readonly<Record<string, unknown>>;

const isHolder = (value: unknown): value is Holder => typeof value === 'object' && value !== null;
const own = (holder: Holder, name: string) => (Object.hasOwn(holder, name) ? holder[name] : undefined);

const PLAIN = /^[^.[\]"]+$/;

/** As the report of `extract` names rules. A name that would be mistaken for a path is quoted. */
function within(path: string, name: string): string {
  if (!PLAIN.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
