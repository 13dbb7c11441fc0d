/** The isolated world that our script lives in: pages neither see nor change it. */
export const WORLD = 'reader';

/** No DOM change for so long, and the page has settled. */
const QUIET_MS = 100;

/**
 * Runs in Chromium, in every frame, before the page's own scripts, and once more with each question: a page that has no
 * scripts at all gets no world to run anything in. Text, for a bundler would rewrite a function.
 */
export const pageScript = /* js */ `
if (window === window.top && !Object.hasOwn(globalThis, 'quiet')) {
  let changedAt = performance.now();
  let hasRemoved = false;
  const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };
  const observer = new MutationObserver((records) => {
    changedAt = performance.now();
    hasRemoved ||= records.some(({ removedNodes }) => removedNodes.length > 0);
  });
  observer.observe(document, EVERYTHING);

  // An input of a form may be called shadowRoot, and hides what the form has under that name.
  const shadowRootOf = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get;
  // Open shadow roots, nested ones too. No event tells of a new one, so they are looked for and then observed.
  const shadowRoots = new Set();
  const findShadowRoots = (within = document) => {
    const before = shadowRoots.size;
    for (const element of within.querySelectorAll('*')) {
      const shadowRoot = shadowRootOf.call(element);
      if (!shadowRoot) continue;
      if (!shadowRoots.has(shadowRoot)) observer.observe(shadowRoot, EVERYTHING);
      shadowRoots.add(shadowRoot);
      findShadowRoots(shadowRoot);
    }
    return shadowRoots.size > before;
  };

  const ACTIVE = 'script:not([type="application/ld+json" i]), iframe, frame, object, embed, meta[http-equiv="refresh" i]';
  const HANDLERS = "boolean(//@*[starts-with(local-name(), 'on')])";
  // A script may have removed itself, so anything removed counts as one.
  const isStatic = () =>
    !hasRemoved &&
    shadowRoots.size === 0 &&
    !document.querySelector(ACTIVE) &&
    !document.evaluate(HANDLERS, document, null, XPathResult.BOOLEAN_TYPE, null).booleanValue;

  // Resolves once nothing has changed for a while, at once where nothing can. sinceMs: how long the network is idle.
  globalThis.quiet = (sinceMs) => {
    findShadowRoots();
    if (isStatic()) return true;
    const idleAt = performance.now() - sinceMs;
    return new Promise((resolve) => {
      const look = () => {
        const left = Math.max(changedAt, idleAt) + ${QUIET_MS} - performance.now();
        if (left > 0) setTimeout(look, left);
        else if (findShadowRoots()) setTimeout(look, ${QUIET_MS});
        else resolve(true);
      };
      look();
    });
  };

  globalThis.appeared = (selector) =>
    new Promise((resolve) => {
      const look = () => {
        if (!document.querySelector(selector)) return;
        looking.disconnect();
        resolve(true);
      };
      const looking = new MutationObserver(look);
      looking.observe(document, EVERYTHING);
      look();
    });

  const serializer = new XMLSerializer();
  // https://html.spec.whatwg.org/multipage/dynamic-markup-insertion.html#dom-element-gethtml
  const withShadowRoots = (element) => {
    const shell = element.cloneNode().outerHTML;
    const end = shell.lastIndexOf('</');
    return shell.slice(0, end) + element.getHTML({ shadowRoots: [...shadowRoots] }) + shell.slice(end);
  };
  const markup = (node) => {
    if (node.nodeType !== Node.ELEMENT_NODE) return serializer.serializeToString(node);
    return shadowRoots.size > 0 && node instanceof HTMLHtmlElement ? withShadowRoots(node) : node.outerHTML;
  };
  // All of the document: the doctype and comments around the root too. Null if it is longer than may be.
  globalThis.read = (maxLength) => {
    findShadowRoots();
    const text = Array.from(document.childNodes, markup).join('');
    return text.length > maxLength ? null : text;
  };
}
`;
