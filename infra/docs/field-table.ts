import { html, type Html } from './html.ts';
import { inline } from './markdown.ts';
import { type FieldSchema, type ObjectSchema, typeOf } from './schema.ts';

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

/** Names with what they mean. */
export function definitionTable(title: string, of: string, rows: readonly Html[]): Html {
  return html`<table class="fields">
    <caption>
      ${title}
    </caption>
    <thead>
      <tr>
        <th scope="col">${of}</th>
        <th scope="col">Meaning</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
}

export function definitionRow(id: string | undefined, name: Html, note: Html, meaning: string): Html {
  const identity = id === undefined ? undefined : html` id="${id}"`;
  return html`<tr${identity}>
    <th scope="row">${name}<span class="note">${note}</span></th>
    <td>${inline(meaning)}</td>
  </tr>`;
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
