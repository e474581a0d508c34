import { type Command, Option } from 'commander';
import * as z from 'zod';
import { localAddress, type ServiceAddress } from '#shared/aws/client-settings.ts';
import { connectQueues, connectTable, type Table } from '#shared/aws/clients.ts';
import { findDeployedStage, findStageApi } from '#shared/aws/deployed-stage.ts';
import { connectScanner, type TableScanner } from '#shared/aws/table-scanner.ts';
import { servingUnexpired } from '#shared/aws/unexpired-rows.ts';
import { nameInStackFile, type StageResources, stageResources } from '#shared/contract/deployment.ts';
import type { TelemetryEvent } from '#shared/operations/telemetry-event.ts';
import { now } from '#shared/runtime/system.ts';
import { localResources, readLocalStack, stackFileOption, typedStackFile } from './local-stack-file.ts';
import { type Output, type OutputOptions, show, typedScript } from './output.ts';

/** The stack that a command acts on: the local stack, unless `stage` names a deployed one. */
export type TargetOptions = { readonly stage?: string; readonly stackFile: string };

/** The resources of a stage, with clients for them. */
export type Target = StageResources & {
  readonly table: Table;
  /** The table with the rows that have expired and that DynamoDB has not removed. */
  readonly storedTable: Table;
  readonly scanner: TableScanner;
  readonly queues: ReturnType<typeof connectQueues>;
  /** Address of the queue service. `undefined`: SQS. */
  readonly queueEndpoint: string | undefined;
};

export const stageOption = new Option('--stage <name>', 'act on this deployed stage instead of the local stack');

const stackFile = localResources.extend({
  region: z.string(),
  endpoints: z.object({ dynamodb: z.string(), sqs: z.string() }),
});

/** A command to run next, on the same stack. */
export function nextCommand({ stage, stackFile }: TargetOptions, command: string): string {
  const place = stage === undefined ? typedStackFile(stackFile) : ` --stage ${stage}`;
  return `${typedScript('admin')} ${command}${place}`;
}

/** The options of every command that acts on a stack and prints a result. */
export type Options = TargetOptions & OutputOptions;

/** Describes a command, and adds these options to it. */
export function onTarget(command: Command, description: string): Command {
  return command
    .description(description)
    .addOption(stageOption)
    .addOption(stackFileOption)
    .addOption(new Option('--json', 'print the result as JSON'));
}

/** One invocation of a command: its options, and what commands do with them. */
export type Invocation<Own = object> = ReturnType<typeof invocationOf<Own>>;

function invocationOf<Own>(options: Options & Own, print: Output) {
  return {
    options,
    print,
    /** Finds the stage to act on. */
    open: () => openTarget(options),
    /** A command to run next, on the same stack. */
    next: (command: string) => nextCommand(options, command),
    /** Prints a result as one line of JSON, or as lines for a person. */
    show: (result: object, lines: readonly string[]) => show(print, options, result, lines),
  };
}

/** The action of a command. @param run gets the first argument of the command too, if it has one */
export function invoke<Own, Argument>(
  run: (invocation: Invocation<Own>, argument: Argument) => Promise<void>,
): (this: Command) => Promise<void> {
  return function () {
    const print: Output = (text) => this.configureOutput().writeOut?.(text);
    return run(invocationOf(this.opts<Options & Own>(), print), this.processedArgs[0]);
  };
}

/** Finds the stage to act on. A deployed stage uses the AWS credentials and Region of the environment. */
export async function openTarget(options: TargetOptions): Promise<Target> {
  return options.stage === undefined
    ? openLocalStack(options.stackFile)
    : connect(await findDeployedStage(options.stage));
}

/** The public address of the API, without a trailing slash. */
export async function readApiUrl({ stage, stackFile }: TargetOptions): Promise<string> {
  if (stage !== undefined) return await findStageApi(stage);
  return (await readLocalStack(stackFile, z.object({ api_url: z.string() }))).api_url;
}

async function openLocalStack(path: string): Promise<Target> {
  const { region, endpoints, ...named } = await readLocalStack(path, stackFile);
  const values = new Map(Object.entries(named));
  const resources = stageResources((output) => values.get(nameInStackFile(output)) ?? '');
  return connect(resources, {
    dynamodb: localAddress(endpoints.dynamodb, region),
    sqs: localAddress(endpoints.sqs, region),
  });
}

/** @param addresses default: those of AWS */
function connect(
  resources: StageResources,
  addresses: { readonly dynamodb?: ServiceAddress; readonly sqs?: ServiceAddress } = {},
): Target {
  const storedTable = connectTable(resources.tableName, warnOfUnreadableRow, addresses.dynamodb);
  return {
    ...resources,
    table: { ...storedTable, client: servingUnexpired(storedTable.client, now) },
    storedTable,
    scanner: connectScanner(resources.tableName, addresses.dynamodb),
    queues: connectQueues(addresses.sqs),
    queueEndpoint: addresses.sqs?.endpoint,
  };
}

/** Reports a row on standard error that this version cannot read and therefore skips. */
function warnOfUnreadableRow(event: TelemetryEvent): void {
  if (event.name !== 'row.unreadable') return;
  const { kind, key, fault } = event;
  process.stderr.write(`Skipped the ${kind} at ${key.pk} ${key.sk}, which cannot be read: ${fault}\n`);
}
