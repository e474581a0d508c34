import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { countRows } from '#shared/aws/table/credentials/erase-customer.ts';
import { connectScanner } from '#shared/aws/table-scanner.ts';
import { quietTime } from '#shared/operations/operator/delete-customer.ts';
import { backoff } from '#shared/runtime/system.ts';
import { smokeProgram } from '../../tools/smoke/smoke-program.ts';
import { runCommand, useOperator } from '../support/stack/operate.ts';
import { useStack } from '../support/stack/stack.ts';
import type { StackCustomer } from '../support/stack/stack-customer.ts';

const stack = useStack();
const { stackFile } = useOperator();

type Run = { readonly customer: StackCustomer; readonly stopAfter?: string };

/** Runs the command within this process. `stopAfter` stops it, as Ctrl-C does, when that step has ended. */
async function smoke({ customer, stopAfter }: Run, ...args: readonly string[]) {
  const stopping = new AbortController();
  const waits: number[] = [];
  let printed = '';
  const note = (text: string) => {
    if (stopAfter !== undefined && text.startsWith(`${stopAfter}: `)) stopping.abort();
  };
  const make = (print: (text: string) => void) =>
    smokeProgram({
      print: (text) => {
        printed += text;
        print(text);
      },
      note,
      signal: stopping.signal,
      // Until no function can write for the customers: here, until no message is left.
      wait: async (milliseconds) => {
        waits.push(milliseconds);
        await stack.drained();
      },
    });
  const { code, output } = await runCommand(make, [...args, '--stack-file', await stackFile(customer)]);
  return { code, output, printed, waits };
}

const result = z.object({
  passed: z.boolean(),
  steps: z.array(z.object({ step: z.string(), outcome: z.string(), detail: z.string() })),
  delivery: z.object({ accepted_to_post_ms: z.number(), sent_to_seen_ms: z.number() }).nullable(),
  checks: z.object({
    passed: z.number(),
    failed: z.array(z.unknown()),
    not_run: z.array(z.object({ count: z.number(), reason: z.string() })),
  }),
  customers: z.array(z.string()),
  still_there: z.array(z.unknown()),
});

/** What a run reports, and the rows of the table that belong to each customer that it made, by kind. */
async function reportOf({ stack: info }: StackCustomer, printed: string) {
  const report = result.parse(JSON.parse(printed));
  const scanner = connectScanner(info.table_name, {
    endpoint: info.endpoints.dynamodb,
    region: info.region,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  const erasing = { table: stack.table(), scanner, backoff, now: Date.now };
  const rows = await Promise.all(report.customers.map((id) => countRows(erasing)(id, () => undefined)));
  const outcomes = Object.fromEntries(report.steps.map(({ step, outcome }) => [step, outcome]));
  return { ...report, outcomes, rows };
}

describe('npm run smoke', () => {
  it('delivers a real event, passes the checks, and leaves no row of its customers', async () => {
    const customer = await stack.newCustomer();

    const { code, printed, waits } = await smoke({ customer }, '--json');

    const report = await reportOf(customer, printed);
    const { passed, delivery, checks, steps, still_there, outcomes, rows } = report;
    expect(steps.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect([code, passed, still_there]).toEqual([0, true, []]);
    expect(outcomes).toMatchObject({
      'verify the handshake': 'passed',
      'deliver it': 'passed',
      'verify the delivery': 'passed',
      'conformance checks': 'passed',
    });
    expect(delivery?.accepted_to_post_ms).toBeGreaterThanOrEqual(0);
    expect(checks.failed).toEqual([]);
    expect(checks.passed).toBeGreaterThan(250);
    expect(checks.not_run.every(({ count, reason }) => count > 0 && reason !== '')).toBe(true);
    expect(rows).toEqual([{}, {}]);
    expect(Math.max(...waits)).toBeGreaterThan(quietTime / 2);
  });

  it('removes what it made when it is stopped, and says which steps it did not run', async () => {
    const customer = await stack.newCustomer();
    const stopAfter = 'register an endpoint';

    const { code, printed, output } = await smoke({ customer, stopAfter }, '--json');

    const { outcomes, rows } = await reportOf(customer, printed);
    expect([code, output]).toEqual([1, expect.stringContaining('was stopped')]);
    expect(outcomes).toMatchObject({
      'register an endpoint': 'passed',
      'send an event': 'not_run',
      'conformance checks': 'not_run',
      'delete the endpoints': 'passed',
      'delete the customers': 'passed',
    });
    expect(rows).toEqual([{}, {}]);
  });

  it('names the receiver that refuses the handshake, and removes what it made', async () => {
    const customer = await stack.newCustomer();
    const url = `${customer.stack.receiver.origin}/smoke-refused?handshake=500`;
    const stopAfter = 'register an endpoint';

    const { code, output, printed } = await smoke({ customer, stopAfter }, '--receiver', url);

    expect([code, output]).toEqual([1, expect.stringContaining(`The handshake with ${url} failed`)]);
    expect(printed).toMatch(/^register an endpoint +failed/m);
    expect(printed).toMatch(/^delete the endpoints +passed .*1 deleted/m);
  });
});
