import {
  MAX_PICTURE_BYTES,
  MAX_PIXELS,
  type PictureType,
  type Screenshot,
} from '../../../shared/contract/scrape/picture.ts';
import { AppError } from '../../../shared/errors.ts';
import { joinPng } from './join-png.ts';
import type { CaptureContext } from './capture-context.ts';

/** Part of the page, in its own pixels. */
export type Area = { x: number; y: number; width: number; height: number };
export type CapturedArea = { type: PictureType; width: number; height: number; body: Uint8Array };

/** Draws frames until the command is done. */
type Camera = Pick<CaptureContext, 'draw'>;
type Format = { type: PictureType; quality: number };

const QUALITY = 80;
/** A tile's share of the memory; a PNG of more is joined from tiles. */
const TILE_PIXELS = 8_294_400;
const WHOLE_PIXELS = 2 * TILE_PIXELS;
/** All tiles together: some 60,000 lines of a desktop. */
const MAX_PNG_PIXELS = 120_000_000;
/** https://developers.google.com/speed/webp/faq, and beyond 16,384 lines Chromium draws JPEG in one piece that is too large. */
const MAX_SIDE: Readonly<Record<PictureType, number>> = { png: 200_000, jpeg: 16_384, webp: 16_383 };

/** Without an area: the viewport. Throws `not_convertible` if it is too large for its type. */
export async function takePicture(
  context: Camera,
  { type = 'png', quality = QUALITY }: Pick<Screenshot, 'type' | 'quality'>,
  area?: Area & { scale: number },
): Promise<CapturedArea> {
  const body = area
    ? await takeArea(context, { type, quality }, area)
    : await shoot(context, { type, quality });
  if (body.byteLength > MAX_PICTURE_BYTES)
    throw new AppError('response_too_large', {
      message: 'The picture is larger than 37 MB. Take a smaller one, or a jpeg or webp.',
    });
  return { type, ...sizeOf(body, type), body };
}

async function takeArea(
  context: Camera,
  format: Format,
  { scale, ...area }: Area & { scale: number },
): Promise<Uint8Array> {
  const { type } = format;
  const [width, height] = [Math.ceil(area.width * scale), Math.ceil(area.height * scale)];
  const most = type === 'png' ? MAX_PNG_PIXELS : MAX_PIXELS;
  if (Math.max(width, height) > MAX_SIDE[type] || width * height > most) throw tooLarge(type, width, height);
  if (type !== 'png' || width * height <= WHOLE_PIXELS) return shoot(context, format, area);
  return joinPng(tilesOf(context, area, scale), { width, height });
}

async function* tilesOf(context: Camera, area: Area, scale: number): AsyncGenerator<Uint8Array> {
  const step = wholeLines(TILE_PIXELS / (area.width * scale * scale), scale);
  const bottom = area.y + area.height;
  for (let y = area.y; y < bottom; y += step) {
    const height = Math.min(step, bottom - y);
    yield await shoot(context, { type: 'png', quality: QUALITY }, { ...area, y, height });
  }
}

/** The largest height whose end lies between two lines of the picture. */
function wholeLines(most: number, scale: number): number {
  const isWhole = (lines: number) => Math.abs(lines * scale - Math.round(lines * scale)) < 1e-6;
  for (let lines = Math.floor(most); lines > most / 2; lines -= 1) if (isWhole(lines)) return lines;
  return Math.max(1, Math.floor(most));
}

async function shoot({ draw }: Camera, { type, quality }: Format, area?: Area): Promise<Uint8Array> {
  const { data } = await draw('Page.captureScreenshot', {
    format: type,
    // Half the time of Chromium's smallest PNG, for a third more bytes.
    ...(type === 'png' ? { optimizeForSpeed: true } : { quality }),
    ...(area && { clip: { ...area, scale: 1 }, captureBeyondViewport: true }),
  });
  return Buffer.from(data, 'base64');
}

function tooLarge(type: PictureType, width: number, height: number): AppError {
  const size = `${width} × ${height} pixels`;
  const advice = type === 'png' ? 'a smaller scale, an element or a pdf' : 'a png, a smaller scale or a pdf';
  const message = `The picture would have ${size}, which is too large for ${type}. Request ${advice}.`;
  return new AppError('not_convertible', { message, fields: { reason: 'size' } });
}

type Size = { width: number; height: number };

const READERS: Readonly<Record<PictureType, (bytes: Buffer) => Size>> = {
  /** https://www.w3.org/TR/png-3/#11IHDR */
  png: (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  jpeg: sizeOfJpeg,
  webp: sizeOfWebp,
};

/** The width and height that a picture says it has. */
function sizeOf(body: Uint8Array, type: PictureType): Size {
  return READERS[type](Buffer.from(body.buffer, body.byteOffset, body.byteLength));
}

const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** https://www.w3.org/Graphics/JPEG/itu-t81.pdf, B.2.2 */
function sizeOfJpeg(bytes: Buffer): Size {
  let at = 2;
  while (!isFrame(bytes.readUInt8(at + 1))) at += 2 + bytes.readUInt16BE(at + 2);
  return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
}

/** https://developers.google.com/speed/webp/docs/riff_container */
function sizeOfWebp(bytes: Buffer): Size {
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: 1 + bytes.readUIntLE(24, 3), height: 1 + bytes.readUIntLE(27, 3) };
  if (kind === 'VP8 ')
    return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
  const bits = bytes.readUInt32LE(21);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}
