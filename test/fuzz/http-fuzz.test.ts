import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { problemCodes } from '#shared/contract/problem-codes.ts';
import openApi from '../../docs/openapi.json' with { type: 'json' };
import { seedCustomers } from '../../tools/local/stack/seed.ts';
import { type RunningStack, startStack } from '../../tools/local/stack/start.ts';
import { StackCustomer } from '../support/stack/stack-customer.ts';
import { useFolder } from '../support/vitest/temporary-folder.ts';
import { knownValues } from './known-values.ts';
import { type FuzzRequest, fuzzRequests, type Known } from './requests.ts';

/** Requests in all; `npm run test:long` sends more. */
const requests = Number(process.env.FUZZ_REQUESTS ?? 1_200);
/** Each key may send sixty requests a minute. */
const keys = Math.ceil(requests / 40);
const atOnce = 8;

type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

const dir = useFolder();
let stack: RunningStack;
let apiKeys: readonly string[];
let known: Known;
const logLines: string[] = [];

beforeAll(async () => {
  stack = await startStack({
    port: 0,
    stateDir: dir(),
    stackFile: null,
    onLogLine: (_source, line) => logLines.push(line),
  });
  const target = { tableName: stack.info.table_name, dynamodbUrl: stack.info.endpoints.dynamodb };
  const customers = await seedCustomers(
    target,
    Array.from({ length: keys }, (_, index) => `Customer ${index}`),
  );
  apiKeys = customers.map((customer) => customer.api_key);
  const { info } = stack;
  known = await knownValues(customers.map((customer) => new StackCustomer(info, customer)));
});

afterAll(() => stack?.close());

/** Sends the target as it is, which `fetch` would normalize. */
function send({ method, target, headers, body, key }: FuzzRequest): Promise<Answer> {
  const { hostname, port } = new URL(stack.info.api_url);
  const authorization = key === null ? {} : { authorization: `Bearer ${apiKeys[key]}` };
  const all = { ...headers, ...authorization, 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, method, path: target, headers: all }, (incoming) => {
      const { statusCode: status = 0, headers: received } = incoming;
      text(incoming).then((answer) => resolve({ status, headers: received, body: answer }), reject);
    });
    outgoing.on('error', reject).end(body);
  });
}

/** Pages of the documentation are the same for everyone; nothing else may be cached. */
function cachingOf({ target }: FuzzRequest, { status }: Answer): string {
  return target.startsWith('/docs/') && status < 400 ? 'public, max-age=300' : 'no-store';
}

/** Browsers get a page with the menu in place of a problem. */
function isMissingPage({ target, headers }: FuzzRequest, { status, headers: answered }: Answer): boolean {
  const isPage = answered['content-type'] === 'text/html; charset=utf-8';
  return isPage && status === 404 && target.startsWith('/docs/') && headers.accept === 'text/html';
}

/** What is wrong with an answer, or `null`. */
function faultOf(request: FuzzRequest, answer: Answer): string | null {
  if (answer.status >= 500) return 'the service failed';
  if ('injected' in answer.headers || 'set-cookie' in answer.headers) return 'has a header of the caller';
  if (answer.headers['cache-control'] !== cachingOf(request, answer)) return 'has the caching of another answer';
  if (answer.status < 400 || isMissingPage(request, answer)) return null;
  if (answer.headers['content-type'] !== 'application/problem+json') return 'not a problem document';
  const { code, status, type, title } = JSON.parse(answer.body);
  if (status !== answer.status) return 'the status of the document is another';
  if (!Object.hasOwn(problemCodes, code)) return `unknown code ${code}`;
  return typeof type === 'string' && typeof title === 'string' ? null : 'members are missing';
}

it(`the running service answers each of ${requests} valid and invalid requests as specified`, async () => {
  const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
  const urls = [
    `${stack.info.receiver.origin}/fuzz`,
    `${stack.info.receiver.origin}/fuzz?handshake=500`,
    'https://127.0.0.1/',
    'https://localhost/',
    'http://10.0.0.1/',
    'not a URL',
    'https://',
    'https://user:secret@[::1]/',
  ];
  const all = fc.sample(fuzzRequests(openApi, known, urls, keys), { numRuns: requests, seed });
  const seen = new Map<number, number>();
  const faults: string[] = [];
  const queue = all.values();

  const lane = async (): Promise<void> => {
    for (const each of queue) {
      const answer = await send(each);
      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
      const fault = faultOf(each, answer);
      if (fault !== null)
        faults.push(
          `${fault}: ${each.method} ${each.target.slice(0, 200)} → ${answer.status} ${answer.body.slice(0, 200)}`,
        );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));

  const counts = [...seen].sort(([left], [right]) => left - right);
  process.stdout.write(`fuzz seed ${seed}, answers by status: ${JSON.stringify(counts)}\n`);
  expect(faults, `replay with FUZZ_SEED=${seed}; last log lines: ${logLines.slice(-3).join('\n')}`).toEqual([]);
  expect(seen.get(200) ?? 0, 'enough requests are right').toBeGreaterThan(requests / 10);
});
