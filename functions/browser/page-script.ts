/** The isolated world that our script lives in: pages neither see nor change it. */
export const WORLD = 'reader';

/** No DOM change for so long, and the page has settled. */
export const QUIET_MS = 100;

/**
 * Runs in Chromium, in every frame, before the page's own scripts, and once more with each question: a page that has no
 * scripts at all gets no world to run anything in. Text, for a bundler would rewrite a function.
 */
export const pageScript = /* js */ `
if (window === window.top && !globalThis.quiet) {
  let changedAt = performance.now();
  let hasRemoved = false;
  new MutationObserver((records) => {
    changedAt = performance.now();
    hasRemoved ||= records.some(({ removedNodes }) => removedNodes.length > 0);
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });

  const ACTIVE = 'script:not([type="application/ld+json" i]), iframe, frame, object, embed, meta[http-equiv="refresh" i]';
  const HANDLERS = "boolean(//@*[starts-with(local-name(), 'on')])";
  // A script may have removed itself, so anything removed counts as one.
  const isStatic = () =>
    !hasRemoved &&
    !document.querySelector(ACTIVE) &&
    !document.evaluate(HANDLERS, document, null, XPathResult.BOOLEAN_TYPE, null).booleanValue;

  // Resolves once nothing has changed for a while, at once where nothing can. sinceMs: how long the network is idle.
  globalThis.quiet = (sinceMs) => {
    if (isStatic()) return true;
    const idleAt = performance.now() - sinceMs;
    return new Promise((resolve) => {
      const look = () => {
        const left = Math.max(changedAt, idleAt) + ${QUIET_MS} - performance.now();
        if (left <= 0) resolve(true);
        else setTimeout(look, left);
      };
      look();
    });
  };

  const serializer = new XMLSerializer();
  const markup = (node) => (node.nodeType === Node.ELEMENT_NODE ? node.outerHTML : serializer.serializeToString(node));
  // All of the document: the doctype and comments around the root too. Null if it is longer than may be.
  globalThis.read = (maxLength) => {
    const text = Array.from(document.childNodes, markup).join('');
    return text.length > maxLength ? null : text;
  };
}
`;
