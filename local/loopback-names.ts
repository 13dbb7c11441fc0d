const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** A `host:port` under all names of loopback, so that any of them allows the server. */
export function loopbackNames(target: string): string[] {
  const [, host = '', port = ''] = /^(.+):(\d+)$/.exec(target) ?? [];
  return LOOPBACK.includes(host) ? LOOPBACK.map((name) => `${name}:${port}`) : [target];
}

/** Whether only this machine can send to or from an address. */
export function isLoopback(address: string | undefined): boolean {
  return address !== undefined && /^(::ffff:)?127\.|^::1$/.test(address);
}
