// Serves peers by their default settings: GET /<peer>?url=… returns the rendered HTML. Prints its port.
const { createServer } = require('node:http');
const createBrowserless = require('browserless');
const getHTML = require('html-get');
const puppeteer = require('puppeteer-core');

const { executablePath, args } = JSON.parse(process.argv[2]);

const browser = createBrowserless({
  puppeteer,
  executablePath,
  args,
  headless: true,
  ignoreDefaultArgs: true,
});

/** A context for each page, as its README shows. */
async function withContext(work) {
  const context = await browser.createContext();
  try {
    return await work(context);
  } finally {
    await context.destroyContext();
  }
}

const peers = {
  browserless: (url) => withContext((context) => context.html(url)),
  'html-get': (url) =>
    withContext(async (context) => {
      const { html } = await getHTML(url, { getBrowserless: () => context, prerender: true });
      return html;
    }),
};

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://peers');
  try {
    response.end(await peers[pathname.slice(1)](searchParams.get('url')));
  } catch (error) {
    response.writeHead(500).end(String(error.stack));
  }
}).listen(0, '127.0.0.1', function () {
  console.log(this.address().port);
});
