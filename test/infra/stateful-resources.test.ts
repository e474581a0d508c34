import { describe, expect, it } from 'vitest';
import { stackName, stackParts } from '#shared/contract/deployment.ts';
import { importsIn, type OutputRead, outputsReadIn } from './outputs-read.ts';
import deliberateChanges from './releases/deliberate-changes.json' with { type: 'json' };
import { type Release, releases } from './releases.ts';
import { faultsBetween, losses, statefulResources, statelessTypes, typesIn } from './stateful-resources.ts';
import { everyOption, synthesizeStage } from './synthesized-stage.ts';

const stage = await synthesizeStage(everyOption);
const defaults = await synthesizeStage();
const today = statefulResources(stage);

/** Outputs that a stack of this version reads from another one in that way, with or without a domain. */
function usedBetweenStacks(readIn: (template: unknown) => readonly OutputRead[]) {
  // As if both were settings of one stage.
  const files = [...stage.files, ...defaults.files].map((text) => text.replaceAll('webhooks-dev-', 'webhooks-prod-'));
  const reads = files.flatMap((text) => readIn(JSON.parse(text)));
  return stackParts.flatMap((part) => {
    const own = reads.filter(({ stack }) => stack === stackName('prod', part)).map(({ output }) => output);
    return [...new Set(own)].toSorted().map((output) => ({ stack: part, output }));
  });
}

const templates = { data: stage.data, api: stage.api, delivery: stage.delivery };

/** What this version imports, with the values that later releases must export unchanged. */
function exportsUsed(): Release['exports'] {
  return usedBetweenStacks(importsIn).map(({ stack, output }) => {
    const { Value } = templates[stack].findOutputs(output)[output] ?? {};
    return { stack, output, value: Value };
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
    const used = { exports: exportsUsed(), reads: usedBetweenStacks(outputsReadIn) };
    const recorded = `${JSON.stringify({ version: 'unreleased', ...used, resources: today }, null, 2)}\n`;

    await expect(
      recorded,
      'A stateful resource is new, changed or gone since the list was written. Read what the other tests of this file ' +
        'say about it; then record the new list: npm run record',
    ).toMatchFileSnapshot('./releases/unreleased.json');
  });

  it('a stage that changes its capacity mode keeps its table and everything else in its data stack', async () => {
    // The group of the schedules is named after its stage.
    const factsOf = ({ data = {} }: Release['resources']) =>
      Object.entries(data).map(([id, { Name: _, ...facts }]) => [id, facts] as const);
    const withoutBus = factsOf(today).filter(([id]) => !/^(IntakeBus|Backup)/.test(id));

    expect(withoutBus).toEqual(factsOf(statefulResources(defaults)));
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

describe('faultsBetween()', () => {
  const table = { type: 'AWS::DynamoDB::GlobalTable', key: 'pk S HASH' };
  const key = { type: 'AWS::KMS::Key' };
  const released = { version: '0.2.0', resources: { data: { Table1: table, Key1: key } } };

  it('names what has another logical id, key or property that replaces it, and what would be lost', () => {
    const other = { Table2: table, Key1: { ...key, MultiRegion: 'true' } };
    const changed = { Table1: { ...table, key: 'id S HASH' }, Key1: key };

    expect(faultsBetween(released, { data: other })).toEqual([
      expect.stringMatching(/^Table1 .* of stack data in 0\.2\.0 has another logical id or is gone\..* data loss\./),
      expect.stringContaining('has another MultiRegion than in 0.2.0: true instead of none.'),
    ]);
    expect(faultsBetween(released, { data: changed })).toEqual([
      expect.stringContaining('has another key than in 0.2.0: id S HASH instead of pk S HASH.'),
    ]);
  });

  it('a new stateful resource is no fault', () => {
    const data = { Table1: table, Key1: key, Queue1: { type: 'AWS::SQS::Queue' } };

    expect(faultsBetween(released, { data })).toEqual([]);
  });
});
