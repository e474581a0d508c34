import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

type Props = {
  readonly title: string;
  /** Link to the view above this one. */
  readonly up?: { readonly href: string; readonly label: string };
  /** Buttons beside the title. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** The frame of a view. Its heading takes the focus, so that keyboards and screen readers begin at the new view. */
export function Page({ title, up, actions, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Webhooks`;
  }, [title]);
  useEffect(() => heading.current?.focus(), []);
  return (
    <main id="content">
      {up !== undefined && (
        <a class="up" href={up.href}>
          ← {up.label}
        </a>
      )}
      <div class="heading">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </div>
      {children}
    </main>
  );
}
