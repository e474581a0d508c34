import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBDocumentClient, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { dataStackOutputs } from '#shared/contract/deployment.ts';
import { readInbox } from '../../../tools/conformance/harness/receiver.ts';
import { openReceiver } from '../../../tools/smoke/receivers.ts';
import { smokeProgram } from '../../../tools/smoke/smoke-program.ts';
import { commandsOf, useMock } from '../../support/aws/aws-mocks.ts';
import { runCommand } from '../../support/stack/operate.ts';

const stacks = useMock(CloudFormationClient);
const table = useMock(DynamoDBDocumentClient);

beforeEach(() => void vi.stubEnv('AWS_REGION', 'eu-central-1'));

/** A deployed stage, with these outputs in each of its stacks. */
function deploy(outputs: Readonly<Record<string, Readonly<Record<string, string>>>>): void {
  stacks.on(DescribeStacksCommand).callsFake(({ StackName }: { StackName: string }) => {
    const found = outputs[StackName];
    if (found === undefined) throw new Error(`Stack with id ${StackName} does not exist`);
    const Outputs = Object.entries(found).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
    return { Stacks: [{ StackName, Outputs }] };
  });
}

const data = Object.fromEntries(Object.values(dataStackOutputs).map((name) => [name, 'x']));

describe('npm run smoke -- --stage', () => {
  it('refuses a stage without a receiver, names both ways to have one, and creates nothing', async () => {
    deploy({
      'webhooks-prod-data': data,
      'webhooks-prod-api': { ApiUrl: 'https://api.example.com' },
    });
    const { signal } = new AbortController();
    const program = (print: (text: string) => void) => smokeProgram({ print, note: () => undefined, signal });

    expect(await runCommand(program, ['--stage', 'prod'])).toEqual({
      code: 2,
      output:
        'Stage prod has no receiver: add --receiver <https URL>, or deploy one with: ' +
        'npx cdk deploy webhooks-prod-smoke -c stage=prod -c smokeReceiver=true',
    });
    expect(commandsOf(table)).toEqual([]);
  });

  it('uses the deployed receiver, and reads what it got from its table', async () => {
    const outputs = { ReceiverUrl: 'https://receiver.example.com/', ReceivedTableName: 'received' };
    deploy({ 'webhooks-prod-smoke': outputs });
    table.on(QueryCommand).resolves({
      Items: [
        {
          mailbox: 'm',
          received: '2026-11-20T09:30:00.000Z#request-1',
          at: 1,
          path: '/m',
          headers: { 'x-service-event-id': 'evt_1' },
          body_base64: Buffer.from('{}').toString('base64'),
        },
      ],
    });

    const receiver = await openReceiver({ stage: 'prod', stackFile: 'none' });

    expect(receiver.url).toMatch(/^https:\/\/receiver\.example\.com\/smoke-[0-9a-f]{24}$/);
    onTestFinished(receiver.close);
    const [post] = await readInbox(receiver.inboxUrl ?? '', 'any');
    expect([post?.headers.get('x-service-event-id'), post?.body.toString()]).toEqual(['evt_1', '{}']);
    const { origin } = new URL(receiver.inboxUrl ?? '');
    expect((await fetch(`${origin}/inbox`)).status).toBe(404);
    const ExpressionAttributeValues = { ':mailbox': receiver.url.split('/').at(-1) };
    const query = { TableName: 'received', ExpressionAttributeValues };
    expect(commandsOf(table)).toMatchObject([{ QueryCommand: query }]);
  });
});

it.each([
  [['--receiver', 'http://localhost'], "argument 'http://localhost' is invalid. Expected an https URL"],
  [['--inbox', 'https://localhost'], '--inbox belongs to your own receiver'],
  [['--wait', '0'], 'Expected a number of seconds above 0, at most 600'],
])('npm run smoke refuses %j in one line, and creates nothing', async (args, reason) => {
  const { signal } = new AbortController();
  const make = () => smokeProgram({ print: () => undefined, note: () => undefined, signal });

  const { code, output } = await runCommand(make, args);

  expect([code, output]).toEqual([2, expect.stringContaining(reason)]);
  expect(output).not.toContain('\n');
  expect(commandsOf(table)).toEqual([]);
});
