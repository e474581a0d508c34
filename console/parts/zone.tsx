import { createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { isUtcShown, showUtc, zone, zoneMark } from './texts.ts';

const storageKey = 'webhooks-console-times';

/** Where the browser allows no storage, as in a frame of another site, the choice ends with the page. */
function stored(value?: string): string | null {
  try {
    if (value === '') localStorage.removeItem(storageKey);
    else if (value !== undefined) localStorage.setItem(storageKey, value);
    return localStorage.getItem(storageKey);
  } catch {
    return null;
  }
}

export const ZoneContext = createContext<() => void>(() => {});

/** The choice of the reader between UTC and their own zone, which the browser remembers. @returns changes it */
export function useZone(): () => void {
  const [, setUtc] = useState(() => {
    showUtc(stored() === 'UTC');
    return isUtcShown();
  });
  return () => {
    showUtc(!isUtcShown());
    stored(isUtcShown() ? 'UTC' : '');
    setUtc(isUtcShown());
  };
}

/** A button that shows all times in UTC, or in the zone of the reader again. */
export function ZoneButton() {
  const change = useContext(ZoneContext);
  return (
    <button type="button" class="copy" onClick={change}>
      {isUtcShown() ? `Show ${zone}` : 'Show UTC'}
    </button>
  );
}

/** Says in which zone times are, also those that show only how long ago they are. */
export function ZoneNote() {
  const mark = zoneMark(Date.now());
  return (
    <footer class="zone muted small">
      <span>
        {isUtcShown()
          ? 'Times and days are in UTC'
          : `Times and days are in your time zone, ${zone}${mark === zone ? '' : ` (${mark} now)`}`}
      </span>{' '}
      <ZoneButton />
    </footer>
  );
}
