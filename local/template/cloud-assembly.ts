import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

/** One resource of a template, its properties still holding intrinsic functions. */
type TemplateResource = {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
};

/** One synthesized CloudFormation template. */
export type StackTemplate = {
  readonly name: string;
  readonly resources: ReadonlyMap<string, TemplateResource>;
  readonly parameterDefaults: ReadonlyMap<string, unknown>;
  readonly outputs: ReadonlyMap<string, { readonly value: unknown; readonly exportName: unknown }>;
};

/** A synthesized CDK app: its templates, and the folder of each file asset by the object key it is uploaded to. */
export type CloudAssembly = {
  readonly stacks: readonly StackTemplate[];
  readonly assetPaths: ReadonlyMap<string, string>;
};

const anyProperties = z.record(z.string(), z.unknown());

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
          directoryName: z.string().optional(),
        })
        .optional(),
    }),
  ),
});

const templateSchema = z.object({
  Parameters: z.record(z.string(), z.object({ Default: z.unknown() })).default({}),
  Resources: z
    .record(z.string(), z.object({ Type: z.string(), Properties: anyProperties.default({}) }))
    .default({}),
  Outputs: z
    .record(z.string(), z.object({ Value: z.unknown(), Export: z.object({ Name: z.unknown() }).optional() }))
    .default({}),
});

const assetManifestSchema = z.object({
  files: z
    .record(
      z.string(),
      z.object({
        source: z.object({ path: z.string().optional() }),
        destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
      }),
    )
    .default({}),
});

/** Reads what `cdk synth` wrote to `directory`, nested assemblies (one per CDK stage) included. */
export async function readCloudAssembly(directory: string): Promise<CloudAssembly> {
  const stacks: StackTemplate[] = [];
  const assetPaths = new Map<string, string>();
  const manifest = manifestSchema.parse(await readJson(path.join(directory, 'manifest.json')));
  for (const [id, { type, properties }] of Object.entries(manifest.artifacts)) {
    if (type === 'aws:cloudformation:stack' && properties?.templateFile !== undefined) {
      stacks.push(await readTemplate(directory, properties.templateFile, properties.stackName ?? id));
    } else if (type === 'cdk:asset-manifest' && properties?.file !== undefined) {
      await addAssets(assetPaths, directory, properties.file);
    } else if (type === 'cdk:cloud-assembly' && properties?.directoryName !== undefined) {
      const nested = await readCloudAssembly(path.join(directory, properties.directoryName));
      stacks.push(...nested.stacks);
      for (const [key, value] of nested.assetPaths) assetPaths.set(key, value);
    }
  }
  return { stacks, assetPaths };
}

async function readTemplate(directory: string, file: string, name: string): Promise<StackTemplate> {
  const template = templateSchema.parse(await readJson(path.join(directory, file)));
  return {
    name,
    resources: new Map(
      Object.entries(template.Resources).map(([id, resource]) => [
        id,
        { type: resource.Type, properties: resource.Properties },
      ]),
    ),
    parameterDefaults: new Map(
      Object.entries(template.Parameters).map(([id, parameter]) => [id, parameter.Default]),
    ),
    outputs: new Map(
      Object.entries(template.Outputs).map(([id, output]) => [
        id,
        { value: output.Value, exportName: output.Export?.Name },
      ]),
    ),
  };
}

async function addAssets(assetPaths: Map<string, string>, directory: string, file: string): Promise<void> {
  const manifest = assetManifestSchema.parse(await readJson(path.join(directory, file)));
  for (const { source, destinations } of Object.values(manifest.files)) {
    if (source.path === undefined) continue;
    for (const { objectKey } of Object.values(destinations)) {
      assetPaths.set(objectKey, path.resolve(directory, source.path));
    }
  }
}

async function readJson(file: string): Promise<unknown> {
  return JSON.parse(await readFile(file, 'utf8'));
}
