import type { RequestListener } from 'node:http';
import { createGzip, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { chromeFetcher } from '../../shared/adapters/web/chrome-fetcher.ts';
import type { MapSummary, MappedUrl } from '../../shared/contract/crawls/map.ts';
import { canary, targetServer } from '../support/servers/target-server.ts';
import { newService } from '../support/world/api.ts';

/** A site by its paths; anything else is not found. */
const siteOf =
  (paths: Readonly<Record<string, string | Buffer | RequestListener>>): RequestListener =>
  (request, response) => {
    const found = paths[request.url ?? ''];
    if (typeof found === 'function') {
      found(request, response);
      return;
    }
    response.writeHead(found === undefined ? 404 : 200, {
      'Content-Type': request.url === '/' ? 'text/html' : 'text/plain',
    });
    response.end(found);
  };

const FRONT =
  '<!doctype html><title>Home</title><p>A shop with a lot to see and much to read.</p><a href="/a">A</a>';
const urlset = (origin: string, path: string) => `<urlset><url><loc>${origin}${path}</loc></url></urlset>`;

type Mapped = MapSummary & { urls: MappedUrl[]; code?: string };

/** Maps a site on loopback through the guard, which lets nothing else on loopback pass. */
async function mapOf(origin: string, fields: object = {}): Promise<Mapped & { credits: string | undefined }> {
  const policy = { allow: [new URL(origin).host] };
  const { world, service, key } = await newService(policy);
  world.fetchPage = chromeFetcher(policy, () => Promise.resolve(undefined));
  const answer = await service.post('/api/v1/map', key, { url: `${origin}/`, ...fields });
  return { ...(answer.json as unknown as Mapped), credits: answer.headers['X-Credits-Used'] };
}

const paths = ({ urls }: Mapped) => urls.map(({ url }) => new URL(url).pathname);

test('a site is read through the guard: robots.txt, gzip by name and by encoding, and an index', async () => {
  await using site = await targetServer((request, response) => {
    const { origin } = site;
    siteOf({
      '/': FRONT,
      '/robots.txt': `User-agent: *\nDisallow: /x\nSitemap: ${origin}/index.xml`,
      '/index.xml': `<sitemapindex><sitemap><loc>${origin}/one.xml.gz</loc></sitemap><sitemap><loc>${origin}/two.xml.gz</loc></sitemap></sitemapindex>`,
      '/one.xml.gz': gzipSync(urlset(origin, '/b')),
      '/two.xml.gz': (_, encoded) => {
        encoded.writeHead(200, { 'Content-Encoding': 'gzip', 'Content-Type': 'application/xml' });
        encoded.end(gzipSync(urlset(origin, '/x/c') + urlset(origin, '/c')));
      },
    })(request, response);
  });
  const map = await mapOf(site.origin);
  expect([paths(map), map.complete, map.credits]).toEqual([['/', '/a', '/b', '/c'], true, '1']);
  expect(map.left_out).toEqual({ robots: 1 });
});

test('no source leads to a private address, by redirect or by name', async () => {
  await using secret = await canary();
  await using site = await targetServer((request, response) =>
    siteOf({
      '/': FRONT,
      '/robots.txt': `Sitemap: ${site.origin}/moved.xml\nSitemap: ${secret.origin}/s.xml\nSitemap: http://169.254.169.254/s.xml`,
      '/moved.xml': (_, moved) => moved.writeHead(302, { Location: `${secret.origin}/s.xml` }).end(),
    })(request, response),
  );
  const map = await mapOf(site.origin);
  expect(paths(map)).toEqual(['/', '/a']);
  expect(map.sources.filter(({ type }) => type === 'sitemap').map(({ error }) => error)).toEqual(
    Array(3).fill('url_not_allowed'),
  );
  expect(secret.connections()).toBe(0);
});

test('of a robots.txt without an end, the first 500 KB count', async () => {
  const line = Buffer.from('# and so on\n'.repeat(10_000));
  await using site = await targetServer(
    siteOf({
      '/robots.txt': (_, response) => {
        response.write('User-agent: *\nDisallow: /a\n');
        const more = () => {
          while (!response.destroyed && response.write(line));
        };
        response.on('drain', more);
        more();
      },
      '/': FRONT,
    }),
  );
  expect(await mapOf(site.origin)).toMatchObject({ total: 1, left_out: { robots: 1 } });
});

test(
  'a bomb, an endless file and a slow one cost no more than the time of the call',
  { timeout: 60_000, tags: ['soak'] },
  async () => {
    await using site = await targetServer((request, response) =>
      siteOf({
        '/': FRONT,
        '/robots.txt': ['bomb', 'endless', 'slow', 'sound']
          .map((name) => `Sitemap: ${site.origin}/${name}.xml`)
          .join('\n'),
        '/bomb.xml': (_, bomb) => {
          bomb.writeHead(200, { 'Content-Encoding': 'gzip' });
          const gzip = createGzip();
          gzip.pipe(bomb);
          gzip.end(Buffer.alloc(60_000_000, ' '));
        },
        '/endless.xml': (_, endless) => {
          const more = () => {
            while (!endless.destroyed && endless.write(Buffer.alloc(1_000_000, ' ')));
          };
          endless.on('drain', more);
          more();
        },
        '/slow.xml': (_, slow) => {
          const timer = setInterval(() => slow.write(' '), 50);
          slow.on('close', () => clearInterval(timer));
        },
        '/sound.xml': urlset(site.origin, '/b'),
      })(request, response),
    );
    const map = await mapOf(site.origin, { timeout: 6_000 });
    expect(paths(map)).toEqual(['/', '/a']);
    expect([map.complete, map.incomplete_because, map.credits]).toEqual([false, 'timeout', '1']);
    const errors = map.sources.filter(({ type }) => type === 'sitemap').map(({ error }) => error);
    expect(errors).toEqual(['response_too_large', 'response_too_large']);
  },
);
