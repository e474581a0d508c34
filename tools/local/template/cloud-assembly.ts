import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** One resource of a template, with unresolved intrinsic functions. */
type TemplateResource = {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
};

/** One synthesized CloudFormation template. */
export type StackTemplate = {
  readonly name: string;
  readonly resources: ReadonlyMap<string, TemplateResource>;
  readonly parameterDefaults: ReadonlyMap<string, unknown>;
  /** Values by name. */
  readonly outputs: ReadonlyMap<string, unknown>;
};

/** A synthesized CDK app: its templates, and the folder of each file asset by its object key. */
export type CloudAssembly = {
  readonly stacks: readonly StackTemplate[];
  readonly assetPaths: ReadonlyMap<string, string>;
};

const manifestSchema = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z
        .object({
          templateFile: z.string().optional(),
          stackName: z.string().optional(),
          file: z.string().optional(),
        })
        .default({}),
    }),
  ),
});

const resourceSchema = z
  .object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) })
  .transform(({ Type: type, Properties: properties }) => ({ type, properties }));
const templateSchema = z.object({
  Parameters: mapOf(z.object({ Default: z.unknown() }).transform((parameter) => parameter.Default)),
  Resources: mapOf(resourceSchema),
  Outputs: mapOf(z.object({ Value: z.unknown() }).transform((output) => output.Value)),
});

const assetManifestSchema = z.object({
  files: mapOf(
    z.object({
      source: z.object({ path: z.string().optional() }),
      destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
    }),
  ),
});

/** Reads the output of `cdk synth` in `directory`, for an app without CDK stages. */
export async function readCloudAssembly(directory: string): Promise<CloudAssembly> {
  const stacks: StackTemplate[] = [];
  const assetPaths = new Map<string, string>();
  const { artifacts } = manifestSchema.parse(await readJson(directory, 'manifest.json'));
  for (const [id, { type, properties }] of Object.entries(artifacts)) {
    if (type === 'aws:cloudformation:stack' && properties.templateFile !== undefined) {
      const template = templateSchema.parse(await readJson(directory, properties.templateFile));
      stacks.push({
        name: properties.stackName ?? id,
        resources: template.Resources,
        parameterDefaults: template.Parameters,
        outputs: template.Outputs,
      });
    } else if (type === 'cdk:asset-manifest' && properties.file !== undefined) {
      const { files } = assetManifestSchema.parse(await readJson(directory, properties.file));
      for (const { source, destinations } of files.values()) {
        const { path: asset } = source;
        if (asset === undefined) continue;
        for (const { objectKey } of Object.values(destinations))
          assetPaths.set(objectKey, path.resolve(directory, asset));
      }
    }
  }
  return { stacks, assetPaths };
}

/** Parses an object as a map from its keys; empty when the object is absent. */
function mapOf<Value extends z.ZodType>(value: Value) {
  return z
    .record(z.string(), value)
    .default({})
    .transform((given) => new Map(Object.entries(given)));
}

async function readJson(directory: string, file: string): Promise<unknown> {
  return JSON.parse(await readFile(path.join(directory, file), 'utf8'));
}
