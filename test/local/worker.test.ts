import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { InvocationRecord } from '../../tools/local/aws/lambda/invocation-record.ts';
import { LambdaFunction } from '../../tools/local/aws/lambda/lambda-function.ts';
import { withBundlesOf } from '../../tools/local/stack/run-app.ts';
import type { FunctionModel } from '../../tools/local/template/function-model.ts';
import { deadlinesRun, passTime, stopDeadlines } from '../support/http/attempt-clock.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

let dir: string;
let log: string[];
let records: InvocationRecord[];

beforeEach(async () => {
  dir = await temporaryFolder();
  log = [];
  records = [];
});
afterEach(() => void vi.useRealTimers());

const model: FunctionModel = {
  name: 'worker',
  arn: 'arn:aws:lambda:us-east-1:000000000000:function:worker',
  title: 'test: queue/worker',
  handler: 'index.handler',
  codeDirectory: '',
  timeoutSeconds: 900,
  memoryMegabytes: 128,
  allowsLoops: false,
  environment: {},
};

async function lambda(code: string, { timeoutSeconds = 900, environment = {} } = {}): Promise<LambdaFunction> {
  await writeFile(join(dir, 'index.mjs'), code);
  const created = new LambdaFunction({
    model: { ...model, codeDirectory: dir, timeoutSeconds },
    onInvocation: (record) => records.push(record),
    environment,
    extraCertificates: [],
    onLogLine: (line) => log.push(line),
  });
  onTestFinished(() => created.close());
  return created;
}

