import { exit } from 'node:process';
import { PassThrough, type Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { readEnv } from '../../shared/config.ts';
import { isolates } from './keep-warm.ts';
import { sweepProfiles } from './profile.ts';
import { assertSealed } from './self-test.ts';
import { serveRender } from './serve-render.ts';

const config = readEnv('browser');
const egress = { allow: config.EGRESS_ALLOW, refuse: [config.API_HOST] };
const browsers = isolates(config.CHROMIUM_DIR, egress);

await assertSealed(egress, config.AWS_LAMBDA_RUNTIME_API);
await sweepProfiles();
// Awaited: a process that is frozen in the middle of a launch thaws with one that is out of time.
await browsers.keepWarm();

async function serve(event: unknown, stream: Writable): Promise<void> {
  try {
    await serveRender(browsers, event, stream);
  } catch (error) {
    console.error(error);
    // The answer is out. A new environment is cheaper than one with a browser in it that cannot be killed.
    exit(1);
  }
}

export const handler = awslambda.streamifyResponse(serve);

/** For `sam local invoke`, which cannot stream. */
export async function buffered(event: unknown): Promise<string> {
  const stream = new PassThrough();
  const [answer] = await Promise.all([text(stream), serve(event, stream)]);
  return answer;
}
