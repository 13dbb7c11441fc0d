/** Runs in the isolated world. A string, because a bundler would rewrite a function. */
const SCRIPT = /* js */ `
// Pixels below a bar that still counts as being at the bottom.
const MARGIN = 40;
const images = () => [...document.querySelectorAll('img')];
// A control named "style" hides that of its form.
const ownStyle = Object.getOwnPropertyDescriptor(HTMLElement.prototype, 'style').get;
const styleOf = (element) => (element instanceof HTMLElement ? ownStyle.call(element) : element.style);
const instantly = (top) => scrollTo({ top, left: 0, behavior: 'instant' });
const ends = (animation) => Number.isFinite(Number(animation.effect?.getComputedTiming().endTime));
// The window takes the overflow of the body if the root has none of its own.
const isCutOff = (root, body) => {
  const [own, inner] = [root, body].map((each) => (each ? getComputedStyle(each).overflowX : 'visible'));
  return ['hidden', 'clip'].includes(own === 'visible' ? inner : own);
};
const calls = {
  scrollTo: instantly,
  // Native lazy loading and skipped contents wait for scrolling, which the picture does not need.
  showAll: () => {
    for (const each of document.querySelectorAll('img[loading="lazy" i], iframe[loading="lazy" i]'))
      each.setAttribute('loading', 'eager');
    for (const each of document.querySelectorAll('body *'))
      if (getComputedStyle(each).contentVisibility === 'auto')
        styleOf(each).setProperty('content-visibility', 'visible', 'important');
  },
  isLoading: () =>
    document.fonts.status === 'loading' ||
    images().some((image) => !image.complete && image.loading !== 'lazy'),
  extent: () => {
    const [root, body] = [document.documentElement, document.body];
    return {
      width: isCutOff(root, body) ? innerWidth : Math.max(innerWidth, root.scrollWidth),
      height: Math.max(innerHeight, root.scrollHeight, body?.scrollHeight ?? 0),
      viewport: innerHeight,
    };
  },
  // What has an end gets to it, what has none returns to its start.
  stopAnimations: () => {
    for (const animation of document.getAnimations()) {
      try {
        if (ends(animation)) animation.finish();
        else animation.cancel();
      } catch {
        animation.cancel();
      }
    }
  },
  ignoreResize: () => (globalThis.isPictured = true),
  // What sticks to the bottom of the window belongs to its place, or to the bottom of the page.
  lowerBars: (height) => {
    const all = [...document.querySelectorAll('body *')].map((element) => [element, getComputedStyle(element)]);
    const sticky = all
      .filter(([, { position, bottom }]) => position === 'sticky' && bottom !== 'auto')
      .map(([element]) => [element, styleOf(element).cssText]);
    for (const [element] of sticky) styleOf(element).setProperty('bottom', 'auto', 'important');
    const fixed = all.filter(([, { position }]) => position === 'fixed').map(([element]) => element);
    const bars = fixed.filter((element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top > innerHeight / 2 && top < innerHeight && bottom > innerHeight - MARGIN;
    });
    const before = bars.map((bar) => [bar, styleOf(bar).cssText, bar.getBoundingClientRect()]);
    for (const [bar, , box] of before) {
      const set = (name, value) => styleOf(bar).setProperty(name, value, 'important');
      for (const [name, value] of [['transition', 'none'], ['position', 'absolute'], ['bottom', 'auto'], ['right', 'auto'], ['top', '0'], ['left', '0'], ['width', box.width + 'px'], ['box-sizing', 'border-box']])
        set(name, value);
      const { top, left } = bar.getBoundingClientRect();
      set('top', box.top + height - innerHeight - top + 'px');
      set('left', box.left - left + 'px');
    }
    globalThis.raiseBars = () => [...sticky, ...before].forEach(([bar, style]) => (styleOf(bar).cssText = style));
  },
  raiseBars: () => globalThis.raiseBars?.(),
};`;

export type Extent = { width: number; height: number; viewport: number };

type Calls = {
  scrollTo: (top: number) => void;
  showAll: () => void;
  isLoading: () => boolean;
  extent: () => Extent;
  stopAnimations: () => void;
  ignoreResize: () => void;
  lowerBars: (height: number) => void;
  raiseBars: () => void;
};

/** The text of a function that does this call. */
export const viewCall = (name: keyof Calls) => `function (value) { ${SCRIPT} return calls.${name}(value); }`;

export type View = <Name extends keyof Calls>(
  name: Name,
  ...values: Parameters<Calls[Name]>
) => Promise<ReturnType<Calls[Name]>>;
