import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { eventTypes } from '#shared/domain/event.ts';
import { signatureHeader } from '#shared/domain/signature.ts';
import { bodies } from '../../../site/openapi/schemas/event-schemas.ts';
import { fileOnPage, pageText } from '../../support/docs/page-blocks.ts';
import signatures from '../../vectors/signatures.json' with { type: 'json' };

const page = pageText('receive-and-verify.md');
const program = fileOnPage('receive-and-verify.md', 'receiver.mjs');
const [imports = ''] = /^import .* from 'node:crypto';$/m.exec(program) ?? [];
const [verification = ''] = /^function isGenuine[\s\S]*?^\}$/m.exec(program) ?? [];
const source = `${imports}\nexport ${verification}`;
const verifier = z.object({
  isGenuine: z.custom<(header: string | undefined, body: Uint8Array, secret: string) => boolean>(
    (value) => typeof value === 'function',
  ),
});
const { isGenuine } = verifier.parse(await import(`data:text/javascript,${encodeURIComponent(source)}`));

const now = Date.UTC(2026, 0, 1);
const body = Buffer.from('{"id":"evt_1"}');
const header = (at = now) => signatureHeader(['whsec_new', 'whsec_old'], body, at);

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now }));
afterEach(() => void vi.useRealTimers());

describe('the verifier in docs/pages/receive-and-verify.md', () => {
  it.each(signatures.vectors)('accepts $name, by each of its secrets', (vector) => {
    vi.setSystemTime(vector.sent_at_ms);
    for (const secret of vector.secrets) {
      expect(isGenuine(vector.header, Buffer.from(vector.body), secret)).toBe(true);
    }
  });

  it('accepts what was sent five minutes ago, and nothing that is a second older or as far ahead', () => {
    const accepted = [-301, -300, 300, 301].map((seconds) =>
      isGenuine(header(now + seconds * 1000), body, 'whsec_old'),
    );

    expect(accepted).toEqual([false, true, true, false]);
  });

  it.each(['.5', 'e0', ' '])('refuses a time that the service never writes, although it is signed: with %j', (end) => {
    const time = `${now / 1000}${end}`;
    const value = createHmac('sha256', 'whsec_new').update(`${time}.`).update(body).digest('hex');

    expect(isGenuine(`t=${time},v1=${value}`, body, 'whsec_new')).toBe(false);
  });
});

describe('docs/pages/receive-and-verify.md', () => {
  it('shows an event as it is sent', () => {
    expect(page).toContain(`\n\n${bodies['run.completed']}\n`);
  });

  it('has a row for every event', () => {
    const rows = page.split('\n').filter((line) => /^\| `(run|tracker|webhook)\./.test(line));

    expect(rows.map((row) => row.split('`')[1])).toEqual([...eventTypes]);
  });
});
