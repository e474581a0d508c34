import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { listenOnLoopback } from '../../../tools/local/servers/loopback-server.ts';
import { deleteAllEndpoints } from '../../../tools/smoke/throw-away-customers.ts';
import { useMockTable } from '../../support/aws/aws-mocks.ts';

const { table, mock } = useMockTable();

it('endpoints are deleted although the checks have used up the request limits of the keys', async () => {
  mock.onAnyCommand().resolves({});
  const deleted: (string | undefined)[] = [];
  const api = createServer((request, response) => {
    const isUsedUp = request.headers.authorization === 'Bearer key_of_the_checks';
    if (request.method === 'DELETE' && !isUsedUp) deleted.push(request.url);
    response.writeHead(isUsedUp ? 429 : request.method === 'DELETE' ? 204 : 200, {
      'content-type': 'application/json',
    });
    response.end(request.method === 'DELETE' ? '' : '{"items":[{"id":"whe_1"}],"next_cursor":null}');
  });
  const { url, close } = await listenOnLoopback(api, 0);
  onTestFinished(() => close());
  const made = [{ id: 'cus_1', keys: [{ id: 'ak_1', key: 'key_of_the_checks' }] }];

  const { detail } = await deleteAllEndpoints({ apiUrl: url, made, target: { table } });

  expect([detail, deleted]).toEqual(['1 deleted', ['/v1/webhooks/whe_1']]);
});
