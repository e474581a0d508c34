import { readdirSync, readFileSync } from 'node:fs';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import * as z from 'zod';
import { type ItemKind, itemKinds } from './item-kinds.ts';

const recorded = new URL('../../fixtures/releases/', import.meta.url);

/** Versions with recorded rows, oldest first. `unreleased` is this version. */
export const recordedVersions: readonly string[] = readdirSync(recorded).toSorted(
  new Intl.Collator('en', { numeric: true }).compare,
);

/** The release to which an operator can roll back. */
export const lastRelease = recordedVersions.at(-2) ?? '';

/** Adds to a failure what to do. */
export const howToRecord = 'Let test/support/releases/store-every-kind.ts store it, and run `npm run record`';

const keyed = z.looseObject({ pk: z.string(), sk: z.string() });

export type ReleasedRow = z.infer<typeof keyed> & { readonly [attribute: string]: unknown };

export type KindedRow = { readonly kind: ItemKind | null; readonly row: ReleasedRow };

/** The rows that a version's own code wrote. */
export function releasedRows(version: string): readonly KindedRow[] {
  return withKinds(JSON.parse(readFileSync(new URL(`${version}/rows.json`, recorded), 'utf8')));
}

const rawItem = z.custom<Parameters<typeof unmarshall>[0]>((item) => typeof item === 'object');

/** Rows as DynamoDB returns them, with their kinds in docs/table.md; `null` for a row that is of none. */
export function withKinds(items: unknown): readonly KindedRow[] {
  const kinds = itemKinds();
  return z
    .array(rawItem)
    .parse(items)
    .map((item) => {
      const row = keyed.parse(unmarshall(item));
      return { kind: kinds.find(({ has }) => has(row)) ?? null, row };
    });
}

/** Attributes that rows have and docs/table.md does not name for their kind; all of a row that is of no kind. */
export function unnamedAttributes(rows: readonly KindedRow[]): readonly string[] {
  const names = rows.flatMap(({ kind, row }) =>
    Object.keys(row)
      .filter((name) => kind?.attributes.has(name) !== true)
      .map((name) => `${kind?.name ?? `${row.pk} ${row.sk}`}: ${name}`),
  );
  return [...new Set(names)];
}

const reader = z.custom<(row: unknown) => unknown>((value) => typeof value === 'function');

/** A reader of the last release, or of this version, by its name. */
export function readerIn(module: object, name: string): (row: unknown) => unknown {
  const found: unknown = Reflect.get(module, name);
  return reader.parse(found);
}
