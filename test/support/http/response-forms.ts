import * as z from 'zod';
import forms from '../../vectors/response-forms.json' with { type: 'json' };

/** A text, the same text many times, each character in a write of its own, or a list that is joined to one write. */
type Part =
  | string
  | { readonly repeat: Part; readonly times: number | 'endless' }
  | { readonly split: string }
  | readonly Part[];

const part: z.ZodType<Part> = z.lazy(() =>
  z.union([
    z.string(),
    z.strictObject({ repeat: part, times: z.union([z.int(), z.literal('endless')]) }),
    z.strictObject({ split: z.string() }),
    z.array(part),
  ]),
);

/** One form of a response, and what a sender makes of it. */
const responseForm = z.strictObject({
  name: z.string(),
  /** Latin-1. A list: writes, one after the other. */
  bytes: z.union([z.string().transform((text) => [text]), z.array(part)]),
  /** What the server does after that. Nothing unless given. */
  afterwards: z.enum(['close', 'reset']).optional(),
  outcome: z.strictObject({
    outcome: z.enum(['acknowledged', 'rejected', 'invalid_response', 'connection_failed']),
    status: z.int().nullable(),
  }),
  /** Whether the connection may carry another request. */
  keepsConnection: z.boolean(),
  note: z.string().optional(),
});

export type ResponseForm = z.output<typeof responseForm>;

export const responseForms: readonly ResponseForm[] = z.array(responseForm).parse(forms);

/** What a server writes, write by write; it may be endless. */
export function* writesOf({ bytes }: Pick<ResponseForm, 'bytes'>): Iterable<Buffer> {
  for (const each of bytes) for (const text of textsOf(each)) yield Buffer.from(text, 'latin1');
}

function* textsOf(each: Part): Iterable<string> {
  if (typeof each === 'string') yield each;
  else if ('split' in each) yield* each.split;
  else if (!('repeat' in each)) yield joined(each);
  else if (each.times !== 'endless') yield joined([each.repeat]).repeat(each.times);
  else for (const text = joined([each.repeat]); ; ) yield text;
}

const joined = (parts: readonly Part[]): string => parts.flatMap((each) => [...textsOf(each)]).join('');
