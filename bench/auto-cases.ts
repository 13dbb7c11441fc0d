/** The pages of `bench:auto`, served, and what each must bring. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { cleanPages } from '../test/fixtures/walls/clean-pages.ts';
import { pathOf, settledSite } from '../test/fixtures/settled/site.ts';
import { html, renderSite, type Respond } from '../test/support/servers/render-site.ts';

/** Cases with a rule that must find something. */
export const REQUIRED = 'with a required rule';

/** A request, how many parts its page has, and how many of them a response has. */
export type Case = {
  set: string;
  name: string;
  request: { url: string } & Record<string, unknown>;
  parts: number;
  partsIn: (response: string) => number;
};

/** Pages that scripts complete, pages without scripts, and real ones if their folder is given. */
export async function autoCases(corpus: string | undefined) {
  const settled = await settledSite();
  const clean = await cleanSite();
  const real = await realSite(corpus);
  const late = settled.pages
    .filter(({ page, isUnreached }) => typeof page === 'string' && !isUnreached)
    .map((page) => ({ name: page.name, url: settled.origin + pathOf(page), parts: page.holds }));
  return {
    cases: [
      ...late.map((page) => inHtml('completed by scripts', page)),
      ...clean.pages.map((page) => inHtml('static', page)),
      ...real.pages.map(inText),
      ...[...late, ...real.pages].flatMap(required),
    ],
    staticUrl: clean.pages[0]?.url ?? '',
    hosts: [...settled.hosts, clean.host, real.host],
    async [Symbol.asyncDispose]() {
      for (const site of [settled, clean, real]) await site[Symbol.asyncDispose]();
    },
  };
}

type BenchPage = { name: string; url: string; parts: readonly string[] };

async function cleanSite() {
  const texts = cleanPages.flatMap(({ what, status = 200, html: body }, index) =>
    status === 200 ? [{ path: `/clean/${index}`, what, body }] : [],
  );
  const site = await renderSite(Object.fromEntries(texts.map(({ path, body }) => [path, sending(body)])));
  const pages = texts.map(({ path, what, body }) => ({
    name: what,
    url: site.origin + path,
    parts: [body.slice(body.indexOf('<body>'))],
  }));
  return { ...site, pages };
}

const Truth = z.object({ with: z.array(z.string()) });

/** The pages of `bench:extraction`, each with what must be in its text. */
async function realSite(corpus: string | undefined) {
  const names = corpus === undefined ? [] : (await readdir(join(corpus, 'truth'))).toSorted();
  const read = names.map(async (file) => {
    const name = file.replace('.json', '');
    const { with: parts } = Truth.parse(
      JSON.parse(await readFile(join(corpus ?? '', 'truth', file), 'utf8')),
    );
    const body = gunzipSync(await readFile(join(corpus ?? '', 'html', `${name}.html.gz`)));
    return { name, body, parts };
  });
  const all = await Promise.all(read);
  const site = await renderSite(Object.fromEntries(all.map(({ name, body }) => [`/${name}`, sending(body)])));
  return { ...site, pages: all.map(({ name, parts }) => ({ name, parts, url: `${site.origin}/${name}` })) };
}

const sending =
  (body: string | Buffer): Respond =>
  (_, response) =>
    typeof body === 'string'
      ? html(response, body)
      : response.writeHead(200, { 'Content-Type': 'text/html' }).end(body);

const inHtml = (set: string, { name, url, parts }: BenchPage): Case => ({
  ...{ set, name, request: { url }, parts: parts.length },
  partsIn: (response) => parts.filter((part) => response.includes(part)).length,
});

const inText = ({ name, url, parts }: BenchPage): Case => ({
  ...{ set: 'real', name, request: { url, format: 'text', scope: 'full' }, parts: parts.length },
  partsIn: (response) => parts.filter((part) => flat(response).includes(flat(part))).length,
});

const flat = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

const RULE_CHARACTERS = 40;

/** The element that has the first words of a page, which a rule requires. */
function required({ name, url, parts: [part = ''] }: BenchPage): Case[] {
  const text = part.replace(/<[^>]*>|^[^<]*>/g, '').trim();
  const words = text.split(/["\n]/)[0]?.slice(0, RULE_CHARACTERS).trim();
  if (!words) return [];
  const rule = { selector: `//*[contains(normalize-space(.), "${words}")]`, required: true };
  const request = { url, format: 'extract', extract_rules: { rule } };
  return [{ set: REQUIRED, name, request, parts: 1, partsIn: () => 1 }];
}
