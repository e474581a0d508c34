/** The body of a queue message. SQS refuses U+FFFE and U+FFFF, which `JSON.stringify` writes as they are. */
export function queueJson(message: object): string {
  return JSON.stringify(message).replace(/[\uFFFE\uFFFF]/g, (character) =>
    character === '\uFFFE' ? '\\ufffe' : '\\uffff',
  );
}
