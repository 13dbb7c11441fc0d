import { componentSchemas } from '../../shared/api/openapi/component-schemas.ts';
import { hoisted } from '../../shared/api/openapi/schemas.ts';
import type { Route } from '../../shared/api/route.ts';
import { Picture } from '../../shared/contract/scrape/part.ts';
import { fieldTable } from './field-table.ts';
import { html, type Html } from './html.ts';
import { operations } from './reference.ts';
import { Content, FIRST_ERROR, ObjectSchema, Response } from './schema.ts';

const components = hoisted(componentSchemas());
const scrape = ObjectSchema.parse(components['ScrapeRequest']);

export const isScrapeField = (name: string) => name in scrape.properties;

export type Titled = { title: string; schema: ObjectSchema };

/** The fields of the JSON body of an operation. The fields of a scrape are described once, under ids. */
export function bodyFields(route: Route): Html {
  if (route.operationId === 'scrape') return scrapeTables();
  const tables = bodyObjects(route).map(({ title, schema }) => fieldTable(title, schema));
  return html`${
    hasScrapeFields(route)
      ? html`<p>The JSON body has the <a href="scrape">fields of a scrape</a>.</p>`
      : undefined
  }
  ${tables}`;
}

const hasScrapeFields = ({ body }: Route) =>
  objectsIn(body).some(({ properties }) => 'render_js' in properties);

/** The objects that the JSON body may be, without the fields of a scrape in all but the scrape itself. */
export function bodyObjects({ body, operationId }: Route): Titled[] {
  return objectsIn(body).map((schema) =>
    'render_js' in schema.properties && operationId !== 'scrape'
      ? {
          title: 'Further fields of the JSON body',
          schema: chosen(schema, (name) => !isScrapeField(name)),
        }
      : { title: 'Fields of the JSON body', schema },
  );
}

function scrapeTables(): Html {
  const needsBrowser = (name: string) =>
    /Only with `render_js`/.test(scrape.properties[name]?.description ?? '') || name in Picture.enum;
  const plain = chosen(scrape, (name) => !needsBrowser(name));
  return html`${fieldTable('Fields of the JSON body', plain, true)}
    <details>
      <summary>Fields that need a browser</summary>
      ${fieldTable('Fields that need a browser', chosen(scrape, needsBrowser), true)}
    </details>`;
}

function chosen({ properties, required }: ObjectSchema, isChosen: (name: string) => boolean): ObjectSchema {
  const entries = Object.entries(properties).filter(([name]) => isChosen(name));
  return { properties: Object.fromEntries(entries), required: required.filter(isChosen) };
}

/** The fields of the JSON that an operation returns, under the first operation that returns the same. */
export function responseFields(route: Route): Html {
  return html`${ownFields(route).map(({ title, schema }) => {
    const table = fieldTable(title, schema);
    // Below the fields of a body they would be far from the example.
    return objectsIn(route.body).length === 0
      ? table
      : html`<details>
          <summary>${title}</summary>
          ${table}
        </details>`;
  })}`;
}

/** The fields of a response that no other operation describes: one object, or none. */
export function ownFields({ operationId }: Route): Titled[] {
  const own = returned.find((each) => each.operationId === operationId);
  if (own === undefined || described.get(JSON.stringify(own.fields)) !== operationId) return [];
  return [{ title: own.isList ? 'Fields of each entry' : 'Fields of the response', schema: own.fields }];
}

const returned = operations.flatMap(({ operationId, responses }) => {
  const [schema, ...formats] = Object.entries(responses).flatMap(([status, json]) =>
    Number(status) < FIRST_ERROR ? objectsIn(Response.parse(json).content) : [],
  );
  // A page has many formats, which the guide describes.
  if (schema === undefined || formats.length > 0) return [];
  const { data, next_cursor: _cursor, ...others } = schema.properties;
  const entry = ObjectSchema.safeParse(data?.items);
  const isList = entry.success && Object.keys(others).length === 0;
  return [{ operationId, fields: isList ? entry.data : schema, isList }];
});

/** Which operation describes an object: preferably not a list of them. */
const described = new Map(
  returned
    .toReversed()
    .toSorted((one, other) => Number(other.isList) - Number(one.isList))
    .map(({ operationId, fields }) => [JSON.stringify(fields), operationId]),
);

/** The component schemas of JSON content. */
function objectsIn(content: unknown): ObjectSchema[] {
  const { $ref, anyOf = [] } = Content.parse(content ?? {})['application/json']?.schema ?? {};
  return [{ $ref }, ...anyOf].flatMap(({ $ref: name }) => {
    const schema = ObjectSchema.safeParse(components[name?.split('/').at(-1) ?? '']);
    return schema.success ? [schema.data] : [];
  });
}
