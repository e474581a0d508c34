import { describe, expect, it } from 'vitest';
import { environmentNames } from '#shared/contract/environment.ts';
import { bundledFolders, functionFolders, operationFolder } from '#shared/contract/functions.ts';
import { isPublic, operationNames } from '#shared/contract/routes.ts';
import { requiredSettings } from '../../lib/functions/function-environment.ts';
import { functions } from '../../lib/functions/functions.ts';
import { permissionsOf } from './permissions.ts';
import { ShortNames } from './short-names.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

const stage = await synthesizeStage();
const withEveryOption = await synthesizeStage(everyOption);

describe('the functions', () => {
  it('each folder is deployed as one function, with its memory, its time limit and its log', () => {
    const resources = [stage.api, stage.delivery].flatMap((template) =>
      Object.values(template.findResources('AWS::Lambda::Function')),
    );

    const expected = functionFolders.map((folder) => ({
      Description: `dev: ${folder}`,
      Architectures: ['arm64'],
      Runtime: 'nodejs24.x',
      MemorySize: functions[folder].memory,
      Timeout: functions[folder].timeout,
      LoggingConfig: {
        LogFormat: 'JSON',
        LogGroup: expect.anything(),
        SystemLogLevel: functions[folder].systemLog === 'failures' ? 'WARN' : 'INFO',
      },
    }));
    expect(resources).toHaveLength(expected.length);
    expect(resources.map(({ Properties }) => Properties)).toEqual(
      expect.arrayContaining(expected.map((each) => expect.objectContaining(each))),
    );
  });

  it.each([
    ['by default', stage, 30],
    ['by the setting', withEveryOption, 90],
  ])('the logs of all functions and of the API expire %s', (_, { api, delivery }, days) => {
    for (const template of [api, delivery])
      template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: days });
  });

  it('each function runs the handler of its own bundle', () => {
    const own = bundledFolders.map((folder) => [folder, folder]);

    expect(Object.fromEntries(withEveryOption.answers)).toEqual(Object.fromEntries(own));
  });

  it('Lambda, which is another user, may read the files of a function, whatever the umask of the build was', () => {
    expect(withEveryOption.modes).toEqual(new Set(['644']));
  });

  it('profile economy gives the functions of the API less memory, and deliveryMemory the delivery more', () => {
    const memory = [...withEveryOption.functions].map(([folder, { memoryMegabytes }]) => [folder, memoryMegabytes]);

    const ofApi = memory.filter(([folder]) => `${folder}`.startsWith('api/'));
    expect(new Set(ofApi.map(([, megabytes]) => megabytes))).toEqual(new Set([256]));
    expect(Object.fromEntries(memory)).toMatchObject({
      'queue/intake': 1_024,
      'queue/deliver': 512,
      'queue/deliver-slow': 256,
    });
  });

  it('functions of the API time out before API Gateway stops waiting', () => {
    const ofApi = [...stage.functions].filter(([folder]) => folder.startsWith('api/'));

    expect(Math.max(...ofApi.map(([, { timeoutSeconds }]) => timeoutSeconds))).toBeLessThan(29);
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
  const authenticating = operationNames.filter((name) => !isPublic(name)).map(operationFolder);
  it.each([
    ['STANDARD_WEBHOOKS', reading('standardWebhooks'), 'false'],
    ['SOURCE_ADDRESSES', ['api/get-addresses'], expect.stringMatching(/^[^,]+Address1,[^,]+Address2$/)],
    ['CONSOLE_URL', reading('consoleUrl'), `https://${everyOption.domainName}/console`],
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

it('Lambda lets a chain of messages invoke a function again and again only where one does: the bulk replays', () => {
  const permissions = permissionsOf(new ShortNames(stage)).filter(({ kind }) => kind === 'may');
  const queuesOf = (folder: string, action: string) =>
    permissions
      .filter(({ holder, actions }) => holder === folder && actions.includes(action))
      .flatMap(({ resources }) => resources);
  /** Every function that a function can invoke by messages, directly or through others. */
  const invokedBy = (folder: string, found = new Set<string>()): ReadonlySet<string> => {
    const sent = new Set(queuesOf(folder, 'sqs:SendMessage'));
    for (const next of functionFolders) {
      if (found.has(next) || !queuesOf(next, 'sqs:ReceiveMessage').some((queue) => sent.has(queue))) continue;
      found.add(next);
      invokedBy(next, found);
    }
    return found;
  };

  const looping = functionFolders.filter((folder) => invokedBy(folder).has(folder));

  expect(looping).toEqual(['queue/replay']);
  expect(functionFolders.filter((folder) => stage.functions.get(folder)?.allowsLoops)).toEqual(looping);
  expect([...invokedBy('queue/intake')].toSorted()).toEqual(['queue/deliver', 'queue/deliver-slow']);
});

it('the templates contain no managed policy, no secret and no account id', () => {
  const text = stage.files.join('\n');

  expect(text).not.toMatch(/ManagedPolicyArns|whsec_|key_[\w-]{43}|AKIA|BEGIN [A-Z ]*PRIVATE KEY/);
  expect(text).not.toMatch(/\b\d{12}\b/);
});

function variablesOf(of: SynthesizedStage, folder: string): Readonly<Record<string, string>> {
  return of.functions.get(folder)?.environment ?? {};
}
