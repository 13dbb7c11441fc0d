import type { Service } from './call-tool.ts';
import { mcpServer } from './mcp-server.ts';

/** Serves the tools on stdin and stdout until stdin ends. */
export async function serveTools(
  service: Service,
  version: string,
  onError: (error: Error) => void,
): Promise<void> {
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  serveStdio(await mcpServer(service, version), { onerror: onError });
}
