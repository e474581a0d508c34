import type { BatchExecuteStatementCommandInput, BatchExecuteStatementCommandOutput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import { groupWrites } from '#shared/aws/table/grouped-requests.ts';

type Response = NonNullable<BatchExecuteStatementCommandOutput['Responses']>[number];

/** A client whose requests end when the test says so. */
function heldClient(respond: (text: string) => Response = () => ({})) {
  const requests: { readonly texts: readonly string[]; readonly end: (failure?: Error) => void }[] = [];
  const executeBatch = ({ Statements = [] }: BatchExecuteStatementCommandInput) =>
    new Promise<{ Responses: Response[] }>((resolve, reject) => {
      const texts = Statements.map(({ Statement = '' }) => Statement);
      const end = (failure?: Error) =>
        failure === undefined ? resolve({ Responses: texts.map(respond) }) : reject(failure);
      requests.push({ texts, end });
    });
  const group = groupWrites({ client: { executeBatch } });
  const write = (text: string, sk = text) => group({ pk: 'DLV#1', sk }, { text, values: [] });
  return { requests, write, texts: () => requests.map(({ texts }) => texts) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('groupWrites()', () => {
  it('groupWrites() sends the writes of one turn in one request, and those beside two requests in the next', async () => {
    const { requests, texts, write } = heldClient();
    const written = [];
    for (const [one, other] of ['ab', 'cd', 'ef', 'gh']) {
      written.push(write(`${one}`), write(`${other}`));
      await turn();
    }
    const begun = ['ab', 'cd'].map((each) => [...each]);
    expect(texts()).toEqual(begun);

    requests[1]?.end();
    await turn();

    expect(texts()).toEqual([...begun, [...'efgh']]);
    for (const { end } of requests) end();
    expect(await Promise.all(written)).toEqual(written.map(() => ({})));
  });

  it('groupWrites() leaves a second write of an item in the same request to its caller', async () => {
    const { requests, texts, write } = heldClient();
    const written = [write('a', 'same'), write('b', 'same')];
    await turn();
    requests[0]?.end();

    expect(await Promise.all(written)).toEqual([{}, null]);
    expect(texts()).toEqual([['a']]);
  });

  it('groupWrites() sends at most 25 writes in a request', async () => {
    const { requests, texts, write } = heldClient();
    const written = Array.from({ length: 26 }, (_, index) => write(`${index}`));
    await turn();
    for (const { end } of requests) end();

    expect(await Promise.all(written)).toEqual(written.map(() => ({})));
    expect(texts().map(({ length }) => length)).toEqual([25, 1]);
  });

  it('groupWrites() fails the writes of a request that fails, and goes on', async () => {
    const { requests, write } = heldClient();
    const failing = Promise.allSettled([write('a'), write('b')]);
    await turn();
    const next = write('c');
    requests[0]?.end(new Error('unreachable'));

    expect((await failing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await turn();
    requests[1]?.end();
    expect(await next).toEqual({});
  });
});
