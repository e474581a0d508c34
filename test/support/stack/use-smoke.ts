import * as z from 'zod';
import { localAddress } from '#shared/aws/client-settings.ts';
import { countRows } from '#shared/aws/table/credentials/erase-customer.ts';
import { connectScanner } from '#shared/aws/table-scanner.ts';
import { catalogue } from '../../../tools/conformance/catalogue.ts';
import type { Group } from '../../../tools/conformance/harness/check.ts';
import { smokeProgram } from '../../../tools/smoke/smoke-program.ts';
import { runCommand, useOperator } from './operate.ts';
import { useStack } from './stack.ts';
import type { StackCustomer } from './stack-customer.ts';

const result = z.object({
  passed: z.boolean(),
  checks: z.array(z.object({ name: z.string(), outcome: z.string(), reason: z.string().optional() })),
  customers: z.array(z.string()),
  still_there: z.array(z.unknown()),
});

type Run = {
  readonly customer: StackCustomer;
  /** Stops the command, as Ctrl-C does, when its progress begins with this. */
  readonly stopAt?: string;
  /** Default: all checks. */
  readonly groups?: readonly Group[];
};

/** `npm run smoke` on the shared stack. */
export function useSmoke() {
  const stack = useStack();
  const { stackFile } = useOperator();

  /** Runs the command within this process. */
  async function smoke({ customer, stopAt, groups = catalogue }: Run, ...args: readonly string[]) {
    const stopping = new AbortController();
    const waits: number[] = [];
    let printed = '';
    const note = (text: string) => {
      if (stopAt !== undefined && text.startsWith(stopAt)) stopping.abort();
    };
    const make = (print: (text: string) => void) =>
      smokeProgram({
        print: (text) => {
          printed += text;
          print(text);
        },
        note,
        groups,
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
    return { ...report, rows };
  }

  return { newCustomer: stack.newCustomer, smoke, reportOf };
}
