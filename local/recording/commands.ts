/** The address that the recorded commands name; they run against another port. */
export const ADDRESS = 'http://127.0.0.1:3000';

/** The commands typed after `npm start`. Lines that begin with # are shown but not run. */
export const COMMANDS = [
  `KEY=$(node -p "require('./.local/stack.json').api_key")`,
  `DEMO=$(node -p "require('./.local/stack.json').demo_site")`,
  `scrape() { curl -si -H "Authorization: Bearer $KEY" -G ${ADDRESS}/api/v1/scraper "$@"; }`,
  '# The page builds its text with JavaScript. As sent, it is not there yet:',
  `scrape -d url=$DEMO/js | grep -oE '^HTTP.*|^X-Credits.*|<p.*/p>'`,
  '# Rendered in Chromium, it is:',
  `scrape -d url=$DEMO/js -d render_js=true | grep -oE '^HTTP.*|^X-Credits.*|<p.*/p>'`,
  '# Private addresses are refused, and errors cost nothing:',
  `scrape -d url=http://169.254.169.254/ | grep -oE '^HTTP.*|^X-Credits.*|"code":"\\w+"'`,
] as const;
