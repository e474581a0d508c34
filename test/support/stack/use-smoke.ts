import * as z from 'zod';
import { localAddress } from '#shared/aws/client-settings.ts';
import { countRows } from '#shared/aws/table/credentials/erase-customer.ts';
import { connectScanner } from '#shared/aws/table-scanner.ts';
import { smokeProgram } from '../../../tools/smoke/smoke-program.ts';
import { runCommand, useOperator } from './operate.ts';
import { useStack } from './stack.ts';
import type { StackCustomer } from './stack-customer.ts';

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

type Run = { readonly customer: StackCustomer; readonly stopAfter?: string };

/** `npm run smoke` on the shared stack. */
export function useSmoke() {
  const stack = useStack();
  const { stackFile } = useOperator();

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

  /** What a run reports, and the rows of the table that belong to each customer that it made, by kind. */
  async function reportOf({ stack: info }: StackCustomer, printed: string) {
    const report = result.parse(JSON.parse(printed));
    const scanner = connectScanner(info.table_name, localAddress(info.endpoints.dynamodb, info.region));
    const erasing = { table: stack.table(), scanner, now: Date.now };
    const rows = await Promise.all(report.customers.map((id) => countRows(erasing)(id, () => undefined)));
    const outcomes = Object.fromEntries(report.steps.map(({ step, outcome }) => [step, outcome]));
    return { ...report, outcomes, rows };
  }

  return { newCustomer: stack.newCustomer, smoke, reportOf };
}
