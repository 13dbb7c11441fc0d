import type { Call } from './call.ts';

/** The `Link` header of a page: https://www.rfc-editor.org/rfc/rfc8288#section-3 */
export function nextLink({ sentPath, query }: Pick<Call, 'sentPath' | 'query'>, cursor: string): string {
  const sent = Object.entries(query).flatMap(([name, [value = ''] = []]) => [[name, value] as const]);
  const parameters = new URLSearchParams({ ...Object.fromEntries(sent), cursor });
  return `<${sentPath}?${parameters.toString()}>; rel="next"`;
}
