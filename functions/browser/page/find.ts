import type { Protocol } from 'puppeteer-core';
import { locatorParts, type LocatorPart } from '../../../shared/contract/scrape/locator.ts';
import { methodOf, pageScript } from './page-script.ts';
import type { PageAccess } from './isolated-worlds.ts';

/** Chromium does not know the selector. */
export class InvalidSelector extends Error {
  constructor(selector: string) {
    super(`'${selector}' is not a selector that Chromium knows`);
    this.name = 'InvalidSelector';
  }
}

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

const [FINDER, ELEMENT] = [pageScript('finder'), pageScript('element')];
const [FIND, STATE] = [methodOf(FINDER, 'find'), methodOf(ELEMENT, 'stateOf')];
const TARGET = methodOf(ELEMENT, 'targetOf');
export const COVER = methodOf(ELEMENT, 'coverOf');
export const REMOVE_ALL = methodOf(FINDER, 'removeAll');

/** Released after each instruction. */
export const GROUP = 'scenario';

/** The first visible element that matches, or else the first. Undefined if none is there now. */
export async function find(
  access: PageAccess,
  locator: string | readonly LocatorPart[],
): Promise<Found | undefined> {
  let scope: { frameId: string; objectId?: string } = { frameId: access.mainFrame };
  const parts = typeof locator === 'string' ? locatorParts(locator) : locator;
  for (const [index, part] of parts.entries()) {
    const objectId = await findPart(access, scope, part);
    if (objectId === undefined) return undefined;
    const found: Found = { objectId, frameId: scope.frameId };
    if (index === parts.length - 1) return found;
    scope = await inside(access, found);
  }
  return undefined;
}

/** A frame's document, or the element itself. */
async function inside(access: PageAccess, found: Found): Promise<{ frameId: string; objectId?: string }> {
  const { node } = await access.send('DOM.describeNode', { objectId: found.objectId });
  return /^i?frame$/i.test(node.nodeName) && node.frameId !== undefined ? { frameId: node.frameId } : found;
}

async function findPart(
  access: PageAccess,
  { frameId, objectId }: { frameId: string; objectId?: string },
  { kind, value }: LocatorPart,
): Promise<string | undefined> {
  const place =
    objectId === undefined ? { executionContextId: await access.worlds.of(frameId) } : { objectId };
  const { result, exceptionDetails } = await access.send('Runtime.callFunctionOn', {
    functionDeclaration: FIND,
    arguments: [{ value: kind }, { value }],
    objectGroup: GROUP,
    ...place,
  });
  if (exceptionDetails) throw new InvalidSelector(value);
  return result.objectId;
}

/** Calls a function on an element; its result must be JSON. */
export async function call<T>(
  access: PageAccess,
  { objectId }: Found,
  functionDeclaration: string,
  ...values: unknown[]
): Promise<T> {
  const args = values.map((value): Protocol.Runtime.CallArgument =>
    isRemote(value) ? { objectId: value.objectId } : { value },
  );
  const { result, exceptionDetails } = await access.send('Runtime.callFunctionOn', {
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
export async function targetOf(access: PageAccess, found: Found): Promise<Found> {
  const { result } = await access.send('Runtime.callFunctionOn', {
    objectId: found.objectId,
    functionDeclaration: TARGET,
    objectGroup: GROUP,
  });
  return result.objectId === undefined ? found : { ...found, objectId: result.objectId };
}

export function stateOf(access: PageAccess, found: Found): Promise<ElementState> {
  return call<ElementState>(access, found, STATE);
}

/** Whether an element that matches is visible now. */
export async function isShown(
  access: PageAccess,
  locator: string | readonly LocatorPart[],
): Promise<boolean> {
  const found = await find(access, locator);
  return found !== undefined && (await stateOf(access, found)).isVisible;
}
