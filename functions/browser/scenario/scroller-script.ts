/**
 * Runs in the isolated world: the page or, if nothing of it is out of view, the largest element with a
 * scrollbar of its own, as applications with a fixed frame have it.
 */
const scroller = (size: 'Height' | 'Width', overflow: 'overflowY' | 'overflowX') => /* js */ `(() => {
  const page = document.scrollingElement ?? document.documentElement;
  const isLonger = (element) => element.scroll${size} > element.client${size};
  if (isLonger(page)) return page;
  const within = (root) =>
    [...root.querySelectorAll('*')].flatMap((element) =>
      element.shadowRoot ? [element, ...within(element.shadowRoot)] : [element],
    );
  const area = (element) => element.clientWidth * element.clientHeight;
  const hasBar = (element) => ['auto', 'scroll'].includes(getComputedStyle(element).${overflow});
  const [largest = page] = within(document)
    .filter((element) => isLonger(element) && area(element) > 0 && hasBar(element))
    .sort((a, b) => area(b) - area(a));
  return largest;
})()`;

/** Expressions for what a person would scroll, down or to the right. */
export const DOWN = scroller('Height', 'overflowY');
export const RIGHT = scroller('Width', 'overflowX');
