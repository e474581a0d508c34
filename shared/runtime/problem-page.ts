import { type ProblemCode, problemCodes } from '#shared/contract/problem-codes.ts';

/** A self-contained page about one code. */
export function problemPage(code: ProblemCode): string {
  const { status, title, meaning, remedy } = problemCodes[code];
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${code}: ${title}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}code{background:#8882;padding:.1em .3em}</style>
<h1>${title}</h1>
<p><code>${code}</code>, HTTP ${status}</p>
<p>${formatted(meaning)}</p>
<p><strong>What to do:</strong> ${formatted(remedy)}</p>
</html>
`;
}

/** The texts of the catalogue mark code with backticks. */
export function formatted(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return escaped.replace(/`([^`]+)`/g, '<code>$1</code>');
}
