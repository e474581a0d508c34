import { beforeAll, describe, expect, it } from 'vitest';
import { stackName, stackParts } from '#shared/contract/deployment.ts';
import { outputsReadIn } from './outputs-read.ts';
import deliberateChanges from './releases/deliberate-changes.json' with { type: 'json' };
import { releases } from './releases.ts';
import {
  faultsBetween,
  losses,
  type StatefulResources,
  statefulResources,
  statelessTypes,
  typesIn,
} from './stateful-resources.ts';
import { everyOption, type SynthesizedStage, synthesizeStage } from './synthesized-stage.ts';

let stage: SynthesizedStage;
let defaults: SynthesizedStage;
let today: StatefulResources;

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
        'say about it; then record the new list: vitest run --project infra test/infra/stateful-resources.test.ts -u',
    ).toMatchFileSnapshot('./releases/unreleased.json');
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
  const released = {
    version: '0.2.0',
    resources: { data: { TableCD117FA1: { type: 'AWS::DynamoDB::GlobalTable', key: 'pk S HASH' } } },
  };

  it('another logical id of the table is refused as data loss, with how to record a deliberate change', () => {
    const renamed = { data: { Table2: { type: 'AWS::DynamoDB::GlobalTable', key: 'pk S HASH' } } };

    expect(faultsBetween(released, renamed)).toEqual([
      'TableCD117FA1 (AWS::DynamoDB::GlobalTable) of stack data in 0.2.0 has another logical id or is gone. ' +
        'CloudFormation would delete it, and every customer, endpoint, delivery and result is gone: data loss. ' +
        'If that is intended, name it in test/infra/releases/deliberate-changes.json, with what operators must do, ' +
        'and in CHANGELOG.md',
    ]);
  });

  it('another key of the table is refused with both keys', () => {
    const rekeyed = { data: { TableCD117FA1: { type: 'AWS::DynamoDB::GlobalTable', key: 'id S HASH' } } };

    expect(faultsBetween(released, rekeyed)).toEqual([
      expect.stringContaining(
        'has another key than in 0.2.0: id S HASH instead of pk S HASH. CloudFormation would',
      ),
    ]);
  });

  it('a property that replaces its resource is refused also when no release has set it', () => {
    const key = { type: 'AWS::KMS::Key' };
    const singleRegion = { version: '0.2.0', resources: { data: { Key1: key } } };

    expect(faultsBetween(singleRegion, { data: { Key1: key } })).toEqual([]);
    expect(faultsBetween(singleRegion, { data: { Key1: { ...key, MultiRegion: 'true' } } })).toEqual([
      expect.stringContaining(
        'has another MultiRegion than in 0.2.0: true instead of none. CloudFormation would',
      ),
    ]);
  });

  it('a new stateful resource is no fault', () => {
    const more = { data: { ...released.resources.data, Queue1: { type: 'AWS::SQS::Queue' } } };

    expect(faultsBetween(released, more)).toEqual([]);
  });
});
