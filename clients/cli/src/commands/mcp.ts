import manifest from '../../package.json' with { type: 'json' };
import type { Command } from '../command.ts';
import { callTool } from '../mcp/call-tool.ts';
import { clientOf, readSettings } from '../settings.ts';
import { INSTRUCTIONS, TOOLS } from '../mcp/tools.ts';

export const mcp: Command = {
  usage: 'mcp',
  about: 'Serves agents over stdio by the Model Context Protocol.',
  options: {},
  run: async (call) => {
    const settings = await readSettings(call.env);
    const service = { client: clientOf(settings), apiUrl: settings.url.replace(/\/+$/, '') };
    // Other commands start faster without it.
    const [{ Server }, { serveStdio }] = await Promise.all([
      import('@modelcontextprotocol/server'),
      import('@modelcontextprotocol/server/stdio'),
    ]);
    const about = { name: 'sitefetch', version: manifest.version };
    const options = { capabilities: { tools: {} }, instructions: INSTRUCTIONS };
    serveStdio(
      () => {
        const server = new Server(about, options);
        server.setRequestHandler('tools/list', () => ({ tools: TOOLS }));
        server.setRequestHandler('tools/call', ({ params }) =>
          callTool(service, params.name, params.arguments),
        );
        return server;
      },
      { onerror: (error) => call.err.write(`sitefetch: ${error.message}\n`) },
    );
    return undefined;
  },
};
