import { unpackChromium } from '../../../infra/constructs/unpack-chromium.ts';
import { unguardedBrowser } from './unguarded-browser.ts';

/** The content of the document, including open shadow roots. */
const MARKUP = /* js */ `(() => {
  const roots = [];
  // A form's input named shadowRoot hides the property.
  const { get } = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot');
  const look = (within) => within.querySelectorAll('*').forEach((element) => {
    const shadowRoot = get.call(element);
    if (shadowRoot) { roots.push(shadowRoot); look(shadowRoot); }
  });
  look(document);
  return document.documentElement.getHTML({ shadowRoots: roots });
})()`;
const LOOK_AGAIN_MS = 50;

/** The same Chromium with images, but without a guard and without waiting for pages to settle. */
export async function rawChromium() {
  const browser = await unguardedBrowser(await unpackChromium());
  return {
    /** The document once `isDone` holds, or after `ms`. */
    async read(url: string, isDone: (html: string) => boolean, ms: number): Promise<string> {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      const until = performance.now() + ms;
      let html = '';
      page.goto(url, { waitUntil: 'domcontentloaded', timeout: ms }).catch(() => undefined);
      while (performance.now() < until && !isDone(html)) {
        await new Promise((done) => setTimeout(done, LOOK_AGAIN_MS));
        html = await page.evaluate(MARKUP).then(String, () => html);
      }
      await context.close();
      return html;
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
