import { unexpected } from './sitefetch-error.ts';
import type { Received } from './transport.ts';
import type { Job } from './types.ts';

export type Credits = {
  used: number;
  /** Left this month, where the service says so. */
  remaining: number | undefined;
  /** Why: `page`, `target_status`, `wall`, `cached`, `free` … */
  reason: string | undefined;
};

/** A page that a scrape or a job returned, whole. */
export class Page {
  readonly requestId: string;
  /** Of a page that a job fetched. */
  readonly jobId: string | undefined;
  /** What the target returned: a page, or a wall, a login, nothing. */
  readonly verdict: Job['verdict'];
  /** The status of the target's response; the service's own was 200. */
  readonly targetStatus: number;
  /** The URL after redirects. */
  readonly targetUrl: string;
  readonly contentType: string;
  readonly credits: Credits;
  /** Of a part of a text: where the next one begins, in characters. */
  readonly nextOffset: number | undefined;
  readonly totalChars: number | undefined;
  /** All headers of the response: docs/openapi.json describes them. */
  readonly headers: Headers;
  readonly #bytes: Uint8Array<ArrayBuffer>;

  constructor({ headers, bytes }: Received, job?: Partial<Job>) {
    const number = (name: string) => numberOf(headers.get(name));
    this.requestId = headers.get('X-Request-Id') ?? '';
    this.jobId = job?.job_id ?? headers.get('X-Job-Id') ?? undefined;
    this.verdict = headers.get('X-Page-Verdict')?.split(';')[0] as Job['verdict'];
    this.targetStatus = number('X-Target-Status') ?? 0;
    this.targetUrl = headers.get('X-Target-Url') ?? '';
    this.contentType = headers.get('Content-Type') ?? '';
    this.credits = {
      used: job?.credits_used ?? number('X-Credits-Used') ?? 0,
      remaining: number('X-Credits-Remaining'),
      reason: job?.credits_reason ?? headers.get('X-Credits-Reason') ?? undefined,
    };
    this.nextOffset = number('X-Next-Offset');
    this.totalChars = number('X-Total-Chars');
    this.headers = headers;
    this.#bytes = bytes;
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes;
  }

  /** The text, by the charset of its type; UTF-8 if that names none, or an unknown one. */
  text(): string {
    const [, charset = 'utf-8'] = /charset="?([^";\s]+)/i.exec(this.contentType) ?? [];
    return decoderOf(charset).decode(this.#bytes);
  }

  /** The parsed JSON: of `format: "json"`, an `Envelope`. Throws `unexpected_response` if it is not JSON. */
  json(): unknown {
    try {
      return JSON.parse(this.text());
    } catch (cause) {
      const { headers, contentType } = this;
      throw unexpected({ status: 200, headers }, `The page is ${contentType}, not JSON.`, cause);
    }
  }
}

function decoderOf(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

const numberOf = (text: string | null) => (text === null ? undefined : Number(text));
