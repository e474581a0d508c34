import { jsonBlock } from '../highlight.ts';
import type { Schema } from './open-api.ts';

/** The first example of a schema, if it has one. */
export function schemaExample({ examples, example }: Schema): string {
  const value = examples?.[0] ?? example;
  return value === undefined ? '' : `<div class="example"><p>Example</p>\n${jsonBlock(value)}</div>`;
}
