/* global SwaggerUIBundle */
const root = document.querySelector('#docs');
const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);

const titleOf = (element) =>
  element.closest('.opblock').querySelector('.opblock-summary-description').textContent;
const name = (text) => (element) => element.setAttribute('aria-label', text);
const level = (number) => (element) => element.setAttribute('aria-level', number);
const region = (text) => (element) => {
  element.setAttribute('role', 'region');
  name(text)(element);
};

/** What the library leaves without a name, at the wrong level, or out of reach of the keyboard. */
const amendments = {
  '.information-container': region('About'),
  '.schemes-server-container': region('Authorization'),
  h3: level(2),
  h4: level(3),
  h5: level(4),
  '.responses-table': (table) => name(`Responses of ${titleOf(table)}`)(table),
  'select:not([aria-label])': (select) =>
    name(select.closest('[data-param-name]')?.dataset.paramName ?? 'Example')(select),
  pre: (text) => text.setAttribute('tabindex', '0'),
};

function amend() {
  for (const [selector, amendment] of Object.entries(amendments)) {
    root.querySelectorAll(selector).forEach(amendment);
  }
}

dark.addEventListener('change', paint);
paint();
new MutationObserver(amend).observe(root, { childList: true, subtree: true });

SwaggerUIBundle({
  domNode: root,
  // Beside this page, for a deployed API lies under the name of its stage.
  url: 'openapi.json',
  // With it, there is a link inside of each operation's button.
  deepLinking: false,
  syntaxHighlight: false,
  // It would be another host's.
  validatorUrl: null,
});
