import { type Command, textOf } from '../command.ts';
import { countOf } from '../count-of.ts';
import { urlOf } from '../url-of.ts';

export const map: Command = {
  usage: 'map URL',
  about: 'Prints the URLs of a site, one a line.',
  options: {
    limit: { type: 'string', value: 'N', about: 'URLs, at most' },
    search: { type: 'string', value: 'WORDS', about: 'the best matches first' },
    json: { type: 'boolean', about: 'print the whole response as JSON' },
  },
  run: async (call) => {
    const client = await call.client();
    const [limit, search] = [countOf(call, 'limit'), textOf(call, 'search')];
    const site = await client.map({
      url: urlOf(call),
      ...(limit !== undefined && { limit }),
      ...(search !== undefined && { search }),
    });
    const lines = site.urls.map(({ url }) => `${url}\n`).join('');
    call.out.write(call.values['json'] === true ? `${JSON.stringify(site, null, 2)}\n` : lines);
    if (!site.complete) call.err.write(`There may be more: ${JSON.stringify(site.incomplete_because)}\n`);
    return undefined;
  },
};
