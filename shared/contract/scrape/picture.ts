import { z } from 'zod';
import type { Condition } from '../conditions.ts';
import { traits } from './field-traits.ts';
import { Locator } from './locator.ts';
import type { Format, Output } from './output.ts';
import { Picture } from './part.ts';

export const PictureType = z.enum(['png', 'jpeg', 'webp']);
export type PictureType = z.infer<typeof PictureType>;

/** Of all pictures of a page: as base64 they are 50 MB. */
export const MAX_PICTURE_BYTES = 37_500_000;

/** That Chromium encodes at once: with more, a picture does not fit into the function's memory. */
export const MAX_PIXELS = 33_177_600;

/** How a screenshot is encoded. */
export const encoding = {
  type: PictureType.optional().describe('Absent: `png`.'),
  quality: z.int().min(1).max(100).optional().describe('Of `jpeg` and `webp`. Absent: 80.'),
};
type Encoding = z.output<z.ZodObject<typeof encoding>>;

export const qualityRule = z.refine<Encoding>(
  ({ type = 'png', quality }) => quality === undefined || type !== 'png',
  { path: ['quality'], error: 'only allowed with jpeg or webp' },
);

export const Screenshot = z
  .strictObject({
    full_page: z.boolean().optional().describe('The whole page instead of the viewport. Absent: false.'),
    selector: Locator.optional().describe(
      'The first visible element that matches, instead of the viewport: a CSS selector, an XPath (`/` or `(` first) or `text=…`.',
    ),
    ...encoding,
    width: z.int().min(100).max(3_840).optional().describe("Of the viewport. Absent: the device's."),
    height: z.int().min(100).max(4_320).optional().describe("Of the viewport. Absent: the device's."),
    scale: z
      .number()
      .min(0.25)
      .max(3)
      .optional()
      .describe("Pixels of the picture for each pixel of the page. Absent: the device's."),
    dark: z.boolean().optional().describe('Prefers the dark colours of the page. Absent: false.'),
  })
  .check(
    z.refine(({ full_page: whole, selector }) => !whole || selector === undefined, {
      path: ['selector'],
      error: 'not taken with full_page',
    }),
    qualityRule,
  );
export type Screenshot = z.infer<typeof Screenshot>;

/** In small letters, and as usually written. */
export const Paper = z.enum([
  ...(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'letter', 'legal', 'tabloid', 'ledger'] as const),
  ...(['A0', 'A1', 'A2', 'A3', 'A4', 'A5', 'A6', 'Letter', 'Legal', 'Tabloid', 'Ledger'] as const),
]);
export type Paper = z.infer<typeof Paper>;

const RANGE = /^\s*([1-9]\d{0,4})\s*(?:-\s*([1-9]\d{0,4})?\s*)?$/;

const areRanges = (text: string) =>
  text.split(',').every((range) => {
    const [, from, to = Infinity] = RANGE.exec(range) ?? [];
    return Number(from) <= Number(to);
  });

export const Pdf = z.strictObject({
  paper: Paper.optional().describe('Absent: `a4`.'),
  landscape: z.boolean().optional().describe('Absent: false.'),
  scale: z.number().min(0.1).max(2).optional().describe('Absent: 1.'),
  margin: z.number().min(0).max(100).optional().describe('Millimetres on each side. Absent: 10.'),
  background: z.boolean().optional().describe('Prints backgrounds. Absent: true.'),
  page_ranges: z
    .string()
    .max(200)
    .refine(areRanges, 'expected pages such as 1-3, 5')
    .optional()
    .describe('Such as `1-3, 5`. Absent: all pages.'),
});
export type Pdf = z.infer<typeof Pdf>;

