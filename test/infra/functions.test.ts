import { Match } from 'aws-cdk-lib/assertions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { environmentNames } from '#shared/contract/environment.ts';
import { functionFolders } from '#shared/contract/functions.ts';
import { partitions } from '#shared/contract/table-schema.ts';
import { requiredSettings } from '../../lib/function-environment.ts';
import { functions } from '../../lib/functions.ts';
import {
  functionsByFolder,
  type Statement,
  type SynthesizedStage,
  statementsOf,
  synthesizeStage,
  templateOf,
} from './synthesized-stage.ts';

let stage: SynthesizedStage;

beforeAll(async () => {
  stage = await synthesizeStage();
});

afterAll(() => stage.remove());

const eventSource = z.object({ FunctionName: z.object({ Ref: z.string() }), EventSourceArn: z.unknown() });

const apiFolders = functionFolders.filter((folder) => folder.startsWith('api/'));

describe('the functions', () => {
  it('one function is deployed for each folder', () => {
    const deployed = [...functionsByFolder(stage.api).keys(), ...functionsByFolder(stage.delivery).keys()];

    expect(deployed.toSorted()).toEqual([...functionFolders].toSorted());
  });

  it('the table of functions has an entry for each folder, and no other', () => {
    expect(Object.keys(functions).toSorted()).toEqual([...functionFolders].toSorted());
  });

  it.each(functionFolders)(
    '%s runs its bundle on the newest runtime, with a log group that expires',
    (folder) => {
      const template = templateOf(stage, folder);
      const { logicalId } = deployed(folder);

      template.hasResource('AWS::Lambda::Function', {
        Properties: {
          Description: `dev: ${folder}`,
          Runtime: 'nodejs24.x',
          Architectures: ['arm64'],
          Handler: 'index.handler',
          LoggingConfig: { LogFormat: 'JSON', LogGroup: { Ref: Match.anyValue() } },
        },
        Metadata: { 'aws:asset:path': Match.stringLikeRegexp('^asset\\.'), 'aws:asset:property': 'Code' },
      });
      expect(logicalId).toMatch(/Function[0-9A-F]{8}$/);
      template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
    },
  );

  it.each([
    ['queue/intake', 'WARN'],
    ['queue/deliver', 'WARN'],
    ['api/get-delivery', 'INFO'],
    ['schedule/sweep', 'INFO'],
  ] as const)('%s logs the lines of Lambda itself from level %s', (folder, level) => {
    expect(deployed(folder).LoggingConfig).toMatchObject({ SystemLogLevel: level });
  });

  it.each(functionFolders)('%s receives the environment variables that it reads and no other', (folder) => {
    const expected = requiredSettings(folder).map((key) => environmentNames[key]);

    const given = Object.keys(deployed(folder).Environment?.Variables ?? {});

    expect(given.toSorted()).toEqual(expected.toSorted());
  });

  it.each([
    [{}, 'true'],
    [{ standardWebhooks: 'false' }, 'false'],
  ])(
    'every function that signs, and the one that shows headers, learns from the settings %j: %s',
    async (settings, expected) => {
      const other = await synthesizeStage(settings);
      const deployed = [...functionsByFolder(other.api), ...functionsByFolder(other.delivery)];

      const given = deployed.flatMap(([folder, { Environment }]) => {
        const value = Environment?.Variables[environmentNames.standardWebhooks];
        return value === undefined ? [] : [[folder, value]];
      });

      expect(Object.fromEntries(given)).toEqual({
        'api/get-delivery': expected,
        'api/register-webhook': expected,
        'queue/deliver': expected,
        'queue/deliver-slow': expected,
      });
      await other.remove();
    },
  );

  it('only the function that serves the console learns which pages may show it in a frame', async () => {
    const ancestors = 'https://portal.example.com,https://app.example.com:8443';
    const other = await synthesizeStage({ consoleFrameAncestors: ancestors });

    const given = [...functionsByFolder(other.api), ...functionsByFolder(other.delivery)].flatMap(
      ([folder, { Environment }]) => {
        const value = Environment?.Variables[environmentNames.consoleFrameAncestors];
        return value === undefined ? [] : [[folder, value]];
      },
    );

    expect(given).toEqual([['api/get-docs', 'https://portal.example.com https://app.example.com:8443']]);
    expect(deployed('api/get-docs').Environment?.Variables).not.toHaveProperty(
      environmentNames.consoleFrameAncestors,
    );
    await other.remove();
  });

  it('functions of the API time out before API Gateway stops waiting', () => {
    const timeouts = apiFolders.map((folder) => deployed(folder).Timeout);

    expect(Math.max(...timeouts)).toBeLessThan(29);
  });
});

describe('the loops through queues', () => {
  /** Functions by the queue that invokes them. */
  const consumers = () => {
    const folders = new Map(
      [...functionsByFolder(stage.delivery)].map(([folder, { logicalId }]) => [logicalId, folder]),
    );
    const mappings = Object.values(stage.delivery.findResources('AWS::Lambda::EventSourceMapping'));
    return new Map(
      mappings.map(({ Properties }) => {
        const { FunctionName, EventSourceArn } = eventSource.parse(Properties);
        return [JSON.stringify(EventSourceArn), folders.get(FunctionName.Ref)] as const;
      }),
    );
  };

  /** Every function that a function can invoke by messages, directly or through others. */
  const invokedBy = (folder: string, found = new Set<string>()): ReadonlySet<string> => {
    const queues = statements(folder)
      .filter(has('sqs:SendMessage'))
      .flatMap(({ Resource }) => [Resource].flat())
      .map((arn) => JSON.stringify(arn));
    for (const next of queues.flatMap((queue) => consumers().get(queue) ?? [])) {
      if (found.has(next)) continue;
      found.add(next);
      invokedBy(next, found);
    }
    return found;
  };

  it('Lambda lets a chain of messages invoke a function again and again only where one does: the bulk replays', () => {
    const allowed = functionFolders.filter((folder) => deployed(folder).RecursiveLoop === 'Allow');
    const looping = functionFolders.filter((folder) => invokedBy(folder).has(folder));

    expect(looping).toEqual(['queue/replay']);
    expect(allowed).toEqual(looping);
    expect([...invokedBy('queue/intake')].toSorted()).toEqual(['queue/deliver', 'queue/deliver-slow']);
  });
});

