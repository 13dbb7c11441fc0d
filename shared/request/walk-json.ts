import { type JSONVisitor, visit } from 'jsonc-parser';
import type { Path } from './schema-at.ts';

/** A name in a JSON text, `isOuter` of its outermost object. `path` is slow, so it is computed on demand. */
export type JsonName = { name: string; isOuter: boolean; isRepeated: boolean; path: () => Path };

type OnName = (name: JsonName) => void;

/** The first fault of a JSON text, or the first value that is nested too deeply. */
export type JsonFault = { kind: 'syntax' | 'depth'; line: number; column: number };

/** Calls `onName` for every name in a JSON text, up to the fault that it returns, if there is one. */
export function walkJson(json: string, onName: OnName, maxDepth: number): JsonFault | undefined {
  let fault: JsonFault | undefined;
  // The parser recurses, so a deep text would exhaust the stack. It has no other way to stop.
  const stop = (kind: JsonFault['kind'], line: number, character: number) => {
    fault = { kind, line: line + 1, column: character + 1 };
    throw STOPPED;
  };
  try {
    visit(json, visitor(onName, maxDepth, stop), { disallowComments: true });
  } catch (error) {
    if (error !== STOPPED) throw error;
  }
  return fault;
}

type Stop = (kind: JsonFault['kind'], line: number, character: number) => void;

function visitor(onName: OnName, maxDepth: number, stop: Stop): JSONVisitor {
  const open: Set<string>[] = [];
  const enter = (_offset: number, _length: number, line: number, character: number) => {
    if (open.length === maxDepth) stop('depth', line, character);
    open.push(new Set());
  };
  const leave = () => void open.pop();
  return {
    onObjectBegin: enter,
    onArrayBegin: enter,
    onObjectEnd: leave,
    onArrayEnd: leave,
    onObjectProperty(name, _offset, _length, _line, _character, path) {
      const names = open.at(-1);
      onName({
        name,
        isOuter: open.length === 1,
        isRepeated: names?.has(name) ?? false,
        path: () => [...path(), name],
      });
      names?.add(name);
    },
    onError: (_code, _offset, _length, line, character) => stop('syntax', line, character),
  };
}

const STOPPED = new Error('stopped');
