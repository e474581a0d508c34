import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contrast, contrastFault, grounds, onAccent, readable } from '../../../lib/settings/brand-colors.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const color = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);

describe('the colours of a brand', () => {
  it('the contrast of two colours is that of WCAG 2', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21, 5);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it('the colours of this project can be read', () => {
    expect(contrastFault('#4338ca', 'light')).toBeUndefined();
    expect(contrastFault('#a5b4fc', 'dark')).toBeUndefined();
  });

  it('a colour that cannot be read is refused with its contrast, its ground, and one that can be read', () => {
    expect(contrastFault('#f5c518', 'light')).toMatch(
      /^#\w{6} on #\w{6} has a contrast of 1\.\d+:1, and WCAG AA asks for 4\.5:1; choose a darker colour, such as #[0-9a-f]{6}$/,
    );
    expect(contrastFault('#0f766e', 'dark')).toContain('choose a lighter colour, such as #');
  });

  it('what is proposed in place of any colour is accepted', () => {
    fc.assert(
      fc.property(color, fc.constantFrom('light' as const, 'dark' as const), (given, scheme) => {
        expect(contrastFault(readable(given, scheme), scheme)).toBeUndefined();
      }),
    );
  });

  it('the backgrounds and the text on buttons are those of the stylesheets', async () => {
    const files = ['site/assets/site.css', 'console/styles/colors.css'];
    const styles = (await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')))).join('\n');
    const used = (name: string) =>
      [...styles.matchAll(new RegExp(`--${name}: (#\\w+)`, 'g'))].map(([, value]) => value);

    const below = new Set(['page', 'raised', 'hover'].flatMap(used));
    expect([...grounds.light, ...grounds.dark].toSorted()).toEqual([...below].toSorted());
    expect(used('on-link')).toEqual([onAccent.light, onAccent.dark]);
  });
});
