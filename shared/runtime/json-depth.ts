/**
 * The deepest nesting of arrays and objects, without parsing: brackets inside strings do not count. An unterminated
 * string extends to the end of the text, so each character is read once.
 */
export function jsonDepth(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const token of text.matchAll(/"(?:[^"\\]|\\.)*"?|[[{]|[\]}]/gs)) {
    if (token[0] === '[' || token[0] === '{') depth += 1;
    else if (token[0] === ']' || token[0] === '}') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
