const { SITEFETCH_URL } = process.env;

const response = await fetch(`${SITEFETCH_URL}/healthz`);
if (!response.ok) throw new Error(await response.text());
console.log(await response.json());
