/** What is used of the package, which only `sitefetch mcp` loads. */
declare module '@modelcontextprotocol/server' {
  type Handler<P> = (request: { params: P }) => object | Promise<object>;

  export class Server {
    constructor(
      about: { name: string; version: string },
      options: { capabilities: object; instructions: string },
    );
    setRequestHandler(method: 'tools/list', handler: Handler<object | undefined>): void;
    setRequestHandler(
      method: 'tools/call',
      handler: Handler<{ name: string; arguments?: Record<string, unknown> }>,
    ): void;
  }
}

declare module '@modelcontextprotocol/server/stdio' {
  export function serveStdio(make: () => unknown, options?: { onerror?: (error: Error) => void }): void;
}
