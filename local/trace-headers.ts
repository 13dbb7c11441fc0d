import type { buildApp } from 'fauxqs';

type App = ReturnType<typeof buildApp>;

type Attributes = Record<string, { DataType: string; StringValue: string }>;
type Sent = { MessageAttributes?: Attributes };
type SendRequest = Sent & { Entries?: Sent[] };
type Received = { Attributes?: Record<string, string>; MessageAttributes?: Attributes };

const HEADER = 'AWSTraceHeader';

/**
 * Keeps the trace header of a sender with its messages, which the emulator does not. It is stored as a
 * message attribute, so that it survives a restart and a redrive.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html
 */
export function keepTraceHeaders(app: App): void {
  app.addHook('preHandler', (request, _reply, done) => {
    const header = request.headers['x-amzn-trace-id'];
    if (typeof header === 'string' && isAction(request.headers, /SendMessage(Batch)?$/)) {
      const body = request.body as SendRequest;
      for (const message of body.Entries ?? [body])
        message.MessageAttributes = {
          ...message.MessageAttributes,
          [HEADER]: { DataType: 'String', StringValue: header },
        };
    }
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    const isReceipt = isAction(request.headers, /ReceiveMessage$/) && typeof payload === 'string';
    done(null, isReceipt && payload.includes(HEADER) ? withHeaders(payload) : payload);
  });
}

const isAction = ({ 'x-amz-target': target }: Record<string, unknown>, action: RegExp) =>
  typeof target === 'string' && action.test(target);

function withHeaders(payload: string): string {
  const { Messages = [], ...rest } = JSON.parse(payload) as { Messages?: Received[] };
  return JSON.stringify({ ...rest, Messages: Messages.map(asSystemAttribute) });
}

function asSystemAttribute(message: Received): Received {
  const { [HEADER]: header, ...own } = message.MessageAttributes ?? {};
  if (!header) return message;
  const { MessageAttributes: _, ...rest } = message;
  return {
    ...rest,
    Attributes: { ...message.Attributes, [HEADER]: header.StringValue },
    ...(Object.keys(own).length > 0 && { MessageAttributes: own }),
  };
}
