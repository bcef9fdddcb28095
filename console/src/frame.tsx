import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

import { signOut } from './api/endpoints';
import type { Session } from './api/types';
import { Link, navigate } from './router';
import { themes, useTheme, type Theme } from './theme';

const destinations = [
  ['/', 'Overview'],
  ['/requests', 'Requests'],
  ['/playground', 'Playground'],
  ['/keys', 'Keys'],
  ['/usage', 'Usage'],
  ['/providers', 'Providers & models'],
  ['/config', 'Config'],
  ['/audit', 'Audit log'],
] as const;

const isWithin = (path: string, of: string) => path === of || (of !== '/' && path.startsWith(`${of}/`));

interface FrameProps {
  path: string;
  onSignedOut: (session: Session) => void;
  children: ComponentChildren;
}

export function Frame({ path, onSignedOut, children }: FrameProps) {
  const [menu, setMenu] = useState<'closed' | 'open'>('closed');
  useEffect(() => setMenu('closed'), [path]);
  return (
    <div class="frame">
      <a class="skip" href="#content">Skip to the content</a>
      <header class="bar">
        <Link to="/" class="brand">Runnel</Link>
        <button
          type="button" class="menu-button" aria-expanded={menu === 'open'} aria-controls="menu"
          onClick={() => setMenu(menu === 'open' ? 'closed' : 'open')}
        >
          Menu
        </button>
        <div id="menu" class={`menu ${menu}`}>
          <nav aria-label="Main">
            <ul>
              {destinations.map(([to, title]) => (
                <li key={to}><Link to={to} current={isWithin(path, to)}>{title}</Link></li>
              ))}
            </ul>
          </nav>
          <Finder />
          <div class="bar-end">
            <ThemeChoice />
            <button type="button" class="quiet" onClick={() => void signOut().then(onSignedOut)}>Sign out</button>
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1}>{children}</main>
    </div>
  );
}

// An id from a log, a header or a chunk leads to its request.
function Finder() {
  const input = useRef<HTMLInputElement>(null);
  const find = (event: Event) => {
    event.preventDefault();
    const id = input.current?.value.trim();
    if (!id) return;
    input.current!.value = '';
    navigate(`/requests/${encodeURIComponent(id)}`);
  };
  return (
    <form class="finder" role="search" onSubmit={find}>
      <input ref={input} type="search" name="id" aria-label="Look up a request by its id" placeholder="Request id" spellcheck={false} autoComplete="off" />
      <button class="small">Find</button>
    </form>
  );
}

const themeTitles: Record<Theme, string> = { system: 'System colours', light: 'Light', dark: 'Dark' };

function ThemeChoice() {
  const [theme, setTheme] = useTheme();
  return (
    <select aria-label="Colours" value={theme} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
      {themes.map((name) => <option key={name} value={name}>{themeTitles[name]}</option>)}
    </select>
  );
}
