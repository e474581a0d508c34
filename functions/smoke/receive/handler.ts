import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { connectServedTable } from '#shared/aws/clients.ts';
import { storeReceivedPost } from '#shared/aws/received-posts.ts';
import { setting } from '#shared/runtime/environment.ts';
import { now } from '#shared/runtime/system.ts';
import { report } from '#shared/runtime/telemetry.ts';

/** An item of DynamoDB holds 400 KB, and Base64 adds a third. The events of a smoke test are below 1 KB. */
const maxBodyBytes = 100 * 1024;

const store = storeReceivedPost(connectServedTable(setting('tableName'), report, now));

/** The part of the event of a function URL that is read. */
type FunctionUrlEvent = Pick<
  APIGatewayProxyEventV2,
  'rawPath' | 'rawQueryString' | 'headers' | 'body' | 'isBase64Encoded'
> & {
  readonly requestContext: Pick<APIGatewayProxyEventV2['requestContext'], 'requestId' | 'timeEpoch'> & {
    readonly http: Pick<APIGatewayProxyEventV2['requestContext']['http'], 'method'>;
  };
};

/** Accepts every POST, the handshake included, and keeps it for an hour. */
export const handler = async (event: FunctionUrlEvent): Promise<APIGatewayProxyStructuredResultV2> => {
  const { http, requestId, timeEpoch } = event.requestContext;
  if (http.method !== 'POST') return { statusCode: 405, headers: { Allow: 'POST' } };
  const body = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  const mailbox = event.rawPath.split('/')[1] ?? '';
  if (mailbox === '') return { statusCode: 404 };
  if (body.length > maxBodyBytes) return { statusCode: 413 };
  const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`;
  await store({
    mailbox,
    requestId,
    at: timeEpoch,
    path: event.rawPath + query,
    headers: headersOf(event.headers),
    body,
  });
  return { statusCode: 200, headers: { 'Content-Type': 'text/plain' }, body: 'received\n' };
};

function headersOf(headers: APIGatewayProxyEventV2['headers']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name.toLowerCase(), value]])),
  );
}
