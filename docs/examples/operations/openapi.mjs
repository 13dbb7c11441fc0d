const { SITEFETCH_URL } = process.env;

const response = await fetch(`${SITEFETCH_URL}/openapi.json`);
if (!response.ok) throw new Error(await response.text());
const { info } = await response.json();
console.log(info.version);
