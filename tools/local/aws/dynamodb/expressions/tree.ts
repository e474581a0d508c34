/** Names and indexes, outermost first. A name that begins with `#` stands for another. */
export type Path = readonly (string | number)[];

/** `value`: the name of a value, such as `:max`. `sizeOf`: the size of what is at a path. */
export type Operand = { readonly path: Path } | { readonly value: string } | { readonly sizeOf: Path };

export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | { readonly kind: Comparator; readonly operands: readonly [Operand, Operand] }
  | { readonly kind: 'between'; readonly operands: readonly [Operand, Operand, Operand] }
  | { readonly kind: 'attribute_exists' | 'attribute_not_exists'; readonly path: Path }
  | { readonly kind: 'begins_with' | 'contains'; readonly operands: readonly [Operand, Operand] };

/** What an attribute is set to. */
export type Source =
  | Operand
  | { readonly ifNotExists: Path; readonly otherwise: Source }
  | { readonly append: readonly [Source, Source] };

/** One change of an update expression. */
export type Change =
  | { readonly kind: 'SET'; readonly path: Path; readonly source: Source }
  | { readonly kind: 'REMOVE'; readonly path: Path }
  | { readonly kind: 'ADD' | 'DELETE'; readonly path: Path; readonly value: string };

/** A statement of PartiQL. The values of its question marks are named `:0`, `:1` and so on. */
export type Statement =
  | { readonly kind: 'INSERT'; readonly table: string; readonly item: ReadonlyMap<string, string> }
  | {
      readonly kind: 'UPDATE';
      readonly table: string;
      readonly changes: readonly Change[];
      readonly where: Condition;
      readonly returnsNew: boolean;
    };

/** A parsed text, with the names and values that it takes from beside it. */
export type Parsed<T> = { readonly tree: T; readonly placeholders: ReadonlySet<string> };
