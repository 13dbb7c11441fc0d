import type { McpServerFactory } from '@modelcontextprotocol/server';
import { argumentFault } from './argument-fault.ts';
import { callTool, failed, type Service } from './call-tool.ts';
import { INSTRUCTIONS, TOOLS } from './tools.ts';

/** Makes servers of the tools, each for one request or connection. */
export async function mcpServer(service: Service, version: string): Promise<McpServerFactory> {
  // Other commands of the command line start faster without it.
  const { Server } = await import('@modelcontextprotocol/server');
  const options = { capabilities: { tools: {} }, instructions: INSTRUCTIONS };
  return () => {
    const server = new Server({ name: 'sitefetch', version }, options);
    server.setRequestHandler('tools/list', () => ({ tools: TOOLS }));
    server.setRequestHandler('tools/call', async ({ params: { name, arguments: call = {} } }) => {
      const fault = await argumentFault(name, call);
      return fault === undefined ? callTool(service, name, call) : failed(fault);
    });
    return server;
  };
}