describe('the permissions', () => {
  it.each(functionFolders)('the policy of %s names every action and every resource', (folder) => {
    for (const statement of statements(folder)) {
      expect(statement.Effect).toBe('Allow');
      expect(statement.Action.filter((action) => action.includes('*'))).toEqual([]);
      expect(JSON.stringify(statement.Resource)).not.toContain('"*"');
    }
  });

  it('the templates contain no managed policy and no scan', () => {
    const text = stage.files.join('\n');

    expect(text).not.toContain('ManagedPolicyArns');
    expect(text).not.toContain('dynamodb:Scan');
  });

  it.each(['api/not-found', 'api/get-docs'])('%s may do nothing but write its own log', (folder) => {
    expect(actions(folder)).toEqual(['logs:CreateLogStream', 'logs:PutLogEvents']);
  });

  it.each(apiFolders)('%s may neither receive messages nor decrypt secrets', (folder) => {
    const forbidden = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'kms:Decrypt', 'scheduler:CreateSchedule'];

    expect(actions(folder).filter((action) => forbidden.includes(action))).toEqual([]);
  });

  it('only the functions that create secrets may encrypt, and only those that sign may decrypt', () => {
    const using = functionFolders.map((folder) => [folder, actions(folder).filter(isKeyAction)] as const);

    expect(Object.fromEntries(using.filter(([, uses]) => uses.length > 0))).toEqual({
      'api/register-webhook': ['kms:Encrypt'],
      'api/rotate-secret': ['kms:Encrypt'],
      'queue/deliver': ['kms:Decrypt'],
      'queue/deliver-slow': ['kms:Decrypt'],
    });
  });

  it.each(['queue/deliver', 'queue/deliver-slow', 'api/register-webhook', 'api/rotate-secret'])(
    '%s may use the key only with an encryption context',
    (folder) => {
      const using = statements(folder).filter(({ Action }) => Action.some(isKeyAction));

      expect(using).toHaveLength(1);
      expect(using[0]?.Condition).toEqual({ Null: { 'kms:EncryptionContextKeys': 'false' } });
    },
  );

  const lists = apiFolders.filter((folder) => folder.startsWith('api/list-'));

  it.each(lists)('%s may write only the secret of the cursors', (folder) => {
    const writing = statements(folder).filter(({ Action }) => Action.includes('dynamodb:PutItem'));

    expect(writing).toHaveLength(1);
    expect(writing[0]?.Condition).toEqual({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [partitions.cursorSecret] },
    });
  });

  it.each(['queue/deliver', 'queue/deliver-slow'])(
    '%s may schedule retries in its own group, through one role',
    (folder) => {
      const [scheduling] = statements(folder).filter(has('scheduler:CreateSchedule'));
      const [passing] = statements(folder).filter(has('iam:PassRole'));

      expect(JSON.stringify(scheduling?.Resource)).toMatch(/:schedule\/[\w-]*Retries[\w-]*\/\*"/);
      expect(passing?.Condition).toEqual({
        StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' },
      });
      expect(JSON.stringify(passing?.Resource)).toContain('SchedulerRole');
    },
  );

  it.each(['api/list-runs', 'api/list-creator-videos'])(
    '%s may read the index of listed results and no other',
    (folder) => {
      const reading = statements(folder).filter(has('dynamodb:Query'));

      expect(JSON.stringify(reading)).toContain('/index/listed');
      expect(JSON.stringify(reading)).not.toContain('/index/waiting');
    },
  );

  it('the sweep may read the index of waiting deliveries and no item of the table', () => {
    const [reading] = statements('schedule/sweep').filter(has('dynamodb:Query'));

    expect(JSON.stringify(reading?.Resource)).toContain('/index/waiting');
    expect(actions('schedule/sweep')).not.toContain('dynamodb:GetItem');
  });
});

describe('the templates', () => {
  it('the templates hold no secret and no account id', () => {
    const text = stage.files.join('\n');

    expect(text).not.toMatch(/whsec_|key_[\w-]{43}|AKIA|BEGIN [A-Z ]*PRIVATE KEY/);
    expect(text).not.toMatch(/\b\d{12}\b/);
  });
});

function deployed(folder: string) {
  const found = functionsByFolder(templateOf(stage, folder)).get(folder);
  if (found === undefined) throw new Error(`${folder} is not deployed`);
  return found;
}

function statements(folder: string): readonly Statement[] {
  return statementsOf(templateOf(stage, folder), folder);
}

function actions(folder: string): readonly string[] {
  return statements(folder).flatMap(({ Action }) => Action);
}

function isKeyAction(action: string): boolean {
  return action.startsWith('kms:');
}

function has(action: string) {
  return (statement: Statement) => statement.Action.includes(action);
}
