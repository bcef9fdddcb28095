// Where the user is: the address bar is the only state that says so.

import { h, type ComponentChildren, type VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';

export interface Place {
  path: string;
  query: URLSearchParams;
}

const here = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) });

const listeners = new Set<() => void>();
const tellAll = () => listeners.forEach((listener) => listener());

addEventListener('popstate', tellAll);

export function navigate(to: string, how: 'push' | 'replace' = 'push'): void {
  if (how === 'push') history.pushState(null, '', to);
  else history.replaceState(null, '', to);
  tellAll();
}

export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const listener = () => setPlace(here());
    listeners.add(listener);
    listener(); // it may have changed since the first rendering
    return () => void listeners.delete(listener);
  }, []);
  return place;
}

// Changes some parameters of the address; empty ones go. Filters replace: going back should not undo them one by one.
export function setQuery(changes: Record<string, string | undefined>, how: 'push' | 'replace' = 'replace'): void {
  const { path, query } = here();
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  navigate(withQuery(path, query), how);
}

export function withQuery(path: string, query: URLSearchParams | Record<string, string | undefined>): string {
  const given = query instanceof URLSearchParams ? [...query] : Object.entries(query);
  const text = new URLSearchParams(given.filter((pair): pair is [string, string] => Boolean(pair[1]))).toString();
  return text ? `${path}?${text}` : path;
}

interface LinkProps {
  to: string;
  class?: string;
  current?: boolean;
  label?: string;
  children: ComponentChildren;
}

// A link that does not load the page again; with a modifier key it is a link like any other.
export function Link({ to, class: className, current, label, children }: LinkProps): VNode {
  const follow = (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(to);
  };
  const attributes = { href: to, class: className, onClick: follow, 'aria-label': label };
  return h('a', current ? { ...attributes, 'aria-current': 'page' } : attributes, children);
}
