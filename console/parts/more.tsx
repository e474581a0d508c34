import { useSession } from '../session/session.ts';
import { ActionButton } from './action-button.tsx';
import type { Pages } from './use-pages.ts';

type Props<T> = {
  readonly pages: Pages<T>;
  /** What is read: `Runs`. */
  readonly what: string;
};

/** A button below a list that loads the page that follows. A page can be empty and have a next one. */
export function More<T>({ pages: { load, loadOlder }, what }: Props<T>) {
  const { announce } = useSession();
  const act = async () => {
    const count = await loadOlder();
    announce(count === 0 ? 'No older match so far' : `${count} older ${what} were added`);
  };
  if (load.value === null || load.value.next_cursor === null) return null;
  return (
    <ActionButton
      label={`Load older ${what}`}
      busyLabel="Loading…"
      kind="more"
      failed={`Could not load older ${what}`}
      act={act}
    />
  );
}
