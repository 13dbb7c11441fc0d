import { z } from 'zod';

const leaf = {
  type: z.string().optional(),
  description: z.string().optional(),
  default: z.unknown().optional(),
  const: z.union([z.string(), z.boolean()]).optional(),
  enum: z.array(z.string()).optional(),
  format: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  properties: z.unknown().optional(),
  items: z.unknown().optional(),
};

export const FieldSchema = z.object({ ...leaf, anyOf: z.array(z.object(leaf)).optional() });
export type FieldSchema = z.infer<typeof FieldSchema>;

export const ObjectSchema = z.object({
  properties: z.record(z.string(), FieldSchema),
  required: z.array(z.string()).default([]),
});
export type ObjectSchema = z.infer<typeof ObjectSchema>;

export const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  description: z.string().default(''),
  schema: FieldSchema,
  example: z.unknown().optional(),
});
export type Parameter = z.infer<typeof Parameter>;

const Reference = z.object({ $ref: z.string().optional() });

const Media = z.object({
  schema: Reference.extend({ anyOf: z.array(Reference).optional() }).optional(),
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.object({ value: z.unknown().optional() })).optional(),
});

export const Content = z.record(z.string(), Media);

export const Response = z.object({
  description: z.string(),
  headers: z.record(z.string(), z.unknown()).default({}),
  content: Content.default({}),
});
export type Response = z.infer<typeof Response>;

/** Statuses from here on mean no success. */
export const FIRST_ERROR = 400;

export const Header = z.object({ description: z.string(), example: z.unknown() });

const number = (value: number) => value.toLocaleString('en-US');

/** The type of a field in words: `integer, 1,000 to 120,000`. */
export function typeOf({ anyOf, ...schema }: FieldSchema): string {
  return anyOf === undefined ? leafType(schema) : anyOf.map(leafType).join(' or ');
}

function leafType({
  type,
  format,
  minimum,
  maximum,
  maxLength,
  properties,
  ...known
}: Omit<FieldSchema, 'anyOf'>): string {
  if (known.enum !== undefined && known.enum.length <= MAX_LISTED) return known.enum.join(', ');
  if (known.const !== undefined) return String(known.const);
  const ofObject = properties === undefined ? 'object of strings' : 'object';
  const name = type === 'object' ? ofObject : format === undefined ? type : `${type}, ${format}`;
  if (minimum !== undefined && maximum !== undefined)
    return `${name}, ${number(minimum)} to ${number(maximum)}`;
  if (maxLength !== undefined) return `${name}, up to ${number(maxLength)} characters`;
  return name ?? 'any';
}

/** The error codes have pages of their own. */
const MAX_LISTED = 5;
