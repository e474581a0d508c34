import { validationError } from '../attribute-value.ts';

const tokenWith = (others: string, signs: string) =>
  new RegExp(
    String.raw`\s*(?:(?<word>[A-Za-z]\w*)|${others}|(?<index>\d+)|(?<sign><>|<=|>=|[=<>(),.[\]${signs}]))`,
    'y',
  );
export const tokenOfExpressions = tokenWith(String.raw`(?<placeholder>[#:]\w+)`, '+-');
export const tokenOfStatements = tokenWith(`"(?<quoted>[^"]+)"|'(?<member>[^']+)'`, '{}:?*');

export type Token = { readonly kind: string; readonly text: string };

export function tokensOf(text: string, token: RegExp): readonly Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  for (token.lastIndex = 0; token.lastIndex < end; ) {
    const at = token.lastIndex;
    const { groups = {} } = token.exec(text) ?? {};
    const [found] = Object.entries(groups).filter(([, part]) => part !== undefined);
    if (found === undefined)
      throw validationError(`Invalid expression: Syntax error; token: "${text.slice(at, at + 10)}" in ${text}`);
    tokens.push({ kind: found[0], text: found[1] ?? '' });
  }
  return tokens;
}
