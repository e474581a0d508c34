import { type OpenApi, type Schema, schemaName } from './open-api.ts';

/** The named schemas of a document. Each is described once: where it is used, or in a section that uses link to. */
export type SchemaBook = {
  readonly named: Readonly<Record<string, Schema>>;
  /** Schemas that are described at their only use, or as the body of an event. */
  readonly inline: ReadonlySet<string>;
};

export function schemaBook({ paths, webhooks, components }: OpenApi): SchemaBook {
  const uses = new Map<string, number>();
  countReferences([paths, components], (name) => uses.set(name, (uses.get(name) ?? 0) + 1));
  const bodies = Object.values(webhooks)
    .flatMap((item) => Object.values(item))
    .flatMap(({ requestBody }) => Object.values(requestBody.content))
    .flatMap(({ schema }) => (schema?.$ref === undefined ? [] : [schemaName(schema.$ref)]));
  const once = [...uses].filter(([, count]) => count === 1).map(([name]) => name);
  return { named: components.schemas, inline: new Set([...once, ...bodies]) };
}

function countReferences(node: unknown, count: (name: string) => void): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (key === '$ref' && typeof value === 'string') count(schemaName(value));
    else countReferences(value, count);
  }
}

/** The schema that a reference names, with the description of the reference; other schemas as they are. */
export function resolved(schema: Schema, book: SchemaBook): Schema {
  const named = schema.$ref === undefined ? undefined : book.named[schemaName(schema.$ref)];
  if (named === undefined) return schema;
  return { ...named, description: schema.description ?? named.description };
}

/** Name of a schema that is described where this one is used. */
export function inlineName(schema: Schema, book: SchemaBook): string | undefined {
  const name = schema.$ref === undefined ? undefined : schemaName(schema.$ref);
  return name !== undefined && book.inline.has(name) ? name : undefined;
}
