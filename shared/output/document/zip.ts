import { type UnzipFileInfo, type Unzipped, unzipSync } from 'fflate';
import { NotConvertible } from '../../contract/scrape/not-convertible.ts';
import { decodeHtml } from '../../html/decode-html.ts';

/** The files of an archive. Nothing is written to the disk, so their names are names only. */
export type Archive = {
  names: readonly string[];
  /** The text of a file. Empty if there is none of this name. Throws `NotConvertible`. */
  text: (name: string) => string;
  /** Files whose names pass. */
  files: (isWanted: (name: string) => boolean) => Unzipped;
};

const MAX_FILES = 20_000;
/** Of all files that are read, inflated: with their trees they fill the memory of the thread. */
const MAX_BYTES = 100_000_000;

/** Opens an archive by its directory. Files are inflated when they are read, together up to a limit. */
export function openZip(bytes: Uint8Array): Archive {
  const names: string[] = [];
  unzipped(bytes, ({ name }) => {
    if (names.push(name) > MAX_FILES) throw new NotConvertible('memory');
    return false;
  });
  let left = MAX_BYTES;
  const files = (isWanted: (name: string) => boolean) =>
    unzipped(bytes, ({ name, size, originalSize, compression }) => {
      if (!isWanted(name)) return false;
      // The package copies such a file whole, whatever its directory says of it.
      if (compression === 0 && size !== originalSize) throw new NotConvertible('broken', 'archive');
      left -= originalSize;
      if (left < 0) throw new NotConvertible('memory');
      return true;
    });
  return {
    names,
    files,
    text: (name) => {
      const [file] = Object.values(files((each) => each === name));
      return file ? decodeHtml(file, 'text/xml') : '';
    },
  };
}

function unzipped(bytes: Uint8Array, filter: (file: UnzipFileInfo) => boolean): Unzipped {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    throw error instanceof NotConvertible ? error : new NotConvertible('broken', 'archive');
  }
}

/** The name of a file that another one refers to. */
export function resolvedName(from: string, reference: string): string {
  const { pathname } = new URL(reference, `file:///${encodeURI(from)}`);
  try {
    return decodeURIComponent(pathname).slice(1);
  } catch {
    return pathname.slice(1);
  }
}
