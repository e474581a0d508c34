import { beforeAll, describe, expect, it } from 'vitest';
import { stackName, stackParts } from '#shared/contract/deployment.ts';
import { outputsReadIn } from './outputs-read.ts';
import deliberateChanges from './releases/deliberate-changes.json' with { type: 'json' };
import { type Release, releases } from './releases.ts';
import { faultsBetween, losses, statefulResources, statelessTypes, typesIn } from './stateful-resources.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

let stage: SynthesizedStage;
let defaults: SynthesizedStage;
let today: Release['resources'];

beforeAll(async () => {
  stage = await synthesizeStage(everyOption);
  defaults = await synthesizeStage({ stage: 'prod' });
  today = statefulResources(stage);
});

/** Outputs that a stack of this version reads from another one, with or without a domain. */
function outputsRead() {
  const reads = [...stage.files, ...defaults.files].flatMap((text) => outputsReadIn(JSON.parse(text)));
  return stackParts.flatMap((part) => {
    const own = reads.filter(({ stack }) => stack === stackName('prod', part)).map(({ output }) => output);
    return [...new Set(own)].toSorted().map((output) => ({ stack: part, output }));
  });
}

/** A release without the resources whose loss is recorded. */
function withoutDeliberateChanges(release: (typeof releases)[number]) {
  const resources = Object.entries(release.resources).map(([stack, byId]) => {
    const left = Object.entries(byId).filter(
      ([id]) => !deliberateChanges.some((change) => change.stack === stack && change.id === id),
    );
    return [stack, Object.fromEntries(left)] as const;
  });
  return { ...release, resources: Object.fromEntries(resources) };
}

describe('a stage that is updated from a release', () => {
  it.each(releases)(
    'a stage of $version keeps every stateful resource: logical ids, keys, indexes, expiry, encryption and names',
    (release) => {
      expect(faultsBetween(withoutDeliberateChanges(release), today)).toEqual([]);
    },
  );

  it('the stateful resources of this version are those in test/infra/releases/unreleased.json', async () => {
    const recorded = `${JSON.stringify({ version: 'unreleased', exports: [], reads: outputsRead(), resources: today }, null, 2)}\n`;

    await expect(
      recorded,
      'A stateful resource is new, changed or gone since the list was written. Read what the other tests of this file ' +
        'say about it; then record the new list: npm run record',
    ).toMatchFileSnapshot('./releases/unreleased.json');
  });

  it('a stage that changes its capacity mode keeps its table and everything else in its data stack', async () => {
    const withoutBus = Object.entries(today.data ?? {}).filter(([id]) => !id.startsWith('IntakeBus'));

    expect(Object.fromEntries(withoutBus)).toEqual(statefulResources(defaults).data);
  });

  it('every recorded loss is one: the resource was released, and today it is gone or changed', () => {
    for (const { stack, id, of } of deliberateChanges) {
      const release = releases.find(({ version }) => version === of);
      const facts = release?.resources[stack]?.[id];
      expect(facts, `${id} in ${of}`).toBeDefined();
      expect(today[stack]?.[id], id).not.toEqual(facts);
    }
  });

  it('every type of resource is known as stateful or stateless', () => {
    const unknown = typesIn(stage).filter((type) => !(type in losses) && !statelessTypes.includes(type));

    expect(
      unknown,
      'Say in test/infra/stateful-resources.ts what an operator loses when such a resource is replaced, or that it is nothing',
    ).toEqual([]);
  });
});

describe('what the person who made the change reads', () => {
  const table = { type: 'AWS::DynamoDB::GlobalTable', key: 'pk S HASH' };
  const key = { type: 'AWS::KMS::Key' };
  const released = { version: '0.2.0', resources: { data: { Table1: table, Key1: key } } };

  it.each([
    [
      'another logical id',
      { Table2: table, Key1: key },
      'Table1 (AWS::DynamoDB::GlobalTable) of stack data in 0.2.0 has another logical id or is gone. CloudFormation ' +
        'would delete it, and every customer, endpoint, delivery and result is gone: data loss. If that is intended, name it',
    ],
    [
      'another key',
      { Table1: { ...table, key: 'id S HASH' }, Key1: key },
      'Table1 (AWS::DynamoDB::GlobalTable) of stack data has another key than in 0.2.0: id S HASH instead of pk S HASH.',
    ],
    [
      'a property that no release has set, and that replaces the resource',
      { Table1: table, Key1: { ...key, MultiRegion: 'true' } },
      'Key1 (AWS::KMS::Key) of stack data has another MultiRegion than in 0.2.0: true instead of none.',
    ],
  ])('%s is refused, with what would be lost', (_case, data, expected) => {
    expect(faultsBetween(released, { data })).toEqual([expect.stringContaining(expected)]);
  });

  it('a new stateful resource is no fault', () => {
    const data = { Table1: table, Key1: key, Queue1: { type: 'AWS::SQS::Queue' } };

    expect(faultsBetween(released, { data })).toEqual([]);
  });
});
