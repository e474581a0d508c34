import { readFileSync } from 'node:fs';
import { rowsWith } from '../../architecture/test-titles.ts';

export const tablePage = readFileSync(new URL('../../../docs/table.md', import.meta.url), 'utf8');

/** A kind of row in docs/table.md. */
export type ItemKind = {
  readonly name: string;
  /** Whether a row with this key is of this kind. */
  readonly has: (key: { readonly pk: string; readonly sk: string }) => boolean;
  /** The keys, and the attributes that the page names for rows of this kind. */
  readonly attributes: ReadonlySet<string>;
  /** Attributes that the page names for this kind itself, not by reference to another kind. */
  readonly own: ReadonlySet<string>;
  readonly writtenBy: string;
};

/** Reads every kind of row from docs/table.md. */
export function itemKinds(): readonly ItemKind[] {
  const kinds: ItemKind[] = [];
  for (const [name = '', pk = '', sk = '', named = '', writtenBy = ''] of rowsWith(tablePage, 'Item')) {
    const own = attributesIn(named);
    const [, like = ''] = /^As the ([\w ]+)/.exec(named) ?? [];
    const other = kinds.find((kind) => kind.name.toLowerCase() === like.toLowerCase());
    const attributes = new Set(['pk', 'sk', ...(other?.attributes ?? []), ...own]);
    kinds.push({ name, has: matcher(pk, sk), attributes, own, writtenBy });
  }
  return kinds;
}

/** Names in code style, except for values (`status` is `deleted`) and for what a kind lacks. */
function attributesIn(cell: string): ReadonlySet<string> {
  const named = cell.replaceAll(/\bis `\w+`/g, '').replaceAll(/\bwithout [^;]*/g, '');
  return new Set([...named.matchAll(/`([a-z_]+)`/g)].map(([, name = '']) => name));
}

/** `CUS#{customer}` becomes a pattern. Times and names can contain the separator only at the end of a key. */
function matcher(pk: string, sk: string): ItemKind['has'] {
  const [partition, sort] = [pk, sk].map((key) => {
    const parts = key.replaceAll('`', '').split(/(\{\w+\})/);
    const pattern = parts.map((part) => patterns[part] ?? (part.startsWith('{') ? '[^#]+' : part)).join('');
    return new RegExp(`^${pattern}$`);
  });
  return (key) => partition?.test(key.pk) === true && sort?.test(key.sk) === true;
}

const patterns: Readonly<Record<string, string>> = {
  '{customer}': 'cus_\\w+',
  '{delivery}': 'whd_\\w+',
  '{endpoint}': 'whe_\\w+',
  '{replay}': 'rpl_\\w+',
  '{tally}': 'rpl_\\w+#\\d+\\.\\d+',
};
