// @ts-check
/** A spinner that a script draws is small and about as wide as high, and most of it is clear. */
const SPINNER = { maxPx: 160, leastClear: 0.5, samples: 16 };

const { getBoundingClientRect: boxOf } = Element.prototype;

/** @param {Element} element */
export function isDrawnSpinner(element) {
  if (!(element instanceof HTMLCanvasElement)) return false;
  const { width, height } = boxOf.call(element);
  if (width === 0 || width > SPINNER.maxPx || Math.abs(width - height) > width / 4) return false;
  const { samples } = SPINNER;
  const context = new OffscreenCanvas(samples, samples).getContext('2d');
  try {
    context?.drawImage(element, 0, 0, samples, samples);
    const data = context?.getImageData(0, 0, samples, samples).data;
    const clear = data?.filter((value, at) => at % 4 === 3 && value < 16) ?? [];
    return clear.length >= SPINNER.leastClear * samples * samples;
  } catch {
    // It has no size, or a picture of another site.
    return false;
  }
}
