import { type Command, Option } from 'commander';
import {
  closeCustomer,
  countRows,
  type Erasing,
  erasePass,
  forgetCustomer,
} from '#shared/aws/table/credentials/erase-customer.ts';
import type { Customer } from '#shared/domain/customer.ts';
import { deleteCustomer, type ErasureStep } from '#shared/operations/operator/delete-customer.ts';
import { type DeletionPlan, planDeletion } from '#shared/operations/operator/plan-deletion.ts';
import { now, wait } from '#shared/runtime/system.ts';
import { answerTo, assertConfirmable, type PlanOptions, yesOption } from '../cli/ask.ts';
import { type Invocation, invoke, onTarget, type Target } from '../cli/target.ts';
import { UsageError } from '../cli/usage-error.ts';
import { countLines, planJson, planLines, remains, remainsLines, stepLine } from './deletion-text.ts';

type DeleteOptions = PlanOptions & { readonly confirm?: string; readonly count?: true };

/** Milliseconds between two lines of progress. */
const progressInterval = 5_000;

export function addDeleteCustomerCommand(command: Command): void {
  onTarget(command, 'Delete a customer with all of its data')
    .argument('<id>', 'id of the customer')
    .option('--dry-run', 'show what would be deleted, and delete nothing')
    .option('--count', 'count the rows of the customer first, by one more pass over the table')
    .addOption(yesOption())
    .addOption(new Option('--confirm <id>', 'earlier form of --yes, with the id again').hideHelp())
    .action(invoke(run));
}

async function run(invocation: Invocation<DeleteOptions>, id: string): Promise<void> {
  const { options, open, next, print, show } = invocation;
  if (options.confirm !== undefined && options.confirm !== id) {
    throw new UsageError(`--confirm is ${options.confirm}, expected ${id}: give the id of the customer twice`);
  }
  const isConfirmed = options.confirm !== undefined || options.yes === true;
  if (!isConfirmed) assertConfirmable(options);
  const erasing = erasingOf(await open());
  const plan = await readPlan(erasing, id);
  if (plan === null) {
    throw new Error(`There is no customer ${id}. List them with: ${next('customers list')}`);
  }
  const log = stepLog();
  const onRead = (read: number, found: number) => log(`Read ${read} rows, found ${found}`, true);
  const counted = options.count === true ? await countRows(erasing)(id, onRead) : null;
  const planned = { ...planJson(plan), ...(counted === null ? {} : { counted }) };
  const lines = [...planLines(plan), ...(counted === null ? [] : countLines('COUNTED', counted))];
  if (options.dryRun === true) return show(planned, [...lines, ...remainsLines()]);
  if (options.json !== true) print(`${lines.join('\n')}\n`);
  if (!isConfirmed) await confirmByName(plan.customer);
  const onStep = (step: ErasureStep) => log(stepLine(step), step.step === 'erasing');
  const erasure = await deleteCustomer({ ...erasurePorts(erasing), wait, onStep })(plan.customer);
  show({ plan: planned, ...erasure, remains }, [
    ...countLines('REMOVED', erasure.removed),
    `Deleted customer ${id} in ${erasure.passes} passes`,
    ...remainsLines(),
  ]);
}

/** What a deletion reads and writes rows with. */
export function erasingOf({ storedTable: table, scanner }: Target): Erasing {
  return { table, scanner, now };
}

/** What a deletion does with the rows of a customer. @param rows those to erase; default: a pass over the table */
export function erasurePorts(erasing: Erasing, rows?: Parameters<typeof erasePass>[1]) {
  return {
    now,
    closeCustomer: closeCustomer(erasing),
    erasePass: erasePass(erasing, rows),
    forgetCustomer: forgetCustomer(erasing),
  };
}

function readPlan({ table, scanner }: Erasing, id: string): Promise<DeletionPlan | null> {
  return planDeletion({ table, tableSize: scanner.size })(id);
}

/** What it removes is worth more than a yes. @throws Error for another text: then nothing is deleted */
async function confirmByName({ id, name }: Customer): Promise<void> {
  const typed = await answerTo('Type the id or the name of the customer to delete it: ');
  if (typed !== id && typed !== name) {
    throw new Error('Deleted nothing: the text is neither the id nor the name of the customer');
  }
}

/** Prints each step when it begins, and progress at intervals. */
function stepLog(): (line: string, isProgress: boolean) => void {
  let loggedAt = now();
  return (line, isProgress) => {
    if (isProgress && now() - loggedAt < progressInterval) return;
    loggedAt = now();
    process.stderr.write(`${line}\n`);
  };
}
