import { z } from 'zod';

/** A statement of DynamoDB's PartiQL, as far as the meters and permission checks of this project need it. */
export type ParsedStatement = {
  readonly kind: 'INSERT' | 'UPDATE';
  readonly table: string;
  /** What it writes or compares, with the value of each question mark. */
  readonly item: Readonly<Record<string, unknown>>;
  /** The attributes that it sets. */
  readonly attributes: readonly string[];
};

const statement = z.object({ Statement: z.string(), Parameters: z.array(z.unknown()).default([]) });
const batch = z.looseObject({ Statements: z.array(statement) });

/** @throws for a statement that is neither an insertion nor an update */
export function parseStatements(input: unknown): readonly ParsedStatement[] {
  return batch.parse(input).Statements.map(({ Statement: text, Parameters }) => {
    const [, kind, table = ''] =
      /^(INSERT) INTO "([^"]+)"|^(UPDATE) "([^"]+)"/.exec(text)?.filter(Boolean) ?? [];
    if (kind !== 'INSERT' && kind !== 'UPDATE') throw new Error(`Cannot read the statement ${text}`);
    const names = [...text.matchAll(/["']?(\w+)["']?\s*(?::|<?=)\s*\?/g)].map(([, name = '']) => name);
    const item = Object.fromEntries(names.map((name, index) => [name, Parameters[index]]));
    const [assignments = ''] = text.split(/ (?:REMOVE|WHERE) /);
    const attributes = [...assignments.matchAll(/["']?(\w+)["']?\s*(?::|=)\s*\?/g)].map(
      ([, name = '']) => name,
    );
    return { kind, table, item, attributes };
  });
}
