import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import * as z from 'zod';
import { findDeployedStage } from '#shared/aws/deployed-stage.ts';
import type { StageResources } from '#shared/contract/deployment.ts';
import { parseJson } from './parse-json.ts';

/** Where a command acts: the local stack unless a deployed stage is named. */
export type TargetOptions = { readonly stage?: string; readonly stackFile: string };

export const stageOption = new Option(
  '--stage <name>',
  'act on this deployed stage instead of the local stack',
);

export const stackFileOption = new Option(
  '--stack-file <path>',
  'what the running local stack says of itself',
).default('.local/stack.json');

const stackFile = z.object({
  region: z.string(),
  table_name: z.string(),
  intake_queue_url: z.string(),
  delivery_queue_url: z.string(),
  intake_dead_letter_queue_url: z.string(),
  delivery_dead_letter_queue_url: z.string(),
  endpoints: z.object({ dynamodb: z.string(), sqs: z.string() }),
});

/** A command to run next, on the same stack. */
export function nextCommand({ stage }: TargetOptions, command: string): string {
  return `npm run admin -- ${command}${stage === undefined ? '' : ` --stage ${stage}`}`;
}

/** Adds the options of a command that acts on a stack and prints a result. */
export function onTarget(command: Command): Command {
  return command
    .addOption(stageOption)
    .addOption(stackFileOption)
    .addOption(new Option('--json', 'print the result as JSON'));
}

/**
 * Finds the resources to act on, and points the AWS clients that are made afterwards at them. A deployed stage is
 * reached with the credentials and the region of the environment.
 */
export async function openTarget(options: TargetOptions): Promise<StageResources> {
  return options.stage === undefined ? openLocalStack(options.stackFile) : findDeployedStage(options.stage);
}

/**
 * Reads what the running local stack says of itself.
 *
 * @throws Error that says what to do, when none runs or it says something else
 */
export async function readLocalStack<S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> {
  const parsed = schema.safeParse(parseJson(await readStackFile(path)));
  if (parsed.success) return parsed.data;
  throw new Error(
    `${path} was not written by this version of the local stack: start it again with npm start`,
  );
}

async function openLocalStack(path: string): Promise<StageResources> {
  const stack = await readLocalStack(path, stackFile);
  Object.assign(process.env, {
    AWS_REGION: stack.region,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_ENDPOINT_URL_DYNAMODB: stack.endpoints.dynamodb,
    AWS_ENDPOINT_URL_SQS: stack.endpoints.sqs,
  });
  return {
    tableName: stack.table_name,
    intakeQueueUrl: stack.intake_queue_url,
    deliveryQueueUrl: stack.delivery_queue_url,
    intakeDeadLetterQueueUrl: stack.intake_dead_letter_queue_url,
    deliveryDeadLetterQueueUrl: stack.delivery_dead_letter_queue_url,
  };
}

async function readStackFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new Error(
      `No local stack is running (${path} is missing): run \`npm start\`, or name a stage with --stage`,
    );
  }
}
