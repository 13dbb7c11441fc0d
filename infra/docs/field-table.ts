import { html, type Html } from './html.ts';
import { type FieldSchema, type ObjectSchema, typeOf } from './schema.ts';
import { definitionTable, definitionRow } from './definition-table.ts';

type Field = { name: string; id?: string; isRequired: boolean; type: string; schema: FieldSchema };

/** The fields of a JSON object. With `ids` other places can link to `#field-<name>`. */
export function fieldTable(title: string, { properties, required }: ObjectSchema, ids = false): Html {
  const fields = Object.entries(properties).map(([name, schema]) => ({
    name,
    ...(ids ? { id: `field-${name}` } : {}),
    isRequired: required.includes(name),
    type: typeOf(schema),
    schema,
  }));
  return definitionTable(title, 'Field', fields.map(fieldRow));
}

function fieldRow({ name, id, isRequired, type, schema }: Field): Html {
  const isSet = schema.default !== undefined;
  const fallback = isSet ? html`, default <b>${JSON.stringify(schema.default)}</b>` : undefined;
  const required = isRequired ? html`<em>required</em>, ` : undefined;
  return definitionRow(
    id,
    html`<code>${name}</code>`,
    html`${required}${type}${fallback}`,
    schema.description ?? '',
  );
}
