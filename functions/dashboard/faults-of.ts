import type { AppError } from '../../shared/errors.ts';

/** The faults of a form by field; `form` is for the form as a whole. */
export type Faults = Readonly<Record<string, string | undefined>>;

/** The faults of a request by field; faults of other fields are joined under `form`. */
export function faultsOf({ errors, fields, message }: AppError, names: readonly string[]): Faults {
  const all = errors.length > 0 ? errors : [{ param: String(fields.param), message }];
  const isOfField = ({ param = '' }: { param?: string }) => names.includes(param);
  const [beside, others] = [all.filter(isOfField), all.filter((each) => !isOfField(each))];
  const form = others.map((each) => each.message).join(' ');
  return {
    ...Object.fromEntries(beside.map(({ param = 'form', message: text }) => [param, text] as const)),
    ...(form && { form }),
  };
}
