import {
  CloudFormationClient,
  DescribeStacksCommand,
  paginateDescribeStacks,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import {
  apiUrlOutput,
  type StackPart,
  type StageResources,
  smokeStackOutputs,
  stackName,
  stageOutput,
  stageResources,
} from '#shared/contract/deployment.ts';
import { clientSettings } from './client-settings.ts';

/**
 * Finds the resources of a deployed stage through the outputs of its data stack, in the AWS account of the environment.
 *
 * @throws Error when the stack lacks an output
 */
export async function findDeployedStage(stage: string): Promise<StageResources> {
  return stageResources(await outputsOf(stage, 'data'));
}

/**
 * Finds the public address of the API of a deployed stage.
 *
 * @throws Error when the stack lacks the output
 */
export async function findStageApi(stage: string): Promise<string> {
  const readOutput = await outputsOf(stage, 'api');
  return readOutput(apiUrlOutput);
}

/** Where the receiver of smoke tests listens, and where it keeps what it got. */
export type SmokeReceiverResources = { readonly url: string; readonly tableName: string };

/** Finds the receiver for smoke tests of a deployed stage. @returns `null` when it is not deployed */
export async function findSmokeReceiver(stage: string): Promise<SmokeReceiverResources | null> {
  const outputs = await readOutputs(stage, 'smoke').catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const url = outputs?.get(smokeStackOutputs.receiverUrl);
  const tableName = outputs?.get(smokeStackOutputs.receivedTableName);
  return url === undefined || tableName === undefined ? null : { url, tableName };
}

/** @returns reads an output, and throws when the stack lacks it */
async function outputsOf(stage: string, part: StackPart): Promise<(output: string) => string> {
  const outputs = await readOutputs(stage, part);
  return (output) => {
    const value = outputs.get(output);
    if (value !== undefined) return value;
    throw new Error(`Cannot use stage "${stage}": its ${part} stack has no output ${output}`);
  };
}

type Outputs = ReadonlyMap<string | undefined, string | undefined>;

/** The outputs of a stack with the usual name, or else of all stacks that name the stage: each output is in one of them. */
async function readOutputs(stage: string, part: StackPart): Promise<Outputs> {
  const client = new CloudFormationClient(clientSettings());
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stackName(stage, part) }));
    return outputsIn(Stacks);
  } catch (error) {
    if (!isMissing(error)) throw error;
    // Who may read stacks with the usual names only learns that there is none.
    const marked = await stacksThatName(stage, client).catch(() => []);
    if (marked.length === 0) throw error;
    return outputsIn(marked);
  }
}

async function stacksThatName(stage: string, client: CloudFormationClient): Promise<readonly Stack[]> {
  const stacks: Stack[] = [];
  for await (const { Stacks = [] } of paginateDescribeStacks({ client }, {})) stacks.push(...Stacks);
  return stacks.filter((stack) => outputsIn([stack]).get(stageOutput) === stage);
}

function outputsIn(stacks: readonly Stack[] = []): Outputs {
  const outputs = stacks.flatMap(({ Outputs = [] }) => Outputs);
  return new Map(outputs.map(({ OutputKey, OutputValue }) => [OutputKey, OutputValue]));
}

/** CloudFormation has no error of its own for a stack that does not exist. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && /does not exist/.test(error.message);
}
