import type { Terminal } from './command.ts';

/** What is reported while something runs: one line that changes on a terminal, and else a line each time. */
export type Progress = { show: (text: string) => void; end: () => void };

const CLEAR = '\r\u{1b}[K';

export function progressOn({ err }: Pick<Terminal, 'err'>): Progress {
  let last = '';
  return {
    show: (text) => {
      if (text !== last) err.write(err.isTTY ? `${CLEAR}${text}` : `${text}\n`);
      last = text;
    },
    end: () => {
      if (err.isTTY && last !== '') err.write('\n');
      last = '';
    },
  };
}
