import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AppError } from '../../shared/errors.ts';
import type { DashboardReply } from './replies.ts';

const types = {
  'dashboard.css': 'text/css; charset=utf-8',
  'dashboard.js': 'text/javascript; charset=utf-8',
  'playground.js': 'text/javascript; charset=utf-8',
  'snippets.js': 'text/javascript; charset=utf-8',
  'marked.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const;

type AssetName = keyof typeof types;

const YEAR_SECONDS = 365 * 24 * 3_600;

/** Read once, when the function starts. */
const assets = Object.fromEntries(
  (Object.keys(types) as AssetName[]).map((name) => {
    const body = readFileSync(new URL(`assets/${name}`, import.meta.url), 'utf8');
    return [name, { body, hash: createHash('sha256').update(body).digest('hex').slice(0, 12) }];
  }),
) as Record<AssetName, { body: string; hash: string }>;

/** The path of a file, which changes with its content, so that browsers may keep it. */
export const assetPath = (name: AssetName) => `/assets/${name}?v=${assets[name].hash}`;

/** Throws `not_found`. */
export function assetReply(name: string): DashboardReply {
  if (!Object.hasOwn(types, name)) throw new AppError('not_found');
  const headers = {
    'Content-Type': types[name as AssetName],
    'Cache-Control': `public, max-age=${YEAR_SECONDS}, immutable`,
    // The frame of the playground's Markdown has an origin of its own, and these styles.
    ...(name.endsWith('.css') && { 'Cross-Origin-Resource-Policy': 'cross-origin' }),
  };
  return { status: 200, headers, cookies: [], body: assets[name as AssetName].body };
}
