import { describe, expect, it } from 'vitest';
import { problemCodeNames, problemCodes } from '#shared/contract/problem-codes.ts';
import { problemText } from '#shared/contract/problem-texts.ts';

const docsUrl = 'https://api.example.com/docs';

/** Sentences of plain text; a pair of backticks marks code. */
const sentences = /^[A-Z](?:[^`\n]|`[^`\n]+`)*\.$/;

describe('problemText()', () => {
  it.each(problemCodeNames)(
    'problemText(%s) says what happened, whether to retry, and how to fix it',
    (code) => {
      const { meaning, retry, fix } = problemText(code, docsUrl);

      expect(meaning).toMatch(sentences);
      expect(retry).toMatch(sentences);
      expect(retry).toMatch(/^(?:Yes|No)\b/);
      expect(fix).toMatch(sentences);
    },
  );

  it.each(problemCodeNames)('problemText(%s) has an example that the API could have written', (code) => {
    const { example, status, title, raisedBy } = problemText(code, docsUrl);

    expect(example).toMatchObject({ type: `${docsUrl}/errors/${code}`, title, status, code });
    expect('instance' in example).toBe(raisedBy === 'api');
    expect({ status, title }).toEqual({
      status: problemCodes[code].status,
      title: problemCodes[code].title,
    });
  });

  it('no text contains a credential that could be real', () => {
    const texts = problemCodeNames.map((code) => JSON.stringify(problemText(code, docsUrl))).join('\n');

    expect(texts).not.toMatch(/(?:key_|whsec_)[A-Za-z0-9+/_-]{20,}/);
  });
});
