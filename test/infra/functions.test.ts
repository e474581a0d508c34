import { Match } from 'aws-cdk-lib/assertions';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { environmentNames } from '#shared/contract/environment.ts';
import { functionFolders, operationFolder } from '#shared/contract/functions.ts';
import { operationNames, routes } from '#shared/contract/routes.ts';
import { requiredSettings } from '../../lib/function-environment.ts';
import { functions } from '../../lib/functions.ts';
import {
  everyOption,
  functionsByFolder,
  type Statement,
  type SynthesizedStage,
  statementsOf,
  synthesizeStage,
  templateOf,
} from './synthesized-stage.ts';

let stage: SynthesizedStage;
let withEveryOption: SynthesizedStage;

beforeAll(async () => {
  stage = await synthesizeStage();
  withEveryOption = await synthesizeStage(everyOption);
});

const eventSource = z.object({ FunctionName: z.object({ Ref: z.string() }), EventSourceArn: z.unknown() });
const deployedIn = ({ api, delivery }: SynthesizedStage) =>
  new Map([...functionsByFolder(api), ...functionsByFolder(delivery)]);

describe('the functions', () => {
  it('one function is deployed for each folder', () => {
    expect([...deployedIn(stage).keys()].toSorted()).toEqual([...functionFolders].toSorted());
  });

  it.each(functionFolders)(
    '%s runs its bundle on the newest runtime, with a log group that expires',
    (folder) => {
      const template = templateOf(stage, folder);

      template.hasResource('AWS::Lambda::Function', {
        Properties: {
          Description: `dev: ${folder}`,
          Runtime: 'nodejs24.x',
          Architectures: ['arm64'],
          Handler: 'index.handler',
          MemorySize: functions[folder].memory,
          Timeout: functions[folder].timeout,
          LoggingConfig: {
            LogFormat: 'JSON',
            LogGroup: { Ref: Match.anyValue() },
            SystemLogLevel: functions[folder].systemLog === 'failures' ? 'WARN' : 'INFO',
          },
        },
        Metadata: { 'aws:asset:path': Match.stringLikeRegexp('^asset\\.'), 'aws:asset:property': 'Code' },
      });
      template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
    },
  );

  it('functions of the API time out before API Gateway stops waiting', () => {
    const timeouts = [...functionsByFolder(stage.api).values()].map(({ Timeout }) => Timeout);

    expect(Math.max(...timeouts)).toBeLessThan(29);
  });
});

describe('the environment', () => {
  it.each(functionFolders)('%s receives the environment variables that it reads and no other', (folder) => {
    const expected = requiredSettings(folder).map((key) => environmentNames[key]);

    expect(Object.keys(variablesOf(stage, folder)).toSorted()).toEqual(expected.toSorted());
  });

  /** used-permissions.test.ts compares these with what the code reads. */
  const reading = (key: keyof typeof environmentNames) =>
    functionFolders.filter((folder) => {
      const { environment, optionalEnvironment = [] } = functions[folder];
      return [...environment, ...optionalEnvironment].includes(key);
    });
  const authenticating = operationNames
    .filter((name) => routes[name].access === 'customer')
    .map(operationFolder);
  it.each([
    ['STANDARD_WEBHOOKS', reading('standardWebhooks'), 'false'],
    ['RETENTION_DAYS', reading('retentionDays'), '30'],
    ['CONSOLE_FRAME_ANCESTORS', ['api/get-docs'], 'https://portal.example.com https://app.example.com:8443'],
    ['TOKEN_ISSUER', authenticating, everyOption.tokenIssuer],
    ['TOKEN_AUDIENCE', authenticating, everyOption.tokenAudience],
    ['TOKEN_JWKS_URL', authenticating, `${everyOption.tokenIssuer}/.well-known/jwks.json`],
  ])('the setting behind %s reaches the functions that need it, and no other', (name, folders, value) => {
    const given = functionFolders
      .filter((folder) => name in variablesOf(withEveryOption, folder))
      .map((folder) => [folder, variablesOf(withEveryOption, folder)[name]]);

    expect(Object.fromEntries(given)).toEqual(Object.fromEntries(folders.map((folder) => [folder, value])));
  });

  it('a stage with default settings also sends the headers of Standard Webhooks', () => {
    expect(variablesOf(stage, 'queue/deliver').STANDARD_WEBHOOKS).toBe('true');
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
      .filter(({ Action }) => Action.includes('sqs:SendMessage'))
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
    const allowed = [...deployedIn(stage)].filter(([, { RecursiveLoop }]) => RecursiveLoop === 'Allow');
    const looping = functionFolders.filter((folder) => invokedBy(folder).has(folder));

    expect(looping).toEqual(['queue/replay']);
    expect(allowed.map(([folder]) => folder)).toEqual(looping);
    expect([...invokedBy('queue/intake')].toSorted()).toEqual(['queue/deliver', 'queue/deliver-slow']);
  });
});

describe('the templates', () => {
  it('the templates contain no managed policy, no secret and no account id', () => {
    const text = stage.files.join('\n');

    expect(text).not.toMatch(/ManagedPolicyArns|whsec_|key_[\w-]{43}|AKIA|BEGIN [A-Z ]*PRIVATE KEY/);
    expect(text).not.toMatch(/\b\d{12}\b/);
  });
});

function variablesOf(of: SynthesizedStage, folder: string): Readonly<Record<string, unknown>> {
  return deployedIn(of).get(folder)?.Environment?.Variables ?? {};
}

function statements(folder: string): readonly Statement[] {
  return statementsOf(templateOf(stage, folder), folder);
}
