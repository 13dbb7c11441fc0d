import { type About, element, escaped, linked, type ListItem, listsOf, pageOf, tableOf } from './html.ts';
import { markerOf } from './pdf/marker.ts';

/** A twentieth of a point. The usual step of lists. */
const LIST_STEP = 360;
const MAX_LEVEL = 8;

type Run = { text: string; isBold: boolean; href?: string | undefined };

const NO_PROPERTIES = {
  isInTable: false,
  heading: undefined as number | undefined,
  level: 0,
  indent: 0,
  first: 0,
};

/** Builds a page from the runs and paragraphs of a file, in their order. */
export class RtfPage {
  readonly about: About = {};
  #html = '';
  #inline = '';
  #marker = '';
  #note = '';
  /** Of the last run. */
  #href: string | undefined;
  #anchors: { inline: string; marker: string; paragraph: typeof NO_PROPERTIES }[] = [];
  #notes: string[] = [];
  #paragraph = { ...NO_PROPERTIES };
  #cells: string[] = [];
  #rows: { html: string }[][] = [];
  #items: ListItem[] = [];

  text(run: Run): void {
    this.#inline = withRun(this.#inline, run, this.#href);
    this.#href = run.href;
  }

  /** Sets a paragraph aside for the text of a shape. In tables there is none. */
  beginBox(): boolean {
    if (this.#paragraph.isInTable) return false;
    this.#anchors.push({ inline: this.#inline, marker: this.#marker, paragraph: this.#paragraph });
    [this.#inline, this.#marker, this.#paragraph] = ['', '', { ...NO_PROPERTIES }];
    return true;
  }

  endBox(): void {
    const anchor = this.#anchors.pop();
    if (anchor === undefined) return;
    this.#paragraph.isInTable = false;
    this.paragraph();
    [this.#inline, this.#marker, this.#paragraph] = [anchor.inline, anchor.marker, anchor.paragraph];
  }

  lineBreak(): void {
    this.#inline += '<br>';
  }

  /** What the list of a paragraph begins it with. */
  marker(text: string): void {
    this.#marker += text;
  }

  say(name: keyof About, text: string): void {
    this.about[name] = (this.about[name] ?? '') + text;
  }

  note(run: Run | 'break'): void {
    this.#note = run === 'break' ? `${this.#note}<br>` : withRun(this.#note, run, this.#href);
    this.#href = run === 'break' ? undefined : run.href;
  }

  endNote(): void {
    const note = withoutLastBreaks(joined(this.#note));
    this.#note = '';
    if (note === '') return;
    this.#notes.push(note);
    this.#inline += element('sup', String(this.#notes.length));
  }

  /** Forgets the properties of paragraphs. */
  plain(): void {
    this.#paragraph = { ...NO_PROPERTIES };
  }

  /** A property of paragraphs. */
  set(word: string, value: number): void {
    const paragraph = this.#paragraph;
    if (word === 'intbl') paragraph.isInTable = true;
    else if (word === 'outlinelevel' && value >= 0 && value <= 5) paragraph.heading = value + 1;
    else if (word === 'ilvl') paragraph.level = Math.min(Math.max(value, 0), MAX_LEVEL);
    else if (word === 'li') paragraph.indent = value;
    else if (word === 'fi') paragraph.first = value;
  }

  paragraph(): void {
    if (this.#paragraph.isInTable) {
      this.#inline += '<br>';
      return;
    }
    this.#endTable();
    const [inner, marker] = [joined(this.#inline), this.#marker.trim()];
    [this.#inline, this.#marker] = ['', ''];
    if (inner === '') return;
    const item = this.#paragraph.heading === undefined ? this.#itemOf(inner, marker) : undefined;
    if (item) {
      this.#items.push(item);
      return;
    }
    this.#endList();
    const { heading } = this.#paragraph;
    this.#html += heading ? element(`h${heading}`, inner.replaceAll(/<\/?b>/g, '')) : element('p', inner);
  }

  cell(): void {
    this.#cells.push(withoutLastBreaks(joined(this.#inline)));
    [this.#inline, this.#marker] = ['', ''];
  }

  row(): void {
    this.#endList();
    this.#rows.push(this.#cells.map((html) => ({ html })));
    this.#cells = [];
    this.#paragraph.isInTable = false;
  }

  end(): string {
    this.#paragraph.isInTable = false;
    this.paragraph();
    this.#endTable();
    this.#endList();
    const notes = this.#notes.map((html) => ({ level: 0, isOrdered: true, html }));
    return pageOf(this.#html + listsOf(notes), this.about);
  }

  /** An item by its list, or by a mark of its own that hangs out of the paragraph. */
  #itemOf(html: string, marker: string): ListItem | undefined {
    const { level, first, indent } = this.#paragraph;
    if (marker !== '')
      return { level: Math.min(level, this.#items.length), isOrdered: /[\p{L}\d]/u.test(marker), html };
    const own = first < 0 ? markerOf(html) : undefined;
    if (own === undefined) return undefined;
    const depth = Math.min(Math.max(Math.round(indent / LIST_STEP) - 1, 0), this.#items.length, MAX_LEVEL);
    return { ...own, level: depth, html: html.slice(own.length) };
  }

  #endTable(): void {
    this.#html += tableOf(this.#rows);
    this.#rows = [];
  }

  #endList(): void {
    this.#html += listsOf(this.#items);
    this.#items = [];
  }
}

/** A run after others. Runs of one link are in one. */
function withRun(html: string, { text, isBold, href }: Run, before: string | undefined): string {
  const inner = isBold && text.trim() !== '' ? element('b', escaped(text)) : escaped(text);
  const isSame = href !== undefined && href === before && html.endsWith('</a>');
  return isSame ? `${html.slice(0, -'</a>'.length)}${inner}</a>` : html + linked(inner, href);
}

/** In linear time: only the first of many is tried. */
const withoutLastBreaks = (html: string) => html.replace(/(?<!<br>)(?:<br>)+$/, '');

/** Runs that are bold alike are one. */
const joined = (inline: string) => inline.replaceAll(/<\/b>(\s*)<b>/g, '$1').trim();
