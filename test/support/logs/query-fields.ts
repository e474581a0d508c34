/** Words of the query language of Logs Insights that runbook and dashboard use. */
const words = new Set(
  'filter stats sort limit fields display parse by as and or not in like asc desc is null'.split(' '),
);

/** `count(`: a function. `as failed`: a name that the query itself gives. */
const functionCall = /\b\w+(?=\()/g;
const alias = /\bas (\w+)/g;
const literal = /"[^"]*"|'[^']*'|\/[^/]+\/|\b\d+\w*\b/g;
const field = /@?[a-z_]\w*(?:\.\w+)*/g;

/** The fields of log lines that a query reads, without those that CloudWatch adds (`@timestamp`). */
export function queryFields(query: string): readonly string[] {
  const plain = query.replaceAll(literal, ' ');
  const given = new Set([...plain.matchAll(alias)].map(([, name]) => name));
  const named = plain.replaceAll(functionCall, ' ').match(field) ?? [];
  const read = named.filter((name) => !words.has(name) && !given.has(name) && !name.startsWith('@'));
  return [...new Set(read)];
}

/** The queries of a page: its blocks of text that begin with a command of the query language. */
export function queriesOf(page: string): readonly string[] {
  const blocks = [...page.matchAll(/^```text\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const inline = [...page.matchAll(/`(filter [^`]+)`/g)].map(([, text = '']) => text);
  return [...blocks.filter((text) => /^(filter|fields|stats)\b/.test(text)), ...inline];
}
