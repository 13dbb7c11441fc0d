import { IDLE } from './idle-work.ts';

/** An isolated world that pages neither see nor change. */
export const WORLD = 'reader';

/** Runs in every frame, and with each call. A string, because a bundler would rewrite a function. */
export const pageScript = /* js */ `
if (window === window.top && !Object.hasOwn(globalThis, 'isStatic')) {
  let hasRemoved = false;
  const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true };
  const observer = new MutationObserver((records) => {
    hasRemoved ||= records.some(({ removedNodes }) => removedNodes.length > 0);
  });
  observer.observe(document, EVERYTHING);

  // A form's input named shadowRoot hides the property.
  const shadowRootOf = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get;
  // No event reports a new open shadow root, so each is found by search and then observed.
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
  // A removed node may be a script that removed itself.
  globalThis.isStatic = () =>
    !hasRemoved &&
    !findShadowRoots() &&
    shadowRoots.size === 0 &&
    !document.querySelector(ACTIVE) &&
    !document.evaluate(HANDLERS, document, null, XPathResult.BOOLEAN_TYPE, null).booleanValue;

  // A view transition captures frames, so they must be drawn.
  globalThis.isInTransition = () => Boolean(document.activeViewTransition);

  globalThis.framed = () => new Promise((resolve) => requestAnimationFrame(resolve));

  let idle = 0;
  addEventListener('${IDLE.requested}', () => (idle += 1));
  addEventListener('${IDLE.over}', () => (idle -= 1));
  // Only a frame with a change gives idle time.
  globalThis.isIdling = () => {
    if (idle > 0) requestAnimationFrame(() => undefined);
    return idle > 0;
  };

  const leftOf = ({ playState, playbackRate, effect, currentTime }) =>
    playState === 'running' ? (effect?.getComputedTiming().endTime - currentTime) / playbackRate : Infinity;
  // Endless animations, and those that follow the scroll position, do not count. Null stands for Infinity.
  globalThis.animatedMs = () => {
    const left = document.getAnimations().map(leftOf).filter((ms) => ms > 0 && ms < Infinity);
    return left.length > 0 ? Math.min(...left) : null;
  };

  // No event reports a shadow root attached to an existing element.
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
  // The whole document with doctype and outer comments. Null if longer than the limit.
  globalThis.read = (maxLength) => {
    findShadowRoots();
    const text = Array.from(document.childNodes, markup).join('');
    return text.length > maxLength ? null : text;
  };
}
`;
