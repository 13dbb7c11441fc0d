import type { Protocol } from 'puppeteer-core';
import { partsOf, type LocatorPart } from '../../../shared/contract/scrape/locator.ts';
import { FIND, STATE, TARGET } from './finder-script.ts';
import type { Hands } from './hands.ts';
import { StepFailure } from './step-failure.ts';

/** What finds elements. */
export type Finder = Pick<Hands, 'mainFrame' | 'worlds' | 'send'>;

export type Found = { objectId: string; frameId: string };

export type ElementState = {
  isConnected: boolean;
  isVisible: boolean;
  isEnabled: boolean;
  box: string;
  isFile: boolean;
  isEditable: boolean;
  isReadOnly: boolean;
  isChecked: boolean;
  tag: string;
  type: string;
};

/** Released after each instruction. */
export const GROUP = 'scenario';

/** The first visible element that matches, or else the first. Undefined if none is there now. */
export async function find(
  hands: Finder,
  locator: string | readonly LocatorPart[],
): Promise<Found | undefined> {
  let scope: { frameId: string; objectId?: string } = { frameId: hands.mainFrame };
  const parts = typeof locator === 'string' ? partsOf(locator) : locator;
  for (const [index, part] of parts.entries()) {
    const objectId = await findPart(hands, scope, part);
    if (objectId === undefined) return undefined;
    const found: Found = { objectId, frameId: scope.frameId };
    if (index === parts.length - 1) return found;
    scope = await inside(hands, found);
  }
  return undefined;
}

/** A frame's document, or the element itself. */
async function inside(hands: Finder, found: Found): Promise<{ frameId: string; objectId?: string }> {
  const { node } = await hands.send('DOM.describeNode', { objectId: found.objectId });
  return /^i?frame$/i.test(node.nodeName) && node.frameId !== undefined ? { frameId: node.frameId } : found;
}

async function findPart(
  hands: Finder,
  { frameId, objectId }: { frameId: string; objectId?: string },
  { kind, value }: LocatorPart,
): Promise<string | undefined> {
  const place =
    objectId === undefined ? { executionContextId: await hands.worlds.of(frameId) } : { objectId };
  const { result, exceptionDetails } = await hands.send('Runtime.callFunctionOn', {
    functionDeclaration: `function (kind, value) { return (${FIND}).call(this, kind, value)[0]; }`,
    arguments: [{ value: kind }, { value }],
    objectGroup: GROUP,
    ...place,
  });
  if (exceptionDetails) throw new StepFailure(`'${value}' is not a selector that Chromium knows`);
  return result.objectId;
}

/** Calls a function on an element; its result must be JSON. */
export async function call<T>(
  hands: Finder,
  { objectId }: Found,
  functionDeclaration: string,
  ...values: unknown[]
): Promise<T> {
  const args = values.map((value): Protocol.Runtime.CallArgument =>
    isRemote(value) ? { objectId: value.objectId } : { value },
  );
  const { result, exceptionDetails } = await hands.send('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration,
    arguments: args,
    returnByValue: true,
    awaitPromise: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}

const isRemote = (value: unknown): value is Found =>
  typeof value === 'object' && value !== null && 'objectId' in value;

/** The element that a person would point at to act on it. */
export async function targetOf(hands: Finder, found: Found): Promise<Found> {
  const { result } = await hands.send('Runtime.callFunctionOn', {
    objectId: found.objectId,
    functionDeclaration: TARGET,
    objectGroup: GROUP,
  });
  return result.objectId === undefined ? found : { ...found, objectId: result.objectId };
}

export function stateOf(hands: Finder, found: Found): Promise<ElementState> {
  return call<ElementState>(hands, found, STATE);
}

/** Whether an element that matches is visible now. */
export async function isShown(hands: Finder, locator: string | readonly LocatorPart[]): Promise<boolean> {
  const found = await find(hands, locator);
  return found !== undefined && (await stateOf(hands, found)).isVisible;
}
