import { z } from 'zod';
import { scrapeFields } from '../../../shared/contract/scrape/scrape-request.ts';
import { fieldSchemas, requestSchema } from '../../../shared/request/field-schemas.ts';
import { html, type Html } from '../html.ts';
import { withCode } from './with-code.ts';

const Leaf = z.object({
  type: z.string().optional(),
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  maxLength: z.number().optional(),
  format: z.string().optional(),
});
const Schema = Leaf.extend({
  description: z.string().default(''),
  examples: z.array(z.unknown()).default([]),
  anyOf: z.array(Leaf).optional(),
});
type Schema = z.infer<typeof Schema>;

/** How the script reads the field's text. */
type Kind = 'checkbox' | 'choice' | 'number' | 'text' | 'json' | 'text-or-json';

type Field = { name: string; isRequired: boolean; kind: Kind; schema: Schema };

const required = new Set(z.array(z.string()).parse(requestSchema['required']));

/** Every field of a scrape, as the API itself describes it. A new one appears by itself. */
export const requestFields: readonly Field[] = Object.entries(fieldSchemas).map(([name, described]) => {
  const schema = Schema.parse(described);
  return { name, isRequired: required.has(name), kind: kindOf(name, schema), schema };
});

/** What everybody sets, before the fields that few need. */
export const isBasic = ({ name, isRequired, kind }: Field) =>
  isRequired || kind === 'checkbox' || name in PRESET;

/** What is chosen in a new form. */
const PRESET: Readonly<Record<string, string>> = { mode: 'auto' };

const GROUPS: readonly (readonly [name: string, fields: readonly string[]])[] = [
  [
    'What comes back',
    [
      'format',
      'formats',
      'scope',
      'max_chars',
      'offset',
      'extract_rules',
      'change',
      'document',
      'screenshot',
      'pdf',
    ],
  ],
  ['What is sent', ['headers', 'cookies', 'method', 'body']],
  [
    'The browser',
    [
      ...['wait_until', 'wait_for', 'wait', 'device', 'block_resources', 'block_ads', 'scroll'],
      ...['js_scenario', 'capture'],
    ],
  ],
  ['Proxy, time and cost', ['country_code', 'session_id', 'timeout', 'max_credits', 'max_age', 'revalidate']],
];

/** The other fields by what they are about; a new field is in the last group until it has another. */
export const fieldGroups: readonly { name: string; fields: readonly Field[] }[] = groups();

function groups() {
  const others = requestFields.filter((field) => !isBasic(field));
  const named = GROUPS.flatMap(([, names]) => names);
  const rest = others.filter(({ name }) => !named.includes(name)).map(({ name }) => name);
  const all = [...GROUPS, ['More', rest] as const];
  return all
    .map(([name, names]) => ({ name, fields: others.filter((field) => names.includes(field.name)) }))
    .filter(({ fields }) => fields.length > 0);
}

function kindOf(name: string, { type, anyOf = [], enum: values }: Schema): Kind {
  if (anyOf.length > 0) return anyOf.some((each) => each.type === 'string') ? 'text-or-json' : 'json';
  if (values) return 'choice';
  // Absent, some are true, and some depend on other fields.
  if (type === 'boolean')
    return scrapeFields[name]?.safeParse(undefined).data === false ? 'checkbox' : 'choice';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'string' ? 'text' : 'json';
}

/** One field of the form, with its description. */
export function requestField({ name, isRequired, kind, schema }: Field, preset?: string): Html {
  const id = `field-${name}`;
  const described = html`id="${id}" name="${name}" data-kind="${kind}" aria-describedby="${id}-hint
  ${id}-fault"`;
  const hint = html`<p class="hint" id="${id}-hint">${withCode(schema.description)}</p>
    <p class="fault" id="${id}-fault" hidden></p>`;
  if (kind === 'checkbox')
    return html`<div class="field switch">
      <label for="${id}"><input type="checkbox" ${described} /> ${name}</label>
      ${hint}
    </div>`;
  return html`<div class="field">
    <label for="${id}">${name}${isRequired ? '' : html` <span class="optional">optional</span>`}</label>
    ${control(described, { name, isRequired, kind, schema }, isRequired ? preset : undefined)} ${hint}
  </div>`;
}

function control(attributes: Html, { name, isRequired, kind, schema }: Field, preset?: string): Html {
  const { minimum, maximum, maxLength, examples } = schema;
  const example = examples[0] === undefined ? '' : text(examples[0]);
  const needed = isRequired ? html`required` : '';
  if (kind === 'choice') return choice(attributes, { name, schema });
  if (kind === 'number')
    return html`<input
      type="number"
      step="1"
      min="${minimum ?? ''}"
      max="${maximum ?? ''}"
      ${attributes}
      ${needed}
    />`;
  if (kind === 'json')
    return html`<textarea
      rows="3"
      spellcheck="false"
      placeholder="${example}"
      ${attributes}
      ${needed}
    ></textarea>`;
  return html`<input
    type="text"
    inputmode="${schema.format === 'uri' ? 'url' : 'text'}"
    autocomplete="off"
    autocapitalize="none"
    spellcheck="false"
    maxlength="${maxLength ?? ''}"
    ${isRequired ? html`value="${preset ?? example}"` : html`placeholder="${example}"`}
    ${attributes}
    ${needed}
  />`;
}

function choice(attributes: Html, { name, schema }: Pick<Field, 'name' | 'schema'>): Html {
  const values = schema.enum ?? ['true', 'false'];
  return html`<select ${attributes} data-type="${schema.type ?? ''}">
    <option value="">default</option>
    ${values.map((value) =>
      PRESET[name] === value ? html`<option selected>${value}</option>` : html`<option>${value}</option>`,
    )}
  </select>`;
}

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
