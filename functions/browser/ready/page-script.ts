/** The isolated world that our script lives in: pages neither see nor change it. */
export const WORLD = 'reader';

/**
 * Runs in Chromium, in every frame, before the page's own scripts, and once more with each question: a page that has no
 * scripts at all gets no world to run anything in. Text, for a bundler would rewrite a function.
 */
export const pageScript = /* js */ `
if (window === window.top && !Object.hasOwn(globalThis, 'isStatic')) {
  let hasRemoved = false;
  const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };
  const observer = new MutationObserver((records) => {
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
  globalThis.isStatic = () =>
    !hasRemoved &&
    !findShadowRoots() &&
    shadowRoots.size === 0 &&
    !document.querySelector(ACTIVE) &&
    !document.evaluate(HANDLERS, document, null, XPathResult.BOOLEAN_TYPE, null).booleanValue;

  // Its pictures of before and after are taken of frames that are drawn.
  globalThis.isInTransition = () => Boolean(document.activeViewTransition);

  // Nothing tells of a shadow root that is attached to an element that was there already.
  const LOOK_MS = 100;
  globalThis.appeared = (selector) =>
    new Promise((resolve) => {
      const watched = new Set();
      const look = () => {
        const places = [document, ...shadowRoots];
        if (places.some((place) => place.querySelector(selector))) {
          looking.disconnect();
          clearInterval(timer);
          resolve(true);
          return;
        }
        for (const place of places) {
          if (!watched.has(place)) looking.observe(place, EVERYTHING);
          watched.add(place);
        }
      };
      const lookForRoots = () => {
        findShadowRoots();
        look();
      };
      const looking = new MutationObserver(look);
      const timer = setInterval(lookForRoots, LOOK_MS);
      lookForRoots();
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
