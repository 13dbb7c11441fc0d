import { AppError } from '../errors.ts';

/** Fields of a request by their names at this service's own border. */
export type Fields = Record<string, unknown>;

/** A request in this service's own words, and what its caller has to know of it. */
export type Mapped = { fields: Fields; warnings: string[] };

/** The error of an option that this service does not have, which names it. */
export const refused = (param: string, message: string): AppError =>
  new AppError('invalid_request', { message, fields: { param } });
