import { PATIENCE_MS } from '../../../mcp/call-tool.ts';
import { serveTools } from '../../../mcp/serve-stdio.ts';
import manifest from '../../package.json' with { type: 'json' };
import type { Command } from '../command.ts';
import { clientOf, readSettings } from '../settings.ts';

export const mcp: Command = {
  usage: 'mcp',
  about: 'Serves agents over stdio by the Model Context Protocol.',
  options: {},
  run: async (call) => {
    const settings = await readSettings(call.env);
    const service = { client: clientOf(settings, PATIENCE_MS), apiUrl: settings.url.replace(/\/+$/, '') };
    await serveTools(service, manifest.version, (error) => call.err.write(`sitefetch: ${error.message}\n`));
    return undefined;
  },
};
