import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { readApiKeys, readCustomer } from '#shared/aws/table/credentials/customers.ts';
import {
  countDeletedEndpoints,
  countDeliveries,
  countRuns,
  readListedCustomer,
} from '#shared/aws/table/credentials/deletion-counts.ts';
import {
  closeCustomer,
  countRows,
  type Erasing,
  erasePass,
  forgetCustomer,
} from '#shared/aws/table/credentials/erase-customer.ts';
import { listLiveEndpoints } from '#shared/aws/table/endpoints/endpoints.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { deleteCustomer, type ErasureStep } from '#shared/operations/operator/delete-customer.ts';
import { type DeletionPlan, planDeletion } from '#shared/operations/operator/plan-deletion.ts';
import { backoff, now, wait } from '#shared/runtime/system.ts';
import { type Invocation, invoke, onTarget, type Target } from '../cli/target.ts';
import { UsageError } from '../cli/usage-error.ts';
import { countLines, planJson, planLines, remains, remainsLines, stepLine } from './deletion-text.ts';

type DeleteOptions = { readonly confirm?: string; readonly dryRun?: true; readonly count?: true };

/** Milliseconds between two lines of progress. */
const progressInterval = 5_000;

export function addDeleteCustomerCommand(command: Command): void {
  onTarget(
    command.argument('<id>', 'id of the customer').description('Delete a customer with all of its data'),
  )
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('--count', 'count the rows of the customer first, by one more pass over the table')
    .option('--confirm <id>', 'the id again, instead of typing it when asked')
    .action(invoke(run));
}

async function run(invocation: Invocation<DeleteOptions>, id: string): Promise<void> {
  const { options, open, next, print, show } = invocation;
  if (options.confirm !== undefined && options.confirm !== id) {
    throw new UsageError(
      `--confirm is ${options.confirm}, expected ${id}: give the id of the customer twice`,
    );
  }
  const erasing = erasingOf(await open());
  const plan = await readPlan(erasing, id);
  if (plan === null) {
    throw new Error(`There is no customer ${id}. List them with: ${next('customers list')}`);
  }
  const counted = options.count === true ? await countRows(erasing)(id, reporter()) : null;
  const planned = { ...planJson(plan), ...(counted === null ? {} : { counted }) };
  const lines = [...planLines(plan), ...(counted === null ? [] : countLines('COUNTED', counted))];
  if (options.dryRun === true) return show(planned, [...lines, ...remainsLines()]);
  if (options.json !== true) print(`${lines.join('\n')}\n`);
  if (options.confirm === undefined) await confirm(plan.customer);
  const erasure = await deleteCustomer({
    now,
    wait,
    closeCustomer: closeCustomer(erasing),
    erasePass: erasePass(erasing),
    forgetCustomer: forgetCustomer(erasing),
    onStep: stepReporter(),
  })(plan.customer);
  show({ plan: planned, ...erasure, remains }, [
    ...countLines('REMOVED', erasure.removed),
    `Deleted customer ${id} in ${erasure.passes} passes`,
    ...remainsLines(),
  ]);
}

/** What deletes customers of a stage. */
export function erasingOf({ storedTable: table, scanner }: Target): Erasing {
  return { table, scanner, backoff, now };
}

function readPlan({ table, scanner }: Erasing, id: string): Promise<DeletionPlan | null> {
  return planDeletion({
    readListedCustomer: readListedCustomer(table),
    isCustomerOpen: async (customerId) => (await readCustomer(table)(customerId)) !== null,
    readApiKeys: readApiKeys(table),
    listLiveEndpoints: listLiveEndpoints(table),
    countDeletedEndpoints: countDeletedEndpoints(table),
    countDeliveries: countDeliveries(table),
    countRuns: countRuns(table),
    tableSize: scanner.size,
  })(id);
}

/** @throws UsageError without a terminal to type into; Error for another text. Then nothing is deleted. */
async function confirm({ id, name }: Customer): Promise<void> {
  if (!process.stdin.isTTY) {
    throw new UsageError(
      `Deleting a customer cannot be undone: add --confirm ${id}, or run it in a terminal`,
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const typed = await terminal.question('Type the id or the name of the customer to delete it: ');
  terminal.close();
  if (typed.trim() !== id && typed.trim() !== name) {
    throw new Error('Deleted nothing: the text is neither the id nor the name of the customer');
  }
}

/** Prints progress at intervals. */
function reporter(): (read: number, found: number) => void {
  let loggedAt = now();
  return (read, found) => {
    if (now() - loggedAt < progressInterval) return;
    loggedAt = now();
    process.stderr.write(`Read ${read} rows, found ${found}\n`);
  };
}

/** Prints each step, and the progress of a pass at intervals. */
function stepReporter(): (step: ErasureStep) => void {
  let loggedAt = 0;
  return (step) => {
    if (step.step === 'erasing' && now() - loggedAt < progressInterval) return;
    loggedAt = now();
    process.stderr.write(`${stepLine(step)}\n`);
  };
}
