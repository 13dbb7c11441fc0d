// @ts-check
// Fills fields of forms.

/**
 * Selects what is there, or goes behind it.
 * @param {HTMLElement} element
 * @param {boolean} isAll
 */
export function placeCursor(element, isAll) {
  element.focus();
  if (element.localName === 'input' || element.localName === 'textarea') {
    const field = /** @type {HTMLInputElement} */ (element);
    if (isAll) {
      field.select();
      return;
    }
    try {
      field.setSelectionRange(field.value.length, field.value.length);
    } catch {
      // Inputs for e-mail addresses, for example, have no selection to move.
    }
    return;
  }
  const range = document.createRange();
  range.selectNodeContents(element);
  if (!isAll) range.collapse(false);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/**
 * False if the field does not take the value.
 * @param {HTMLInputElement} field
 * @param {string} value
 */
export function setValue(field, value) {
  field.focus();
  field.value = value;
  const isTaken = field.type === 'color' ? field.value === value.toLowerCase() : field.value === value;
  if (isTaken) announceChange(field);
  return isTaken;
}

/**
 * The browser draws the list of options outside of the page, so no click can reach them.
 * @param {HTMLSelectElement} field
 * @param {string} wanted
 */
export function choose(field, wanted) {
  /** @type {(text: string) => string} */
  const normal = (text) => text.replace(/\s+/g, ' ').trim();
  const all = [...field.options].filter((option) => !option.disabled);
  const option =
    all.find(({ value }) => value === wanted) ?? all.find(({ text }) => normal(text) === normal(wanted));
  if (!option) return false;
  field.focus();
  if (option.selected && !field.multiple) return true;
  option.selected = true;
  announceChange(field);
  return true;
}

/** @param {Element} field */
function announceChange(field) {
  field.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  field.dispatchEvent(new Event('change', { bubbles: true }));
}
