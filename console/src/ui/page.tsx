// What every page begins with.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface PageProps {
  title: string;
  aside?: ComponentChildren; // beside the title
  lead?: ComponentChildren;
  children: ComponentChildren;
}

// The heading takes the focus when the page is gone to, so that a screen reader says where one is.
let firstPage = true;

export function Page({ title, aside, lead, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Runnel`;
  }, [title]);
  useEffect(() => {
    if (!firstPage) heading.current?.focus({ preventScroll: true });
    firstPage = false;
    scrollTo(0, 0);
  }, []);
  return (
    <>
      <header class="page-head">
        <h1 ref={heading} tabIndex={-1}>{title}</h1>
        {aside && <div class="page-aside">{aside}</div>}
      </header>
      {lead && <p class="lead">{lead}</p>}
      {children}
    </>
  );
}

interface SectionProps {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
}

export function Section({ title, aside, children, class: className = '' }: SectionProps) {
  return (
    <section class={`card ${className}`} aria-label={title}>
      <div class="card-head">
        <h2>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
