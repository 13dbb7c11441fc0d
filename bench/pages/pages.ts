/** A page that is measured, and what proves that all of it came. */
export type BenchPage = {
  path: string;
  holds: string;
  /** What to wait for: known to whoever wrote the page, and to no scraping service. */
  selector?: string;
};

const END = '<p id="end">';

export const PAGES = {
  small: { path: '/10-kb', holds: END },
  medium: { path: '/100-kb', holds: END },
  large: { path: '/1-mb', holds: END },
  spa: { path: '/spa', holds: '<li>item 99</li>', selector: 'li' },
  resources: { path: '/40-resources', holds: 'class="s19"' },
  slow: { path: '/300-ms', holds: END },
} as const satisfies Record<string, BenchPage>;

/** Its content comes by a timer of its own. Raw Chromium takes all of the time that it says. */
export const LATE = { path: '/4-s-timer', holds: 'late</body>', timerMs: 4_000 } as const;
