import type * as z from 'zod';
import type { NameOf } from '../json-schema.ts';
import type { DescribedSchema } from '../property-texts.ts';
import { bulkReplaySchemas } from './bulk-replay-schemas.ts';
import { credentialSchemas } from './credential-schemas.ts';
import { deliverySchemas } from './delivery-schemas.ts';
import { enumSchemas } from './enum-schemas.ts';
import { event, eventSchemas } from './event-schemas.ts';
import { problemSchemas, runProblem } from './problem-schemas.ts';
import { runSchemas } from './run-schemas.ts';
import { videoSchemas } from './video-schemas.ts';
import { webhookSchemas } from './webhook-schemas.ts';

/** Every object of the document by its name. Generated clients name their types after these. */
export const objectSchemas: Readonly<Record<string, DescribedSchema>> = {
  ...credentialSchemas,
  ...webhookSchemas,
  ...deliverySchemas,
  ...bulkReplaySchemas,
  ...runSchemas,
  ...videoSchemas,
  ...eventSchemas,
  ...problemSchemas,
};

const objectNames: ReadonlyMap<z.core.$ZodType, string> = new Map<z.core.$ZodType, string>([
  ...Object.entries(objectSchemas).map(([name, { schema }]) => [schema, name] as const),
  [runProblem, 'Problem'],
  [event, 'Event'],
]);

const valuesKey = (values: readonly unknown[]): string => JSON.stringify(values.toSorted());

const enumNames: ReadonlyMap<string, string> = new Map(
  Object.entries(enumSchemas).map(([name, { values }]) => [valuesKey(values), name]),
);

/** Objects have a name by their identity, enums by their values. */
export const nameOf: NameOf = (schema) => {
  const { def } = schema._zod;
  return isEnum(def) ? enumNames.get(valuesKey(Object.values(def.entries))) : objectNames.get(schema);
};

function isEnum(def: z.core.$ZodTypeDef): def is z.core.$ZodEnumDef {
  return def.type === 'enum';
}
