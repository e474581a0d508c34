import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { stackParts as parts, stackName } from '#shared/contract/deployment.ts';
import { importsIn, outputsReadIn } from './outputs-read.ts';
import { releases } from './releases.ts';
import { replacingProperties } from './replacing-properties.ts';
import { resourcesIn } from './short-names.ts';
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

const outputSchema = z.looseObject({
  Value: z.unknown(),
  Export: z.object({ Name: z.string() }).optional(),
});
const templateSchema = z.looseObject({ Outputs: z.record(z.string(), outputSchema).default({}) });

/** A stack by what others see of it. */
type Stack = {
  readonly outputs: z.infer<typeof templateSchema>['Outputs'];
  /** Outputs of other stacks, as `webhooks-dev-data.TableName`. */
  readonly reads: readonly string[];
  readonly imports: readonly string[];
  readonly stacksRead: readonly string[];
  readonly dependsOn: readonly string[];
  /** Properties that replace their resource and read another stack weakly. */
  readonly weaklyReplaced: readonly string[];
};

/** By settings and name of the stack. */
const interfaces = new Map<string, ReadonlyMap<string, Stack>>();

beforeAll(async () => {
  for (const [name, context] of Object.entries(settings)) {
    const { assembly, files } = await synthesizeStage(context);
    // As if all were settings of one stage.
    const named = (text: string) => text.replaceAll('webhooks-prod-', 'webhooks-dev-');
    const stacks = parts.map((part, index) => {
      const text = named(files[index] ?? '');
      const reads = outputsReadIn(JSON.parse(text));
      const imports = importsIn(JSON.parse(text));
      const deployed = assembly.stacks.find((each) => named(each.stackName) === stackName('dev', part));
      const own = {
        outputs: templateSchema.parse(JSON.parse(text)).Outputs,
        reads: reads.map(({ stack, output }) => `${stack}.${output}`),
        imports: imports.map(({ stack, output }) => `${stack}.${output}`),
        stacksRead: [...reads, ...imports].map(({ stack }) => stack),
        dependsOn: deployed?.dependencies.map(({ id }) => named(id)) ?? [],
        weaklyReplaced: weaklyReplacedIn(text),
      };
      return [stackName('dev', part), own] as const;
    });
    interfaces.set(name, new Map(stacks));
  }
});

const replacing = replacingProperties();

function weaklyReplacedIn(text: string): readonly string[] {
  return resourcesIn(text).flatMap(({ id, type, properties }) => {
    const fixed = replacing.get(type);
    if (fixed === undefined) return [`${type} is not in the specification`];
    return fixed.filter((name) => outputsReadIn(properties[name]).length > 0).map((name) => `${id}.${name}`);
  });
}

const stacksOf = (setting: string) => [...(interfaces.get(setting) ?? [])];

describe.each(names)('with %s, the stacks', (setting) => {
  /** CloudFormation knows the output only while it updates the stack, so it may plan to replace the resource. */
  it('no property whose change replaces its resource reads an output of another stack weakly', () => {
    expect(stacksOf(setting).flatMap(([, { weaklyReplaced }]) => weaklyReplaced)).toEqual([]);
  });

  it('every import has its export, with any settings: none can be removed while another stack imports it', () => {
    const exported = stacksOf(setting).flatMap(([stack, { outputs }]) =>
      Object.entries(outputs).flatMap(([output, { Export }]) =>
        Export?.Name === `${stack}:${output}` ? [`${stack}.${output}`] : [],
      ),
    );
    const imported = names.flatMap((other) => stacksOf(other).flatMap(([, { imports }]) => imports));

    expect(imported).not.toEqual([]);
    expect(imported.filter((output) => !exported.includes(output))).toEqual([]);
  });

  it('every output exists that a stack with any settings, or of a release, reads: an update can be rolled back', () => {
    const known = stacksOf(setting).flatMap(([stack, { outputs }]) =>
      Object.keys(outputs).map((output) => `${stack}.${output}`),
    );
    const readToday = names.flatMap((other) => stacksOf(other).flatMap(([, { reads }]) => reads));
    const readByReleases = releases.flatMap(({ reads }) =>
      reads.map(({ stack, output }) => `${stackName('dev', z.enum(parts).parse(stack))}.${output}`),
    );

    // A deployment without the setting leaves the network as it is: test/infra/network-stack.test.ts.
    const ofNetwork = `${stackName('dev', 'network')}.`;

    expect(readToday).not.toEqual([]);
    const needed = [...readToday, ...readByReleases].filter((output) => !output.startsWith(ofNetwork));
    expect(needed.filter((output) => !known.includes(output))).toEqual([]);
  });

  it.each(releases)(
    'the stacks still export, unchanged, everything that stacks of $version import, with any settings',
    ({ exports }) => {
      for (const { stack, output, value } of exports) {
        const name = stackName('dev', z.enum(parts).parse(stack));
        expect(interfaces.get(setting)?.get(name)?.outputs[output]).toMatchObject({
          Value: value,
          Export: { Name: `${name}:${output}` },
        });
      }
    },
  );

  it('the stacks are deployed in an order in which every output exists before it is read', () => {
    const stacks = stacksOf(setting);
    const [data, api, delivery] = stacks.map(([stack]) => stack);

    for (const [, { stacksRead, dependsOn }] of stacks) {
      expect(dependsOn).toEqual(expect.arrayContaining([...stacksRead]));
    }
    expect(interfaces.get(setting)?.get(api ?? '')?.dependsOn).toContain(data);
    expect(interfaces.get(setting)?.get(delivery ?? '')?.dependsOn).toEqual(expect.arrayContaining([data, api]));
  });
});