describe('LambdaFunction', () => {
  it('runs the handler with the event, a context and its environment alone', async () => {
    const target = await lambda(
      `export const handler = async (event, context) => ({ event, name: context.functionName,
        left: context.getRemainingTimeInMillis() <= 900_000, id: context.awsRequestId, environment: process.env });`,
      { environment: { ONLY: 'this' } },
    );

    expect(await target.invoke({ n: 1 })).toEqual({
      ok: true,
      payload: {
        event: { n: 1 },
        name: 'worker',
        left: true,
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        environment: { ONLY: 'this' },
      },
    });
  });

  it('ends an invocation after its timeout, also a busy one, and starts a new worker', async () => {
    const target = await lambda(
      `let calls = 0; export const handler = async (event) => {
        calls += 1; while (event.block); if (event.hang) await new Promise(() => {}); return calls; };`,
      { timeoutSeconds: 0.2 },
    );
    stopDeadlines();
    const overTime = async (event: object) => {
      const invocation = target.invoke(event);
      await deadlinesRun(1);
      passTime(200);
      return await invocation;
    };

    const hung = await overTime({ hang: true });
    const blocked = await overTime({ block: true });
    const next = await target.invoke({});

    const timedOut = {
      ok: false,
      errorType: 'Sandbox.Timedout',
      errorMessage: 'Task timed out after 0.20 seconds',
    };
    expect([hung, blocked]).toEqual([timedOut, timedOut]);
    expect(next).toEqual({ ok: true, payload: 1 });
  });

  it('turns a crash into a function error of every invocation in flight', async () => {
    const target = await lambda(`export const handler = async (event) => {
      if (event.exit) process.exit(3); return event.wait ? new Promise(() => {}) : 'alive'; };`);

    const waiting = target.invoke({ wait: true });
    const exiting = target.invoke({ exit: true });

    expect(await exiting).toMatchObject({ ok: false, errorType: 'Runtime.ExitError' });
    expect(await waiting).toMatchObject({ ok: false, errorType: 'Runtime.ExitError' });
    expect(await target.invoke({})).toEqual({ ok: true, payload: 'alive' });
  });

  it('forwards the output of the handler, line by line', async () => {
    const target = await lambda(`export const handler = async () => {
      console.log('one'); console.error('two'); process.stdout.write('three\\n'); return null; };`);

    await target.invoke({});

    await expect.poll(() => [...log].sort()).toEqual(['one', 'three', 'two']);
  });

  it('ends a handler that blocks its event loop when it is closed, and refuses invocations then', async () => {
    const target = await lambda('export const handler = async () => { console.log(process.pid); while (true); };');
    const blocked = target.invoke({});
    await expect.poll(() => log.length).toBe(1);

    await target.close();

    expect(await blocked).toMatchObject({ ok: false, errorType: 'Runtime.ExitError' });
    expect(await target.invoke({})).toMatchObject({ ok: false });
  });

  it('keeps the state of the module between invocations, and runs several at once', async () => {
    const target = await lambda(`let running = 0; let most = 0;
      export const handler = async () => {
        running += 1; most = Math.max(most, running);
        while (most < 3) await new Promise((resolve) => setTimeout(resolve, 5));
        running -= 1; return most; };`);

    await Promise.all([target.invoke({}), target.invoke({}), target.invoke({})]);
    const result = await target.invoke({});

    expect(result).toEqual({ ok: true, payload: 3 });
  });

  it('returns up to 6 MB as JSON, in which quotes take more', async () => {
    const target = await lambda('export const handler = async ({ text, times }) => ({ body: text.repeat(times) });');
    const room = 6_291_556 - '{"body":""}'.length;

    expect((await target.invoke({ text: 'x', times: room })).ok).toBe(true);
    const tooLarge = { ok: false, errorType: 'Function.ResponseSizeTooLarge' };
    expect(await target.invoke({ text: 'x', times: room + 1 })).toMatchObject(tooLarge);
    expect(await target.invoke({ text: '"', times: room / 2 + 1 })).toMatchObject(tooLarge);
  });

  it('reports an exception as a function error and keeps the worker', async () => {
    const target = await lambda(`let calls = 0; export const handler = async () => {
      calls += 1; if (calls === 1) throw new TypeError('no'); return calls; };`);

    const first = await target.invoke({});
    const second = await target.invoke({});

    expect(first).toEqual({ ok: false, errorType: 'TypeError', errorMessage: 'no' });
    expect(second).toEqual({ ok: true, payload: 2 });
  });

  it('lets other invocations of the worker end when one has timed out', async () => {
    const target = await lambda(
      `import { existsSync } from 'node:fs';
      import { setTimeout as sleep } from 'node:timers/promises';
      export const handler = async ({ until }) => {
        while (until === undefined || !existsSync(until)) await sleep(5);
        return 'done'; };`,
      { timeoutSeconds: 2 },
    );
    const until = join(dir, 'go');
    stopDeadlines();

    const hung = target.invoke({});
    await deadlinesRun(1);
    passTime(1_000);
    const other = target.invoke({ until });
    await deadlinesRun(2);
    passTime(1_000);
    expect(await hung).toMatchObject({ ok: false, errorType: 'Sandbox.Timedout' });
    await writeFile(until, '');

    expect(await other).toEqual({ ok: true, payload: 'done' });
  });

  it('reports a bundle that does not load, and tries again at the next invocation', async () => {
    const target = await lambda('throw new Error("broken");');

    const first = await target.invoke({});
    const second = await target.invoke({});

    expect(first).toMatchObject({ ok: false, errorType: 'Runtime.InitError' });
    expect(second).toMatchObject({ ok: false, errorMessage: expect.stringContaining('broken') });
  });

  it('records each invocation: time in the handler, SQS messages, cold start and outcome', async () => {
    const target = await lambda(`export const handler = async (event) => {
      if (event.fail) throw new Error('no'); if (event.exit) process.exit(1);
      await new Promise((resolve) => setTimeout(resolve, event.ms)); };`);

    await target.invoke({ ms: 20 }, 7);
    await target.invoke({ fail: true });
    await target.invoke({ exit: true });

    const common = {
      title: 'test: queue/worker',
      name: 'worker',
      folder: 'queue/worker',
      memoryMegabytes: 128,
    };
    const durationMs = expect.any(Number);
    const initMs = expect.toSatisfy((ms: number) => ms > 0);
    const warm = { ...common, durationMs, initMs: 0, records: 0, coldStart: false };
    expect(records).toEqual([
      { ...common, durationMs, initMs, records: 7, coldStart: true, outcome: 'success' },
      { ...warm, outcome: 'error' },
      { ...warm, outcome: 'crash' },
    ]);
    expect(records[0]?.durationMs).toBeGreaterThanOrEqual(19);
  });
});

describe('withBundlesOf()', () => {
  it('takes the bundle of the other build, and keeps its own where the other build has none', async () => {
    await mkdir(join(dir, 'queue/worker'), { recursive: true });
    await writeFile(join(dir, 'queue/worker/index.mjs'), '');

    expect(withBundlesOf(dir, model).codeDirectory).toBe(join(dir, 'queue/worker'));
    expect(withBundlesOf(dir, { ...model, title: 'test: queue/other' }).codeDirectory).toBe('');
    expect(withBundlesOf(undefined, model)).toBe(model);
  });
});