export const pictureFields = {
  screenshot: Screenshot.optional()
    .describe('How a `screenshot` is taken. Absent: the viewport as PNG. Only in the JSON body of a POST.')
    .meta({ examples: [{ full_page: true, type: 'jpeg' }] })
    .register(traits, { in: 'body', secret: true }),
  pdf: Pdf.optional()
    .describe('How a `pdf` is printed. Absent: all pages on A4. Only in the JSON body of a POST.')
    .meta({ examples: [{ paper: 'letter', landscape: true }] })
    .register(traits, { in: 'body' }),
};

type Asked = z.output<z.ZodObject<typeof pictureFields>> & {
  render_js?: boolean | undefined;
  mode?: 'auto' | undefined;
  device?: 'desktop' | 'mobile' | undefined;
  format?: Format | undefined;
  formats?: Output[] | undefined;
};

const isPicture = (output: unknown): output is Picture => Picture.safeParse(output).success;

/** The pictures that a request wants; also of a request that is not checked yet. */
export function picturesIn({ format, formats }: { format?: unknown; formats?: unknown }): Picture[] {
  const outputs = format === 'json' && Array.isArray(formats) ? formats : [format];
  return outputs.filter(isPicture);
}

/** Width, height and pixels of the picture for each pixel of the page, unless a request names others. */
export const VIEWPORTS = {
  desktop: { width: 1_920, height: 1_080, scale: 1 },
  mobile: { width: 412, height: 915, scale: 2.625 },
} as const;

function pixelsOf({ device, screenshot = {} }: Asked): number {
  const usual = VIEWPORTS[device === 'mobile' ? 'mobile' : 'desktop'];
  const { width = usual.width, height = usual.height, scale = usual.scale } = screenshot;
  return width * height * scale ** 2;
}

export const pictureConditions: readonly Condition<Asked>[] = [
  {
    name: 'screenshot',
    error: 'the viewport has more than 33 million pixels',
    isMet: (asked) => pixelsOf(asked) <= MAX_PIXELS,
  },
  {
    name: 'render_js',
    error: 'must not be false with screenshot or pdf',
    isMet: (asked) => asked.render_js !== false || asked.mode !== undefined || picturesIn(asked).length === 0,
  },
  ...Picture.options.map((name) => ({
    name,
    error: `only allowed with the format ${name}`,
    isMet: (asked: Asked) => asked[name] === undefined || picturesIn(asked).includes(name),
  })),
];

/** What is known of a picture before its bytes. */
export const PictureHeads = z
  .object({
    screenshot: z.object({
      type: PictureType,
      width: z.int().positive(),
      height: z.int().positive(),
      bytes: z.int().nonnegative().max(MAX_PICTURE_BYTES),
    }),
    pdf: z.object({ bytes: z.int().nonnegative().max(MAX_PICTURE_BYTES) }),
  })
  .partial();
export type PictureHeads = z.infer<typeof PictureHeads>;

export const bytesOf = ({ screenshot, pdf }: PictureHeads = {}) =>
  (screenshot?.bytes ?? 0) + (pdf?.bytes ?? 0);

/** The pictures of a page. */
export type Pictures = {
  screenshot?: { type: PictureType; width: number; height: number; body: Uint8Array };
  pdf?: { body: Uint8Array };
};

/** How they are announced before their bytes, which follow one another. */
export function headsOf({ screenshot, pdf }: Pictures): PictureHeads {
  const heads: PictureHeads = {};
  if (screenshot) {
    const { body, ...about } = screenshot;
    heads.screenshot = { ...about, bytes: body.byteLength };
  }
  if (pdf) heads.pdf = { bytes: pdf.body.byteLength };
  return heads;
}

/** Reads them back from their bytes. */
export function picturesFrom(sent: Uint8Array, { screenshot, pdf }: PictureHeads): Pictures {
  const pictures: Pictures = {};
  let start = 0;
  if (screenshot) {
    const { bytes, ...about } = screenshot;
    pictures.screenshot = { ...about, body: sent.subarray(0, bytes) };
    start = bytes;
  }
  if (pdf) pictures.pdf = { body: sent.subarray(start) };
  return pictures;
}
