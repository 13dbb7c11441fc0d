import { parseEmail } from '../../shared/domain/people/names.ts';
import { AppError, type ErrorCode } from '../../shared/errors.ts';
import type { PageCall } from './page-call.ts';
import type { DashboardReply } from './replies.ts';
import type { Faults } from './faults-of.ts';

const STATUS = {
  invalid_request: 422,
  url_not_allowed: 422,
  too_many_webhooks: 409,
  rate_limited: 429,
  busy: 503,
} as const;

type Again = (faults: Faults, more: Pick<DashboardReply, 'status' | 'headers'>) => Promise<DashboardReply>;

/** Handles a form. A fault shows the form again, with the fault beside its field. */
export async function answered(work: () => Promise<DashboardReply>, again: Again): Promise<DashboardReply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || !Object.hasOwn(STATUS, error.code)) throw error;
    const { code, fields, message, retryAfter } = error;
    const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
    return again(
      { [String(fields.param ?? 'form')]: message },
      { status: STATUS[code as keyof typeof STATUS], headers },
    );
  }
}

/** A fault of a form, or of one of its fields. */
export function fault(message: string, field?: string): AppError {
  return new AppError('invalid_request', {
    message,
    ...(field !== undefined && { fields: { param: field } }),
  });
}

/** The address in a form. */
export function emailIn({ form }: PageCall): string {
  const email = parseEmail(form.get('email') ?? '');
  if (email === undefined) throw fault('Enter an address such as ada@example.com.', 'email');
  return email;
}

export const textIn = ({ form }: PageCall, name: string) => form.get(name) ?? '';

/** Digits as people copy them. */
export const codeIn = ({ form }: PageCall) => (form.get('code') ?? '').replaceAll(/\s/g, '');

/** The id in the query of a page, as people paste it. */
export const idIn = ({ query }: PageCall, name = 'id') =>
  (query[name]?.[0] ?? '').trim().toLowerCase().slice(0, 100);

/** Returns false for an error with this code, as the page then shows how it ended. Throws other errors. */
export const unless =
  (code: ErrorCode) =>
  (error: unknown): false => {
    if (error instanceof AppError && error.code === code) return false;
    throw error;
  };
