import { expect, it, vi } from 'vitest';
import { connectApi, resultOf } from '../../../console/api/client.ts';
import { deleteEndpoint } from '../../../console/views/endpoints/delete-endpoint.ts';

const address = 'https://api.example.com';
const connect = (at = address) => connectApi(at, 'key_1', () => {});

it('a request carries the credential in its header, and neither sends nor takes cookies of the origin', async () => {
  const sent: Request[] = [];
  vi.stubGlobal('fetch', async (request: Request) => {
    sent.push(request);
    return Response.json({ items: [], next_cursor: null });
  });

  await resultOf(connect(`${address}/prod`).GET('/v1/webhooks'));

  expect(sent).toMatchObject([{ url: `${address}/prod/v1/webhooks`, credentials: 'omit', cache: 'no-store' }]);
  expect(sent[0]?.headers.get('Authorization')).toBe('Bearer key_1');
});

it('a response without a body is no failure, and a refusal without one is', async () => {
  const read = (status: number) => {
    vi.stubGlobal('fetch', async () => new Response(null, { status }));
    return resultOf(connect().DELETE('/v1/webhooks/{id}', { params: { path: { id: 'whe_1' } } }));
  };

  expect(await read(204)).toBeUndefined();
  await expect(read(503)).rejects.toThrow('The API answered with status 503');
});

it('only the local stack says that it is one, and its refusal to make an attempt now is a failure', async () => {
  const sent: string[] = [];
  let answer = Response.json({});
  vi.stubGlobal('fetch', async (asked: Request | string) => {
    if (typeof asked === 'string') sent.push(asked);
    return answer;
  });
  const api = connect('http://127.0.0.1:8787');
  const read = async (headers: Record<string, string>) => {
    answer = Response.json({ items: [], next_cursor: null }, { headers });
    await resultOf(api.GET('/v1/webhooks'));
    return api.isLocal();
  };

  expect([await read({ 'X-Local-Stack': 'true' }), await read({})]).toEqual([true, false]);
  answer = new Response(null, { status: 204 });
  expect(await resultOf(api.attemptNow('whd_1'))).toBeNull();
  answer = Response.json({ title: 'No attempt of this delivery waits' }, { status: 404 });
  await expect(resultOf(api.attemptNow('whd_2'))).rejects.toThrow('No attempt of this delivery waits');
  expect(sent).toEqual([1, 2].map((id) => `http://127.0.0.1:8787/local/deliveries/whd_${id}/attempt`));
});

it.each([
  [401, 'key_revoked', true],
  [403, 'organization_access_revoked', true],
  [403, 'portal_link_read_only', false],
  [403, undefined, false],
  [404, 'not_found', false],
])('a response with status %d and the code %s ends the session: %s', async (status, code, isOver) => {
  const onRefused = vi.fn();
  vi.stubGlobal('fetch', async () => Response.json({ code, title: 'Refused' }, { status }));

  await expect(resultOf(connectApi(address, 'key_1', onRefused).GET('/v1/webhooks'))).rejects.toThrow();

  expect(onRefused).toHaveBeenCalledTimes(isOver ? 1 : 0);
});

type Step = `${'plan' | 'rotate' | 'delete'} ${number}`;

/** Sends requests in turn, each in a session of its own. @returns how many keys they had, and when a rotation was open */
async function played(steps: readonly Step[]) {
  vi.useFakeTimers();
  const unanswered = new Map<string, string>();
  const keys = new Set<string | null>();
  const open: boolean[] = [];
  const params = { path: { id: 'whe_1' } };
  for (const step of steps) {
    const [asked = '', status] = step.split(' ');
    vi.stubGlobal('fetch', async ({ headers }: Request) => {
      keys.add(headers.get('Idempotency-Key'));
      return Response.json({ title: 'Answer' }, { status: Number(status) });
    });
    const api = connectApi(address, 'key_1', () => {}, unanswered);
    const requests: Readonly<Record<string, () => Promise<unknown>>> = {
      plan: () => api.POST('/v1/webhooks/{id}/replays/plan', { params, body: { status: 'failed' } }),
      rotate: () => api.POST('/v1/webhooks/{id}/rotate', { params }),
      delete: () => api.DELETE('/v1/webhooks/{id}', { params }),
    };
    const response = requests[asked]?.();
    await vi.advanceTimersByTimeAsync(10_000);
    await response;
    open.push(api.isUnanswered('/v1/webhooks/whe_1/rotate'));
  }
  vi.useRealTimers();
  return { keys: keys.size, open };
}

it.each<[string, readonly Step[], number, readonly boolean[]]>([
  ['its key until a response is here', ['rotate 503', 'rotate 200', 'rotate 200'], 2, [true, false, false]],
  ['another key after a refusal', ['rotate 503', 'rotate 409', 'rotate 200'], 2, [true, false, false]],
  ['another key after a deletion', ['rotate 503', 'delete 404', 'rotate 200'], 3, [true, false, false]],
  ['its key after a deletion that was refused', ['rotate 503', 'delete 429', 'rotate 200'], 2, [true, true, false]],
  ['another key when it is a plan, which may have changed', ['plan 503', 'plan 200'], 2, [false, false]],
])('a change whose response was lost has %s', async (_name, steps, keys, open) => {
  expect(await played(steps)).toEqual({ keys, open });
});

it.each([
  [200, true],
  [404, true],
  [429, false],
])('a deletion that is answered with %d has deleted the endpoint: %s', async (status, isDone) => {
  vi.stubGlobal('fetch', async () => new Response('', { status }));
  const isDeleted = deleteEndpoint(connect(), 'whe_1').then(
    () => true,
    () => false,
  );

  expect(await isDeleted).toBe(isDone);
});
