import { randomBytes } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { makeId } from '#shared/domain/ids.ts';
import { keyedRequest, requestKey, requestKeyLasts } from '#shared/domain/request-key.ts';
import type { TablePorts } from '../support/table/table-ports.ts';
import { startOfTest } from '../support/values/builders.ts';

/** What the table owes requests with an `Idempotency-Key`. */
export function requestsSuite(connect: () => TablePorts | Promise<TablePorts>): void {
  let ports: TablePorts;
  let customerId: string;
  beforeEach(async () => {
    ports = await connect();
    // The tests share a table.
    customerId = makeId('customer', startOfTest, randomBytes(10));
  });

  const leaseUntil = startOfTest + 30_000;
  const tryOf = (token: string) => ({ token, leaseUntil });
  const requestOf = (body: string, key = 'key-1') => keyedRequest(requestKey(customerId, key), body);
  const begun = (token: string) => ({
    ...tryOf(token),
    fingerprint: requestOf('a').fingerprint,
    begunAt: startOfTest,
    isFree: false,
    secret: null,
    answer: null,
  });

  /** What another try learns: nothing if the key stands for no request. */
  const stored = () => ports.beginRequest(requestOf('a'), tryOf('probe'), startOfTest);

  it('a key stands for its first request, and a second try learns of the first', async () => {
    expect(await ports.beginRequest(requestOf('a'), tryOf('t1'), startOfTest)).toBeNull();

    expect(await ports.beginRequest(requestOf('a'), tryOf('t2'), startOfTest + 1)).toEqual(begun('t1'));
    expect(await ports.beginRequest(requestOf('b'), tryOf('t3'), startOfTest + 2)).toEqual(begun('t1'));
    expect(await stored()).toEqual(begun('t1'));
  });

  it('a try that is stored twice, because the first response was lost, has begun', async () => {
    await ports.beginRequest(requestOf('a'), tryOf('t1'), startOfTest);

    expect(await ports.beginRequest(requestOf('a'), tryOf('t1'), startOfTest)).toBeNull();
  });

  it('keys of other customers and other keys are other requests', async () => {
    await ports.beginRequest(requestOf('a'), tryOf('t1'), startOfTest);
    const stranger = keyedRequest(requestKey(`${customerId}X`, 'key-1'), 'a');

    expect(await ports.beginRequest(stranger, tryOf('t2'), startOfTest)).toBeNull();
    expect(await ports.beginRequest(requestOf('a', 'key-2'), tryOf('t3'), startOfTest)).toBeNull();
  });

  it.each([
    [requestKeyLasts - 1_000, false],
    [requestKeyLasts, true],
  ])('after %i ms, a key may stand for another request: %s', async (passed, isOver) => {
    await ports.beginRequest(requestOf('a'), tryOf('t1'), startOfTest);
    await ports.changeRequest(requestOf('a'), 't1', { answer: 'sealed' });

    const first = await ports.beginRequest(requestOf('b'), tryOf('t2'), startOfTest + passed);

    expect(first === null).toBe(isOver);
  });

  it('a key that is free may stand for another request, with nothing of the first', async () => {
    await ports.beginRequest(requestOf('b'), tryOf('t1'), startOfTest - 5);
    await ports.changeRequest(requestOf('b'), 't1', { secret: 'encrypted', leaseUntil: 0, isFree: true });

    expect(await ports.beginRequest(requestOf('a'), tryOf('t2'), startOfTest)).toBeNull();
    expect(await stored()).toEqual(begun('t2'));
  });

  it('one of two tries continues a request, and the try before it changes nothing any more', async () => {
    await ports.beginRequest(requestOf('a'), tryOf('t1'), startOfTest);
    const next = { token: 't2', leaseUntil: leaseUntil + 1 };

    const left = { ...begun('t2'), ...next };
    expect(await ports.continueRequest(requestOf('a'), tryOf('t1'), next)).toEqual(left);
    expect(await ports.continueRequest(requestOf('a'), tryOf('t1'), tryOf('t3'))).toBeNull();
    expect(await ports.continueRequest(requestOf('a'), tryOf('t1'), next)).toEqual(left);
    expect(await ports.changeRequest(requestOf('a'), 't1', { answer: 'late' })).toBe(false);
    expect(await ports.changeRequest(requestOf('a'), 't2', { secret: 'encrypted' })).toBe(true);
    expect(await stored()).toEqual({ ...begun('t2'), ...next, secret: 'encrypted' });
  });

  it('a request is continued with the secret that its last try has stored', async () => {
    await ports.beginRequest(requestOf('a'), tryOf('t1'), startOfTest);
    await ports.changeRequest(requestOf('a'), 't1', { secret: 'encrypted' });

    const left = await ports.continueRequest(requestOf('a'), tryOf('t1'), tryOf('t2'));
    expect(left).toEqual({ ...begun('t2'), secret: 'encrypted' });
  });

  it('a request whose key is free is not continued', async () => {
    await ports.beginRequest(requestOf('a'), tryOf('t1'), startOfTest);
    await ports.changeRequest(requestOf('a'), 't1', { leaseUntil: 0, isFree: true });

    expect(await ports.continueRequest(requestOf('a'), tryOf('t1'), tryOf('t2'))).toBeNull();
  });

  it('a request with an answer is not continued', async () => {
    await ports.beginRequest(requestOf('a'), tryOf('t1'), startOfTest);
    await ports.changeRequest(requestOf('a'), 't1', { answer: 'sealed' });

    expect(await ports.continueRequest(requestOf('a'), tryOf('t1'), tryOf('t2'))).toBeNull();
    expect(await stored()).toEqual({ ...begun('t1'), answer: 'sealed' });
  });

  it('what was never begun cannot be continued or changed', async () => {
    expect(await ports.continueRequest(requestOf('a'), tryOf('t1'), tryOf('t2'))).toBeNull();
    expect(await ports.changeRequest(requestOf('a'), 't1', { answer: 'sealed' })).toBe(false);
    expect(await stored()).toBeNull();
  });
}
