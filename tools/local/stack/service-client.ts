import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { AwsError } from '../aws/aws-api.ts';
import { localRegion } from '../template/identities.ts';

/** Calls one action of an AWS service that uses a JSON protocol. @throws AwsError when the service refuses */
export type CallService = (
  action: string,
  input: object,
  options?: { readonly signal?: AbortSignal },
) => Promise<unknown>;

const errorSchema = z.looseObject({
  __type: z.string().optional(),
  message: z.string().optional(),
  Message: z.string().optional(),
});

/** Prefixes of the names of actions. */
const targets = { dynamodb: 'DynamoDB_20120810', sqs: 'AmazonSQS' } as const;

/**
 * Creates a client for an emulator, without signatures and without the load time of an SDK. Requests share connections;
 * `close` ends them.
 */
export function createServiceClient(
  service: keyof typeof targets,
  url: string,
): { readonly call: CallService; readonly close: () => void } {
  const agent = new Agent({ keepAlive: true });
  const headers = {
    'Content-Type': 'application/x-amz-json-1.0',
    // Emulators read the region from the credential's scope, and require a date without checking it.
    'X-Amz-Date': '20200101T000000Z',
    Authorization: `AWS4-HMAC-SHA256 Credential=local/20200101/${localRegion}/${service}/aws4_request, SignedHeaders=host, Signature=0`,
  };
  return {
    call: async (action, input, { signal } = {}) => {
      const outgoing = request(url, {
        method: 'POST',
        agent,
        headers: { ...headers, 'X-Amz-Target': `${targets[service]}.${action}` },
        ...(signal && { signal }),
      });
      // A connection can also end after the response began, which the reader of its body reports.
      outgoing.on('error', () => {}).end(JSON.stringify(input));
      const [response]: IncomingMessage[] = await once(outgoing, 'response');
      return parseResponse(response?.statusCode ?? 0, response ? await text(response) : '');
    },
    close: () => agent.destroy(),
  };
}

function parseResponse(status: number, body: string): unknown {
  const parsed: unknown = body === '' ? {} : JSON.parse(body);
  if (status < 300) return parsed;
  const { __type: type, message, Message, ...members } = errorSchema.parse(parsed);
  // `com.amazonaws.dynamodb.v20120810#ResourceInUseException` → `ResourceInUseException`
  const code = type?.split('#').at(-1) ?? `status ${status}`;
  throw new AwsError(code, message ?? Message ?? body, status, members);
}
