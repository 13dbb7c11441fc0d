/** `holds` proves that the page is complete. */
export type BenchPage = {
  path: string;
  holds: string;
  /** Known to the page's author, but not to a scraping service. */
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

/** A timer adds its content; raw Chromium waits the full time. */
export const LATE = { path: '/4-s-timer', holds: 'late</body>', timerMs: 4_000 } as const;
