import { z } from 'zod';
import { isJsonObject } from '../json-object.ts';
import { isPattern, keywords, type KeywordKind, PATTERN_RULE, valueRules } from './schema-keywords.ts';
import { circleIn, locationOf } from './schema-references.ts';

const [MAX_BYTES, MAX_PROPERTIES, MAX_LEVELS] = [50_000, 200, 8];
/** Of schemas within schemas, which everything that reads one recurses into. */
const MAX_NESTING = 40;
/** The first of them explain the others. */
const MAX_FAULTS = 10;
/** JSON has no such name that programs treat as any other. */
const PROTOTYPE = '__proto__';

type Path = readonly (string | number)[];
type Fault = { path: (string | number)[]; message: string };
type Here = { path: Path; level: number };

/** A schema within the schema, and the schemas that the same value must be valid for. */
export type SchemaNode = { path: Path; schema: Record<string, unknown>; besides: string[] };

type Walk = {
  nodes: Map<string, SchemaNode>;
  anchors: Map<string, string>;
  properties: number;
  faults: Fault[];
};

/**
 * Why a schema is not within the limits, or not a JSON Schema: what its meta schema would say, without a
 * library, because functions that accept requests start with this.
 */
export function schemaFaults(schema: Record<string, unknown>): Fault[] {
  const bytes = sizeOf(schema);
  if (bytes > MAX_BYTES) return [{ path: [], message: 'expected a schema of up to 50 KB' }];
  const walk: Walk = { nodes: new Map(), anchors: new Map(), properties: 0, faults: [] };
  if (schema['type'] !== 'object') walk.faults.push({ path: ['type'], message: 'expected "object"' });
  visit(walk, schema, { path: [], level: 1 });
  if (walk.properties > MAX_PROPERTIES)
    walk.faults.unshift({ path: [], message: `expected up to ${MAX_PROPERTIES} properties in all` });
  if (walk.faults.length === 0) walk.faults.push(...referenceFaults(walk));
  return walk.faults.slice(0, MAX_FAULTS);
}

/** A JSON Schema (2020-12) of an object, as requested. */
export const ValueSchema = z.record(z.string(), z.unknown()).superRefine((schema, context) => {
  for (const { path, message } of schemaFaults(schema)) context.addIssue({ code: 'custom', path, message });
});

function sizeOf(schema: object): number {
  try {
    return new TextEncoder().encode(JSON.stringify(schema)).byteLength;
  } catch {
    // Nested more deeply than can be written.
    return Infinity;
  }
}

function visit(walk: Walk, schema: unknown, here: Here): void {
  if (walk.faults.length >= MAX_FAULTS) return;
  const { path, level } = here;
  const misfit = misfitOf(schema, here);
  if (misfit !== undefined) walk.faults.push({ path: [...path], message: misfit });
  if (misfit !== undefined) return;
  const node: SchemaNode = { path, schema: isJsonObject(schema) ? schema : {}, besides: [] };
  walk.nodes.set(locationOf(path), node);
  for (const [name, value] of Object.entries(node.schema)) {
    const kind = keywords.get(name);
    if (kind === undefined || kind === 'any') continue;
    const rule = valueRules[kind];
    if (rule === undefined) visitAll(walk, node, { name, kind, value, level });
    else if (!rule.isMet(value)) walk.faults.push({ path: [...path, name], message: rule.expected });
    else if (kind === 'anchor') walk.anchors.set(`#${String(value)}`, locationOf(path));
  }
}

function misfitOf(schema: unknown, { path, level }: Here): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isJsonObject(schema)) return 'expected a schema, which is an object, true or false';
  if (level > MAX_LEVELS) return `expected up to ${MAX_LEVELS} levels of lists and objects`;
  return path.length > MAX_NESTING ? 'expected schemas that are nested less deeply' : undefined;
}

type Held = { name: string; kind: KeywordKind; value: unknown; level: number };

/** The schemas that a keyword holds. */
function visitAll(walk: Walk, { path, besides }: SchemaNode, { name, kind, value, level }: Held): void {
  const at = [...path, name];
  const isNested = kind.startsWith('nested ');
  const isNamed = kind.includes('named') || kind === 'definitions';
  const here = kind === 'definitions' ? 1 : level + (isNested ? 1 : 0);
  const held = kind.endsWith('schema') ? [{ step: [], schema: value }] : entriesOf(value, isNamed);
  if (held === undefined) {
    const message = isNamed ? 'expected names with their schemas' : 'expected a list of schemas';
    walk.faults.push({ path: at, message });
    return;
  }
  for (const { step, schema } of held) {
    if (SAME_VALUE.includes(kind)) besides.push(locationOf([...at, ...step]));
    if (isNested && isNamed) walk.properties += 1;
    const fault = isNamed ? faultInName(name, String(step[0])) : undefined;
    if (fault === undefined) visit(walk, schema, { level: here, path: [...at, ...step] });
    else walk.faults.push({ path: [...at, ...step], message: fault });
  }
}

/** Their schemas are of the same value as the schema that holds them. */
const SAME_VALUE: readonly KeywordKind[] = ['schema', 'schemas', 'named schemas'];

function entriesOf(value: unknown, isNamed: boolean): { step: Path; schema: unknown }[] | undefined {
  if (isNamed && isJsonObject(value))
    return Object.entries(value).map(([name, schema]) => ({ step: [name], schema }));
  if (isNamed || !Array.isArray(value) || value.length === 0) return undefined;
  return value.map((schema: unknown, index) => ({ step: [index], schema }));
}

function faultInName(keyword: string, name: string): string | undefined {
  if (name === PROTOTYPE) return `expected no name ${PROTOTYPE}`;
  return keyword === 'patternProperties' && !isPattern(name) ? PATTERN_RULE : undefined;
}

/** References that lead nowhere, or into a circle without a step into the value. */
function referenceFaults({ nodes, anchors }: Walk): Fault[] {
  const faults: Fault[] = [];
  for (const { path, schema, besides } of nodes.values()) {
    const { $ref: reference } = schema;
    if (typeof reference !== 'string') continue;
    const to = anchors.get(reference) ?? decoded(reference);
    if (to !== undefined && nodes.has(to)) besides.push(to);
    else faults.push({ path: [...path, '$ref'], message: 'leads to no schema within the schema' });
  }
  const circle = faults.length === 0 ? circleIn(nodes) : undefined;
  if (circle) faults.push({ path: [...circle], message: 'refers to itself without end' });
  return faults;
}

/** The location that a reference names as a JSON pointer: https://www.rfc-editor.org/rfc/rfc6901#section-6 */
function decoded(reference: string): string | undefined {
  try {
    const pointer = decodeURIComponent(reference.slice(1));
    return pointer === '' || pointer.startsWith('/') ? pointer : undefined;
  } catch {
    return undefined;
  }
}
