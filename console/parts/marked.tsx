import { partsOf } from '../api/problem-words.ts';

/** A text of the API, whose backticks mark code. */
export function Marked({ text }: { readonly text: string }) {
  return (
    <>
      {partsOf(text).map((part, index) => (part.isCode ? <code key={index}>{part.text}</code> : part.text))}
    </>
  );
}
