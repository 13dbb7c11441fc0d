/** Text runs through inline elements without a box of their own, which show what is in them. */
const IS_VISIBLE = /* js */ `const boxOf = Element.prototype.getBoundingClientRect;
  const hasSize = ({ width, height }) => width > 0 && height > 0;
  const insideOf = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return range.getBoundingClientRect();
  };
  const isVisible = (element) => {
    const { display, visibility } = getComputedStyle(element);
    if (display === 'contents') return visibility === 'visible' && hasSize(insideOf(element));
    if (!Element.prototype.checkVisibility.call(element, { visibilityProperty: true })) return false;
    return hasSize(boxOf.call(element)) || (display === 'inline' && hasSize(insideOf(element)));
  };`;

/**
 * Finds elements for the hands of a scenario, in a world that pages neither see nor change. A string, because
 * a bundler would rewrite a function. `this` is the element to search in, or the window.
 */
export const FIND = /* js */ `function (kind, value) {
  const scope = this instanceof Element ? this : document;
  const shadowRootOf = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get;
  ${IS_VISIBLE}
  const roots = scope === document ? [document] : [shadowRootOf.call(scope), scope].filter(Boolean);
  const normal = (text) => text.replace(/\\s+/g, ' ').trim();
  const SILENT = ['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'TITLE'];
  const silent = SILENT.join();
  // What nobody sees does not make its parent match either.
  const shownIn = (element) => {
    if (!element.querySelector(silent)) return element.textContent ?? '';
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let text = '';
    while (walker.nextNode()) if (!walker.currentNode.parentElement?.closest(silent)) text += walker.currentNode.data;
    return text;
  };
  const BUTTONS = ['submit', 'button', 'reset'];
  const wanted = normal(value).toLowerCase();
  const quoted = /^"(.*)"$/.exec(normal(value))?.[1];
  const says = (text) => (quoted === undefined ? normal(text).toLowerCase().includes(wanted) : normal(text) === quoted);
  const textOf = (element) =>
    element.localName === 'input' ? (BUTTONS.includes(element.type) ? element.value : '') : shownIn(element);
  const byText = (root) => {
    const found = [];
    for (const element of root.querySelectorAll('*')) {
      if (SILENT.includes(element.tagName)) continue;
      const shadowRoot = shadowRootOf.call(element);
      if (shadowRoot) found.push(...byText(shadowRoot));
      if (!says(textOf(element))) continue;
      // The innermost element that has the text.
      if (![...element.children].some((child) => !SILENT.includes(child.tagName) && says(textOf(child)))) found.push(element);
    }
    return found;
  };
  const byPath = (root) => {
    if (root instanceof ShadowRoot) return [];
    const path = root === document ? value : value.replace(/^\\(*(?=\\/)/, '$&.');
    const result = document.evaluate(path, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
    const all = Array.from({ length: result.snapshotLength }, (_, index) => result.snapshotItem(index));
    return all.filter((node) => node instanceof Element);
  };
  const search = { css: (root) => [...root.querySelectorAll(value)], text: byText, xpath: byPath };
  const all = roots.flatMap((root) => search[kind](root));
  return [all.find(isVisible) ?? all[0] ?? null, all];
}`;

/** The state of an element that an act depends on. */
export const STATE = /* js */ `function () {
  ${IS_VISIBLE}
  const { x, y, width, height } = boxOf.call(this);
  const control = this.localName === 'label' ? this.control : this;
  const isDisabled =
    Element.prototype.matches.call(this, ':disabled') || Element.prototype.closest.call(this, '[aria-disabled="true"]');
  return {
    isConnected: this.isConnected,
    isVisible: isVisible(this),
    isEnabled: !isDisabled,
    box: [x, y, width, height].join(),
    isFile: this.localName === 'input' && this.type === 'file',
    isEditable: this.isContentEditable || /^(input|textarea|select)$/.test(this.localName),
    isReadOnly: this.readOnly === true,
    isChecked: control?.checked === true,
    tag: this.localName,
    type: control?.type ?? '',
  };
}`;

/** What a person would point at: the label of a checkbox that others draw, or the first child with a box. */
export const TARGET = /* js */ `function () {
  ${IS_VISIBLE}
  if (hasSize(boxOf.call(this)) && isVisible(this)) return this;
  const isTicked = this.localName === 'input' && /^(checkbox|radio)$/.test(this.type);
  const others = isTicked ? [...this.labels] : isVisible(this) ? [...this.querySelectorAll('*')] : [];
  return others.find((element) => hasSize(boxOf.call(element)) && isVisible(element)) ?? this;
}`;

/** Empty if a click at a place reaches this element; otherwise what covers it. */
export const COVER = /* js */ `function (hit) {
  const above = (node) => node.assignedSlot ?? node.parentNode ?? node.host ?? null;
  for (let node = hit; node; node = above(node)) {
    if (node === this) return '';
    if (node.localName === 'label' && node.control === this) return '';
  }
  // A part that lets clicks through to its own button or link.
  for (let node = this; node; node = above(node))
    if (node === hit && Element.prototype.matches.call(node, 'a, button, label, summary, [role]')) return '';
  const { localName, id, className } = hit;
  const names = typeof className === 'string' ? className.trim().split(/\\s+/).filter(Boolean) : [];
  return ('<' + [localName + (id ? '#' + id : ''), ...names].join('.') + '>').slice(0, 80);
}`;
