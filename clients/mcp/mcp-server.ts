import type { McpServerFactory } from '@modelcontextprotocol/server';
import { callTool, type Service } from './call-tool.ts';
import { INSTRUCTIONS, TOOLS } from './tools.ts';

/** Makes servers of the tools, each for one request or connection. */
export async function mcpServer(service: Service, version: string): Promise<McpServerFactory> {
  // Other commands of the command line start faster without it.
  const { Server } = await import('@modelcontextprotocol/server');
  const options = { capabilities: { tools: {} }, instructions: INSTRUCTIONS };
  return () => {
    const server = new Server({ name: 'sitefetch', version }, options);
    server.setRequestHandler('tools/list', () => ({ tools: TOOLS }));
    server.setRequestHandler('tools/call', ({ params }) => callTool(service, params.name, params.arguments));
    return server;
  };
}
