import type { PDFPageProxy } from 'pdfjs-dist';
import type { Item, LinkArea } from './fragments-of-page.ts';

/** Of the package. `fieldType` is one of ISO 32000-2, section 12.7.5. */
type Annotation = Partial<
  LinkArea & {
    fieldType: string;
    fieldValue: unknown;
    options: readonly { exportValue: unknown; displayValue: unknown }[];
    checkBox: boolean;
    radioButton: boolean;
    exportValue: unknown;
    buttonValue: unknown;
    hidden: boolean;
    password: boolean;
  }
>;

const MAX_FIELD_SIZE = 12;
const CHECKED = '\u2612';

/** What leads somewhere, and what is filled in. */
export async function annotationsOf(page: PDFPageProxy): Promise<{ links: LinkArea[]; values: Item[] }> {
  const annotations = (await page.getAnnotations().catch(() => [])) as Annotation[];
  return {
    links: annotations.flatMap(({ url, rect }) => (url !== undefined && rect ? { url, rect } : [])),
    values: annotations.map((annotation) => {
      const [left = 0, bottom = 0, right = 0, top = 0] = annotation.rect ?? [];
      const size = Math.min(Math.max((top - bottom) * 0.7, 1), MAX_FIELD_SIZE);
      const transform = [size, 0, 0, size, left, bottom + (top - bottom - size * 0.7) / 2];
      const str = filledIn(annotation);
      return { str, dir: 'ltr', width: right - left, height: size, transform, hasEOL: false };
    }),
  };
}

/** What a field shows. Empty for anything else. */
function filledIn({ hidden, password, ...field }: Annotation): string {
  if (hidden || password) return '';
  const { fieldType, fieldValue, options = [], checkBox, radioButton } = field;
  const isChecked =
    (checkBox && fieldValue === field.exportValue) || (radioButton && fieldValue === field.buttonValue);
  if (fieldType === 'Btn') return isChecked ? CHECKED : '';
  if (fieldType !== 'Tx' && fieldType !== 'Ch') return '';
  const shown = (value: unknown) =>
    options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value;
  return [fieldValue]
    .flat()
    .map(shown)
    .filter((value) => typeof value === 'string')
    .join(', ');
}
