const BULLET =
  /^([\u2022\u25e6\u25aa\u25ab\u2023\u25cf\u25cb\u25a0\u25a1\u2219\u00b7\uf0b7\uf0a7\u2043]|[-\u2013*](?=\s))\s*/u;
const NUMBER = /^\(?(\d{1,3})[.)]\s+(?=\S)/;

type Marker = { length: number; isOrdered: boolean; start?: number };

/** What a line of a list begins with. */
export function markerOf(text: string): Marker | undefined {
  const bullet = BULLET.exec(text);
  if (bullet) return { length: bullet[0].length, isOrdered: false };
  const number = NUMBER.exec(text);
  return number ? { length: number[0].length, isOrdered: true, start: Number(number[1]) } : undefined;
}

/** Whether this is only what a line of a list begins with. */
export const isMarker = (text: string): boolean =>
  markerOf(`${text.trim()} x`)?.length === text.trim().length + 1;
