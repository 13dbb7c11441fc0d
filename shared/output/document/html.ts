const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A text as HTML, for elements and attributes alike. Characters that HTML does not have are left out. */
export function escaped(text: string): string {
  // oxlint-disable-next-line no-control-regex -- What XML 1.0 does not allow either.
  const allowed = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
  return allowed.replace(/[&<>"]/g, (each) => ENTITIES[each] ?? each);
}

/** What a document says about itself, in the words of `format=metadata`. */
export type About = {
  title?: string | undefined;
  author?: string | undefined;
  description?: string | undefined;
  keywords?: string | undefined;
  language?: string | undefined;
  publishedAt?: string | undefined;
};

/** A whole page with this body. */
export function pageOf(body: string, about: About = {}): string {
  const { title, language, publishedAt, ...named } = about;
  const metas = Object.entries({ ...named, 'article:published_time': publishedAt }).map(
    ([name, value]) => value && `<meta name="${name}" content="${escaped(value)}">`,
  );
  const lang = language ? ` lang="${escaped(language)}"` : '';
  const head = [`<meta charset="utf-8">`, title && `<title>${escaped(title)}</title>`, ...metas];
  return `<!DOCTYPE html><html${lang}><head>${head.filter(Boolean).join('')}</head><body>${body}</body></html>`;
}

export const element = (name: string, inner: string): string => `<${name}>${inner}</${name}>`;

/** A link, or the words alone if it leads nowhere outside of the document. */
export function linked(inner: string, href: string | undefined): string {
  const isOutside = href !== undefined && /^(?:https?|mailto|tel|ftp):/i.test(href.trim());
  return isOutside && inner.trim() !== '' ? `<a href="${escaped(href.trim())}">${inner}</a>` : inner;
}

export type Cell = { html: string; colspan?: number; rowspan?: number };

/** A table whose first row names its columns. */
export function tableOf(rows: readonly (readonly Cell[])[]): string {
  const lines = rows.map((cells, at) => {
    const name = at === 0 ? 'th' : 'td';
    return element('tr', cells.map((cell) => `<${name}${spans(cell)}>${cell.html}</${name}>`).join(''));
  });
  return lines.length === 0 ? '' : element('table', lines.join(''));
}

function spans({ colspan = 1, rowspan = 1 }: Cell): string {
  return (colspan > 1 ? ` colspan="${colspan}"` : '') + (rowspan > 1 ? ` rowspan="${rowspan}"` : '');
}

export type ListItem = { level: number; isOrdered: boolean; html: string; start?: number };

/** Items as lists in lists, by their levels from 0. */
export function listsOf(items: readonly ListItem[]): string {
  const open: string[] = [];
  let html = '';
  for (const { level, isOrdered, html: inner, start = 1 } of items) {
    const name = isOrdered ? 'ol' : 'ul';
    while (open.length > level + 1) html += `</li></${open.pop()}>`;
    if (open.length === level + 1 && open.at(-1) !== name) html += `</li></${open.pop()}>`;
    else if (open.length === level + 1) html += '</li>';
    if (open.length <= level) {
      // A level that is left out has no items of its own.
      open.push(name);
      html += isOrdered && start > 1 ? `<ol start="${start}">` : `<${name}>`;
    }
    html += `<li>${inner}`;
  }
  return (
    html +
    open
      .toReversed()
      .map((name) => `</li></${name}>`)
      .join('')
  );
}
