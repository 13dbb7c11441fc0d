import { z } from 'zod';

const Credits = z.number().default(0);

/**
 * The lines that functions write of a request and of a job: no key, header, cookie, query or page is in them.
 */
const RequestLine = z.object({
  message: z.literal('request'),
  gateway_request_id: z.string(),
  url: z.string().optional(),
  status: z.number(),
  code: z.string().optional(),
  credits: Credits,
  ms: z.number(),
});
const JobLine = z.object({
  message: z.literal('job'),
  job_id: z.string(),
  url: z.string().optional(),
  status: z.string().optional(),
  code: z.string().optional(),
  credits: z.number().optional(),
  retry_after: z.number().optional(),
  ms: z.number(),
});
const Line = z.discriminatedUnion('message', [RequestLine, JobLine]);

export type RequestLines = {
  /** A request of this method and path was handed to a function. */
  began: (requestId: string, call: string) => void;
  wrote: (line: string) => void;
};

/** Reports each request and each end of a job in one line, from the functions' logs. */
export function requestLines(report: (line: string) => void): RequestLines {
  const calls = new Map<string, string>();
  return {
    began: (requestId, call) => void calls.set(requestId, call),
    wrote: (text) => {
      const line = parsed(text);
      if (line?.message === 'request') {
        const call = calls.get(line.gateway_request_id);
        calls.delete(line.gateway_request_id);
        if (call !== undefined) report(requestLine(call, line));
      }
      if (line?.message === 'job') {
        const text = jobLine(line);
        if (text !== undefined) report(text);
      }
    },
  };
}

function requestLine(call: string, { url, status, code, credits, ms }: z.infer<typeof RequestLine>): string {
  return joined([call, hostOf(url), String(status), code, credited(credits), `${ms} ms`]);
}

/** A message for a job that has already ended logs a line without credits, which is ignored. */
function jobLine({ job_id, url, status, code, credits, retry_after: seconds, ms }: z.infer<typeof JobLine>) {
  const job = [`job ${job_id}`, hostOf(url)];
  if (credits !== undefined) return joined([...job, status, code, credited(credits), `${ms} ms`]);
  if (code === undefined) return undefined;
  return joined([
    ...job,
    code,
    seconds === undefined ? undefined : `next attempt in ${seconds} s`,
    `${ms} ms`,
  ]);
}

function parsed(text: string): z.infer<typeof Line> | undefined {
  if (!/"message":"(request|job)"/.test(text)) return undefined;
  try {
    return Line.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const hostOf = (url: string | undefined) => (url === undefined ? undefined : URL.parse(url)?.host);

const credited = (credits: number) => (credits === 1 ? '1 credit' : `${credits} credits`);

const joined = (parts: (string | undefined)[]) => parts.filter((part) => part !== undefined).join('  ');
