import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { valuesFor } from './model-values.ts';
import { targetServer } from './target-server.ts';

type Message = { role: string; content: string };

/** What a model was sent, in either protocol. */
export type Asked = {
  messages: Message[];
  /** As it stands in the prompt. */
  schema: Record<string, unknown>;
  page: string;
  /** Whether an earlier answer was not valid. */
  isRepair: boolean;
  path: string;
  authorization?: string | undefined;
  /** The whole request. */
  body: Record<string, unknown>;
};

/** What it answers with. `values` are written as JSON, unless there is `text`. */
export type Said = {
  values?: unknown;
  text?: string;
  finish?: 'stop' | 'length' | 'content_filter';
  refusal?: string;
  usage?: unknown;
  /** Another response in place of a completion. */
  status?: number;
  headers?: Record<string, string>;
  raw?: string;
  /** None at all, or a connection that ends within the response. */
  fault?: 'late' | 'cut';
};

type Script = (asked: Asked) => Said | Promise<Said>;

const HUGE_BYTES = 5_000_000;

/** Ways in which a model or its endpoint fails. */
export const faults = {
  late: () => ({ fault: 'late' }),
  cut: () => ({ fault: 'cut' }),
  length: ({ schema, page }) => {
    const whole = JSON.stringify(valuesFor(schema, page));
    return { text: whole.slice(0, whole.length / 2), finish: 'length' };
  },
  wrongJson: () => ({ text: '{"title": "unfinished, ' }),
  invalid: () => ({ values: { [UNKNOWN]: [] } }),
  invalidOnce: (asked) => (asked.isRepair ? honest(asked) : { values: { [UNKNOWN]: [] } }),
  refusal: () => ({ text: '', refusal: 'I cannot help with that.' }),
  filtered: () => ({ text: '', finish: 'content_filter' }),
  throttled: () => ({
    status: 429,
    headers: { 'Retry-After': '1' },
    raw: '{"error":{"message":"slow down"}}',
  }),
  failing: () => ({ status: 500, raw: '{"error":{"message":"oops"}}' }),
  html: () => ({
    status: 200,
    headers: { 'Content-Type': 'text/html' },
    raw: '<h1>Welcome to the proxy</h1>',
  }),
  empty: () => ({ status: 200, raw: '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":0}}' }),
  huge: () => ({ text: 'x'.repeat(HUGE_BYTES) }),
  wrongUsage: (asked) => ({ ...honest(asked), usage: { prompt_tokens: -5, completion_tokens: 'many' } }),
  redirect: () => ({ status: 307, headers: { Location: 'http://169.254.169.254/latest' }, raw: '' }),
} satisfies Record<string, Script>;

/** No schema of the tests takes it. */
const UNKNOWN = 'not a property';

/** Values from the page that fit the schema. */
export function honest({ schema, page }: Asked): Said {
  return { values: valuesFor(schema, page) };
}

/**
 * A stand-in for a language model, which speaks `chat/completions` and Bedrock's Converse. `script` may be
 * replaced at any time.
 */
export async function modelServer(script: Script = honest, port = 0) {
  const state = { script, asked: [] as Asked[] };
  const server = await targetServer(
    (request, response) => {
      answer(state, request, response).catch(() => response.destroy());
    },
    { port },
  );
  return Object.assign(state, { ...server, baseUrl: `${server.origin}/v1` });
}

async function answer(
  state: { script: Script; asked: Asked[] },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = (await json(request)) as Record<string, unknown>;
  const path = request.url ?? '';
  const isConverse = path.endsWith('/converse');
  const asked = { ...understood(isConverse ? conversed(body) : (body['messages'] as Message[])), body, path };
  state.asked.push({ ...asked, authorization: request.headers.authorization });
  const said = await state.script(asked);
  if (said.fault === 'late') return;
  if (said.fault === 'cut') {
    response.writeHead(200, { 'Content-Length': '1000' }).write('{"choices": [');
    setImmediate(() => response.destroy());
    return;
  }
  const sent = said.raw ?? JSON.stringify(isConverse ? converseOf(said) : completionOf(said));
  response.writeHead(said.status ?? 200, { 'Content-Type': 'application/json', ...said.headers }).end(sent);
}

type Converse = { system?: { text: string }[]; messages: { role: string; content: { text: string }[] }[] };

function conversed(body: object): Message[] {
  const { system = [], messages } = body as Converse;
  const joined = (parts: { text: string }[]) => parts.map(({ text }) => text).join('');
  return [
    { role: 'system', content: joined(system) },
    ...messages.map(({ role, content }) => ({ role, content: joined(content) })),
  ];
}

function understood(messages: Message[]) {
  const text = messages.find(({ role }) => role === 'user')?.content ?? '';
  const [, schema = '{}'] = /^JSON Schema of the answer:\n(.*)$/m.exec(text) ?? [];
  const [, , page = ''] = /\n(page-\S+)\n([\s\S]*)\n\1\n/.exec(text) ?? [];
  return {
    messages,
    schema: JSON.parse(schema) as Record<string, unknown>,
    page,
    isRepair: messages.some(({ role }) => role === 'assistant'),
  };
}

const textOf = ({ text, values }: Said) => text ?? JSON.stringify(values);
const usageOf = ({ usage }: Said) =>
  usage ?? { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

const completionOf = (said: Said) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: textOf(said), refusal: said.refusal ?? null },
      finish_reason: said.finish ?? 'stop',
    },
  ],
  usage: usageOf(said),
});

const STOPS = { stop: 'end_turn', length: 'max_tokens', content_filter: 'content_filtered' };

const converseOf = (said: Said) => ({
  output: { message: { role: 'assistant', content: [{ text: textOf(said) }] } },
  stopReason: said.refusal === undefined ? STOPS[said.finish ?? 'stop'] : 'guardrail_intervened',
  usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
  metrics: { latencyMs: 1 },
});

/** As a program: `node test/support/servers/model-server.ts 8090`. */
if (import.meta.main) {
  const { baseUrl } = await modelServer(honest, Number(process.argv[2] ?? 0));
  console.log(baseUrl);
}
