/**
 * Finds elements for the hands of a scenario, in a world that pages neither see nor change. A string, because
 * a bundler would rewrite a function. `this` is the element to search in, or the window.
 */
export const FIND = /* js */ `function (kind, value) {
  const scope = this instanceof Element ? this : document;
  const shadowRootOf = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot').get;
  const boxOf = Element.prototype.getBoundingClientRect;
  const isVisible = (element) => {
    const { width, height } = boxOf.call(element);
    return width > 0 && height > 0 && Element.prototype.checkVisibility.call(element, { visibilityProperty: true });
  };
  const roots = scope === document ? [document] : [shadowRootOf.call(scope), scope].filter(Boolean);
  const normal = (text) => text.replace(/\\s+/g, ' ').trim();
  const SILENT = ['SCRIPT', 'STYLE', 'NOSCRIPT', 'TEMPLATE', 'HEAD', 'TITLE'];
  const BUTTONS = ['submit', 'button', 'reset'];
  const wanted = normal(value).toLowerCase();
  const quoted = /^"(.*)"$/.exec(normal(value))?.[1];
  const says = (text) => (quoted === undefined ? normal(text).toLowerCase().includes(wanted) : normal(text) === quoted);
  const textOf = (element) =>
    element.localName === 'input' ? (BUTTONS.includes(element.type) ? element.value : '') : (element.textContent ?? '');
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
  const { x, y, width, height } = Element.prototype.getBoundingClientRect.call(this);
  const isVisible = width > 0 && height > 0 && Element.prototype.checkVisibility.call(this, { visibilityProperty: true });
  const isDisabled =
    Element.prototype.matches.call(this, ':disabled') || Element.prototype.closest.call(this, '[aria-disabled="true"]');
  return {
    isConnected: this.isConnected,
    isVisible,
    isEnabled: !isDisabled,
    box: [x, y, width, height].join(),
    isFile: this.localName === 'input' && this.type === 'file',
    isEditable: this.isContentEditable || /^(input|textarea|select)$/.test(this.localName),
    isReadOnly: this.readOnly === true,
    isChecked: this.checked === true,
    tag: this.localName,
    type: this.type ?? '',
  };
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
