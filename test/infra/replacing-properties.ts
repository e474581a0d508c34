import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';

/** CloudFormation's resource specification, as the CDK CLI reads it for `cdk diff`. */
const specificationSchema = z.object({
  schema: z.object({
    resource: z.object({
      entities: z.array(
        z.object({
          cloudFormationType: z.string(),
          properties: z.record(
            z.string(),
            z.object({ causesReplacement: z.enum(['yes', 'no', 'maybe']).default('no') }),
          ),
        }),
      ),
    }),
  }),
});

/**
 * The properties whose change replaces their resource, always or sometimes, by type of resource. Only whole properties:
 * no member of a property of this app names a resource of another stack.
 */
export function replacingProperties(): ReadonlyMap<string, readonly string[]> {
  const cli = dirname(createRequire(import.meta.url).resolve('aws-cdk/package.json'));
  const text = gunzipSync(readFileSync(join(cli, 'db.json.gz'))).toString();
  const { entities } = specificationSchema.parse(JSON.parse(text)).schema.resource;
  return new Map(
    entities.map(({ cloudFormationType, properties }) => [
      cloudFormationType,
      Object.keys(properties).filter((name) => properties[name]?.causesReplacement !== 'no'),
    ]),
  );
}
