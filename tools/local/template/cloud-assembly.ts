import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const manifestSchema = z.object({
  artifacts: mapOf(
    z.object({
      type: z.string(),
      properties: z.object({ templateFile: z.string(), stackName: z.string(), file: z.string() }).partial().default({}),
    }),
  ),
});

const templateSchema = z
  .object({
    Resources: mapOf(
      z
        .object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) })
        .transform(({ Type: type, Properties: properties }) => ({ type, properties })),
    ),
    Outputs: mapOf(z.object({ Value: z.unknown(), Export: z.object({ Name: z.string() }).optional() })),
  })
  .transform(({ Resources: resources, Outputs }) => ({
    resources,
    outputs: new Map([...Outputs].map(([name, { Value }]) => [name, Value])),
    exports: new Map(
      [...Outputs.values()].flatMap(({ Value, Export }) =>
        Export === undefined ? [] : [[Export.Name, Value] as const],
      ),
    ),
  }));

const assetManifestSchema = z.object({
  files: mapOf(
    z.object({
      source: z.object({ path: z.string() }),
      destinations: mapOf(z.object({ objectKey: z.string() })),
    }),
  ),
});

/** A synthesized template: resources, with unresolved intrinsic functions, and values of outputs and exports, by their names. */
export type StackTemplate = { readonly name: string } & Readonly<z.infer<typeof templateSchema>>;

/** A synthesized CDK app: its templates, and the folder of each file asset by its object key. */
export type CloudAssembly = {
  readonly stacks: readonly StackTemplate[];
  readonly assetPaths: ReadonlyMap<string, string>;
};

/** Reads the output of `cdk synth` in `directory`, for an app without CDK stages. */
export async function readCloudAssembly(directory: string): Promise<CloudAssembly> {
  const stacks: StackTemplate[] = [];
  const assetPaths = new Map<string, string>();
  const { artifacts } = manifestSchema.parse(await readJson(directory, 'manifest.json'));
  for (const [id, { type, properties }] of artifacts) {
    const { templateFile, stackName = id, file } = properties;
    if (templateFile !== undefined) {
      stacks.push({ name: stackName, ...templateSchema.parse(await readJson(directory, templateFile)) });
    } else if (type === 'cdk:asset-manifest' && file !== undefined) {
      const { files } = assetManifestSchema.parse(await readJson(directory, file));
      for (const { source, destinations } of files.values())
        for (const { objectKey } of destinations.values())
          assetPaths.set(objectKey, path.resolve(directory, source.path));
    }
  }
  return { stacks, assetPaths };
}

/** Parses an object as a map from its keys; empty when the object is absent. */
function mapOf<Value extends z.ZodType>(value: Value) {
  return z
    .record(z.string(), value)
    .default({})
    .transform((given): ReadonlyMap<string, z.output<Value>> => new Map(Object.entries(given)));
}

async function readJson(directory: string, file: string): Promise<unknown> {
  return JSON.parse(await readFile(path.join(directory, file), 'utf8'));
}
