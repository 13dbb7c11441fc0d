import { openWarmBrowsers } from './chromium.ts';

type Browser = Awaited<ReturnType<typeof openWarmBrowsers>>;

/** This many browser functions, each of which renders one page at a time, as on Lambda. */
export async function browserPool(size: number, allow: string[]) {
  const all = await Promise.all(Array.from({ length: size }, () => openWarmBrowsers(...allow)));
  const idle = [...all];
  const waiting: ((browser: Browser) => void)[] = [];

  async function render(...request: Parameters<Browser['render']>) {
    const browser = idle.pop() ?? (await new Promise<Browser>((taken) => waiting.push(taken)));
    try {
      return await browser.render(...request);
    } finally {
      const next = waiting.shift();
      if (next) next(browser);
      else idle.push(browser);
    }
  }
  return {
    render,
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map((browser) => browser[Symbol.asyncDispose]()));
    },
  };
}
