import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { stackParts as parts, type StackPart, stackName } from '#shared/contract/deployment.ts';
import { type OutputRead, outputsReadIn } from './outputs-read.ts';
import { releases } from './releases.ts';
import { everyOption, lean, ownZone, synthesizeStage } from './synthesized-stage.ts';

/**
 * CloudFormation updates the stacks one after the other. It refuses to remove an export while another stack imports it,
 * so each stack must fit the previous version of the others, with any settings.
 */
const settings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  defaults: {},
  'every option': everyOption,
  'own addresses, without a dashboard and a log role': lean,
  'retained data, and a domain without a zone': ownZone,
};
const names = Object.keys(settings);
const pairs = names.flatMap((before) => names.map((after) => ({ before, after })));

type Interface = {
  readonly text: string;
  readonly outputs: Readonly<Record<string, { readonly Value: unknown; readonly Export?: unknown }>>;
  readonly reads: readonly OutputRead[];
  readonly dependsOn: readonly string[];
};

const templateSchema = z.looseObject({
  Outputs: z.record(z.string(), z.looseObject({ Value: z.unknown() })).default({}),
});

/** By settings and name of the stack. */
const interfaces = new Map<string, ReadonlyMap<string, Interface>>();

beforeAll(async () => {
  for (const [name, context] of Object.entries(settings)) {
    const { assembly, files } = await synthesizeStage(context);
    // As if all were settings of one stage.
    const named = (text: string) => text.replaceAll('webhooks-prod-', 'webhooks-dev-');
    const found = parts.map((part, index) => {
      const text = named(files[index] ?? '');
      const template = templateSchema.parse(JSON.parse(text));
      const [stack] = assembly.stacks.filter((each) => named(each.stackName) === stackName('dev', part));
      const own = {
        text,
        outputs: template.Outputs,
        reads: outputsReadIn(template),
        dependsOn: stack?.dependencies.map(({ id }) => named(id)) ?? [],
      };
      return [stackName('dev', part), own] as const;
    });
    interfaces.set(name, new Map(found));
  }
});

describe('a stage that was deployed with other settings', () => {
  it.each(names)(
    'the stacks with %s import nothing, so that a later version may stop using any resource',
    (setting) => {
      for (const part of parts) expect(stackOf(setting, part).text).not.toContain('Fn::ImportValue');
    },
  );

  it('an update to any settings can be rolled back: every output that was read still exists', () => {
    const missing = pairs.flatMap(({ before, after }) => {
      const reads = parts.flatMap((part) => stackOf(before, part).reads);
      expect(reads.length).toBeGreaterThan(0);
      return reads
        .filter(({ stack, output }) => !(output in (interfaces.get(after)?.get(stack)?.outputs ?? {})))
        .map(({ output }) => `${output}, from ${before} to ${after}`);
    });

    expect(missing).toEqual([]);
  });
});

describe.each(names)('with %s, the stacks', (setting) => {
  it.each(releases)(
    'the stacks still export, unchanged, everything that stacks of $version import, with any settings',
    ({ exports }) => {
      for (const { stack, output, value } of exports) {
        const part = z.enum(parts).parse(stack);
        expect(stackOf(setting, part).outputs[output]).toMatchObject({
          Value: value,
          Export: { Name: `${stackName('dev', part)}:${output}` },
        });
      }
    },
  );

  it.each(releases)(
    'an update from $version, with any settings, can be rolled back: every output that its stacks read exists',
    ({ reads }) => {
      const missing = reads.filter(
        ({ stack, output }) => !(output in stackOf(setting, z.enum(parts).parse(stack)).outputs),
      );

      expect(missing).toEqual([]);
    },
  );

  it('the stacks are deployed in an order in which every output exists before it is read', () => {
    const [data, api] = parts.map((part) => stackName('dev', part));
    for (const part of parts) {
      const { reads, dependsOn } = stackOf(setting, part);
      expect(dependsOn).toEqual(expect.arrayContaining(reads.map(({ stack }) => stack)));
    }
    expect(stackOf(setting, 'api').dependsOn).toContain(data);
    expect(stackOf(setting, 'delivery').dependsOn).toEqual(expect.arrayContaining([data, api]));
  });
});

function stackOf(setting: string, part: StackPart): Interface {
  const found = interfaces.get(setting)?.get(stackName('dev', part));
  if (found === undefined) throw new Error(`No ${part} stack found with ${setting}`);
  return found;
}
