import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createPortalLinkRequest } from '#shared/contract/records/portal-link.ts';
import { fileOnPage, pageText } from '../../support/docs/page-blocks.ts';

const file = '../operating/for-platforms.md';
const oneLine = (page: string): string => pageText(page).replaceAll(/\s+/g, ' ');
const page = oneLine(file);
const costs = oneLine('../operating/costs.md');
const scaling = oneLine('../scaling.md');

/** The figures in dollars that a pattern captures. @throws Error if the page does not have them */
function figures(text: string, pattern: RegExp): readonly number[] {
  const found = pattern.exec(text);
  if (found === null) throw new Error(`The page has no ${pattern}`);
  return found.slice(1).map(Number);
}

describe('the costs in docs/operating/for-platforms.md', () => {
  it('are those of the pages about costs and scaling, and add up', () => {
    const [idle = 0] = figures(costs, /idle stage costs about \$([\d.]+) a month/);
    const [event = 0] = figures(scaling, /\| \*\*Together\*\* \| \*\*\$([\d.]+)/);
    const [decryption = 0] = figures(
      scaling,
      /asks KMS for a secret .*? at \$([\d.]+) for a million requests/,
    );
    const [request = 0, line = 0] = figures(
      costs,
      /A million requests to the API \| \$([\d.]+), and \$([\d.]+) for/,
    );
    const [metrics = 0] = figures(costs, /at most \$([\d.]+) a month\]/);
    const [audit = 0] = figures(costs, /\$([\d.]+) for the metrics of the audit/);
    const parts = [idle, event, 0.2 * event, 1.2 * decryption, request + line, metrics - audit];

    const shown = [...page.matchAll(/\| (?:\*\*)?\$([\d.]+)(?:\*\*)? \|/g)].map(([, dollars]) => dollars);
    const sum = parts.reduce((total, part) => total + part, 0);
    expect(shown).toEqual([...parts, sum].map((dollars) => dollars.toFixed(2)));
  });
});

const lambda = `
export class InvokeCommand { constructor(input) { this.input = input; } }
export class LambdaClient { send({ input }) { return globalThis.invoke(input); } }
`;
const source = fileOnPage(file, 'portal-link.mjs').replace(
  '@aws-sdk/client-lambda',
  `data:text/javascript,${encodeURIComponent(lambda)}`,
);
const { createPortalLink } = z
  .object({
    createPortalLink: z.custom<(customerId: string, readOnly: boolean) => Promise<string>>(
      (value) => typeof value === 'function',
    ),
  })
  .parse(await import(`data:text/javascript,${encodeURIComponent(source)}`));

const answer = (value: object) => ({ Payload: Buffer.from(JSON.stringify(value)) });

describe('portal-link.mjs of docs/operating/for-platforms.md', () => {
  it('returns the address of a link, and throws what the function says when it refuses', async () => {
    vi.stubEnv('PORTAL_LINK_FUNCTION', 'links');
    vi.stubGlobal('invoke', async ({ FunctionName, Payload }: Readonly<Record<string, string>>) => {
      const request = createPortalLinkRequest.parse(JSON.parse(Payload ?? ''));
      if (request.customer_id === 'cus_1')
        return answer({ url: `${FunctionName} ${request.minutes} ${request.read_only}` });
      const refusal = { errorType: 'CustomerNotFound', errorMessage: 'no customer' };
      return { FunctionError: 'Unhandled', ...answer(refusal) };
    });

    expect(await createPortalLink('cus_1', true)).toBe('links 15 true');
    await expect(createPortalLink('cus_2', false)).rejects.toThrow('CustomerNotFound: no customer');
  });
});
