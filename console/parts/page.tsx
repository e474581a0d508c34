import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { hrefOf, type Route } from '../routing/route.ts';
import { showTitle } from './brand.tsx';
import { Badge, type Status } from './values.tsx';

type PageProps = {
  readonly title: string;
  /** What this view is about, such as the URL of an endpoint: the main line, below the title. */
  readonly subject?: string | undefined;
  readonly status?: Status | undefined;
  readonly up?: { readonly to: Route; readonly label: string };
  readonly actions?: ComponentChildren;
  /** Takes the reader to their place. Default: the top of the view, and its heading. */
  readonly arrive?: (() => void) | undefined;
  readonly children: ComponentChildren;
};

/** The title takes the focus, in place of something that is gone. */
export function focusTitle(): void {
  document.querySelector<HTMLElement>('#content h1')?.focus();
}

/** What stands before an element takes the focus from it before it goes, and nothing moves. */
export function passFocus(from: HTMLElement | null): void {
  if (from === null || from !== document.activeElement) return;
  const places = [...document.querySelectorAll<HTMLElement>('#content :is(h1, a.row, summary, button)')];
  places[places.indexOf(from) - 1]?.focus({ preventScroll: true });
}

/** The frame of a view. Its heading takes the focus, so that keyboards and screen readers begin at the new view. */
export function Page({ title, subject, status, up, actions, arrive, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    showTitle(title);
  }, [title]);
  useEffect(() => {
    scrollTo(0, 0);
    heading.current?.focus({ preventScroll: true });
    arrive?.();
  }, []);
  return (
    <main id="content">
      {up !== undefined && (
        <a class="up" href={hrefOf(up.to)}>
          <span aria-hidden="true">←</span> {up.label}
        </a>
      )}
      <div class="heading">
        <div>
          <h1 ref={heading} tabIndex={-1} class={subject === undefined ? undefined : 'over'}>
            {title}
          </h1>
          {subject !== undefined && (
            <p class="subject">
              <bdi class={subject.length > 160 ? 'long' : undefined}>{subject}</bdi>{' '}
              {status !== undefined && <Badge status={status} />}
            </p>
          )}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </main>
  );
}

type SectionProps = {
  readonly title: string;
  readonly kind?: string;
  /** Whether it has just appeared in place of what had the focus, which it takes. */
  readonly isNew?: boolean;
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A part of a view, named by its heading. */
export function Section({ title, kind, isNew = false, action, children }: SectionProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (isNew) heading.current?.focus();
  }, []);
  const titled = (
    <h2 id={id} ref={heading} tabIndex={isNew ? -1 : undefined}>
      {title}
    </h2>
  );
  return (
    <section class={kind} aria-labelledby={id}>
      {action === undefined ? (
        titled
      ) : (
        <div class="heading">
          {titled}
          {action}
        </div>
      )}
      {children}
    </section>
  );
}
