import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import cdkJson from '../../cdk.json' with { type: 'json' };
import { repositoryRoot } from '../../lib/build/bundle.ts';
import { ConfigError, configOf } from '../../lib/settings/config.ts';
import { readSettings } from '../../lib/settings/stage-settings.ts';
import { temporaryFolder } from '../support/vitest/temporary-folder.ts';

const ownContext = cdkJson.context;
let folder: string;

beforeEach(async () => {
  folder = await temporaryFolder();
});

const config = (given: Readonly<Record<string, unknown>>, shared: Readonly<Record<string, unknown>> = {}) =>
  configOf(
    readSettings({
      context: { ...ownContext, ...shared, ...given },
      shared: { ...ownContext, ...shared },
      folder,
    }),
  );

const write = (stage: string, content: unknown) =>
  writeFile(join(folder, `${stage}.json`), typeof content === 'string' ? content : JSON.stringify(content));

describe('a key that is not a setting', () => {
  it.each([
    ['stagee', 'did you mean stage?'],
    ['throwaway', 'did you mean throwAway?'],
    ['alarm-email', 'did you mean alarmEmail?'],
  ])('the unknown key %s is refused: %s', (key, proposal) => {
    const attempt = () => config({ [key]: 'prod' });

    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(`${key} is not a setting; ${proposal}`);
  });

  it('unknown keys are refused, each by its name, with all settings when none is similar', () => {
    expect(() => config({ stagee: 'prod', colour: 'red' })).toThrow(
      /stagee is not a setting; did you mean stage\?; colour is not a setting; settings are stage, serviceName, .*tokenJwksUrl/,
    );
  });

  it.each([
    '@aws-cdk/core:someNewFlag',
    'aws:cdk:enable-path-metadata',
    'aws-cdk:enableDiffNoFail',
    'cli-telemetry',
    'cdk-telemetry',
    'acknowledged-issue-numbers',
    'availability-zones:account=123456789012:region=eu-central-1',
    'hosted-zone:account=123456789012:domainName=example.com:region=eu-central-1',
    'vpc-provider:account=123456789012:filter.isDefault=true:region=eu-central-1:returnAsymmetricSubnets=true',
  ])('a key of the CDK is accepted: %s', (key) => {
    expect(config({ [key]: true }).stage).toBe('dev');
  });
});

describe('the file of a stage', () => {
  const certificateArn = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b2c3d';

  it.each([
    ['is read', {}, { alarmEmail: 'ops@example.com', logRetentionDays: 90, retainData: false }],
    [
      'gives way to the command line',
      { logRetentionDays: '7' },
      { alarmEmail: 'ops@example.com', logRetentionDays: 7 },
    ],
    [
      'gives way for one half of a domain',
      { domainName: 'new.example.com' },
      { domain: { name: 'new.example.com', certificateArn } },
    ],
  ])('the file of a stage %s, setting by setting', async (_case, given, expected) => {
    const domain = { domainName: 'old.example.com', certificateArn };
    await write('prod', {
      alarmEmail: 'ops@example.com',
      logRetentionDays: 90,
      retainData: false,
      ...domain,
    });

    expect(config({ stage: 'prod', ...given })).toMatchObject({ stage: 'prod', ...expected });
  });

  it('the command line overrides the file of a stage also under the other name of a setting', async () => {
    await write('prod', { throwAway: true });

    expect(config({ stage: 'prod' }).retainData).toBe(false);
    expect(config({ stage: 'prod', retainData: 'true' }).retainData).toBe(true);
    expect(config({ stage: 'prod', throwAway: 'false' }).retainData).toBe(true);
  });

  it('the file of a stage is refused when a setting is given under both of its names', async () => {
    await write('prod', { throwAway: true, retainData: false });
    expect(() => config({ stage: 'prod' })).toThrow('set retainData only');

    await write('prod', { retainData: true });
    expect(() => config({ stage: 'prod' }, { throwAway: true })).toThrow(
      'throwAway in cdk.json and retainData in stages/prod.json are one setting; keep one of them',
    );
  });

  it('stages/example.json is accepted, and docs/operating/deploy.md shows it', async () => {
    const page = await readFile(join(repositoryRoot, 'docs/operating/deploy.md'), 'utf8');
    const [, shown = ''] = /^ *```json\n(.*?)^ *```$/ms.exec(page) ?? [];
    const example = await readFile(join(repositoryRoot, 'stages/example.json'), 'utf8');
    await write('prod', example);

    expect(JSON.parse(shown)).toEqual(JSON.parse(example));
    expect(config({ stage: 'prod' })).toMatchObject({
      alarmEmail: 'ops@example.com',
      logRetentionDays: 90,
      retainData: true,
    });
  });

  it('the file of the default stage is read too, a file is optional, and that of another stage is not read', async () => {
    await write('dev', { serviceName: 'Acme' });

    expect(config({}).serviceName).toBe('Acme');
    expect(config({ stage: 'preview' }).serviceName).toBe('Service');
  });

  it('a setting in both cdk.json and the file of a stage is refused', async () => {
    await write('prod', { alarmEmail: 'prod@example.com' });

    expect(() => config({ stage: 'prod' }, { alarmEmail: 'all@example.com' })).toThrow(
      'alarmEmail is in cdk.json and in stages/prod.json; keep it in one of them',
    );
    expect(config({ stage: 'test' }, { alarmEmail: 'all@example.com' }).alarmEmail).toBe('all@example.com');
  });

  it.each<[string, unknown, string]>([
    [
      'a mistyped key',
      { alarmMail: 'ops@example.com' },
      'alarmMail in stages/prod.json is not a setting; did you mean alarmEmail?',
    ],
    ['a key of the CDK', { '@aws-cdk/core:x': true }, '@aws-cdk/core:x in stages/prod.json is not a setting'],
    ['the stage', { stage: 'prod' }, 'stage in stages/prod.json is not needed: the file name already names the stage'],
    ['a wrong value', { logRetentionDays: 8 }, 'logRetentionDays in stages/prod.json is 8, expected one of 1, 3'],
    ['a list', [], 'stages/prod.json is not a JSON object'],
    ['a broken text', '{"alarmEmail":', 'stages/prod.json is not JSON'],
  ])('the file of a stage is refused with %s', async (_, content, message) => {
    await write('prod', content);

    const attempt = () => config({ stage: 'prod' });

    expect(attempt).toThrow(ConfigError);
    expect(attempt).toThrow(message);
  });

  it.each(['../prod', 'Prod', 'a/b'])('no file is read when the name of the stage is not valid: %j', (stage) => {
    expect(() => config({ stage })).toThrow(`stage is ${JSON.stringify(stage)}, expected a lower-case letter`);
  });
});
