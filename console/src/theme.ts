// Light, dark, or what the system says. Kept in this browser.

import { useState } from 'preact/hooks';

export type Theme = 'system' | 'light' | 'dark';

const stored = 'runnel-theme';
export const themes: readonly Theme[] = ['system', 'light', 'dark'];

function read(): Theme {
  try {
    const value = localStorage.getItem(stored);
    return themes.find((theme) => theme === value) ?? 'system';
  } catch {
    return 'system'; // storage may be forbidden
  }
}

export function applyTheme(theme: Theme = read()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  dispatchEvent(new Event('themechange'));
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(read);
  return [
    theme,
    (next) => {
      try {
        localStorage.setItem(stored, next);
      } catch {
        // Then it lasts until the page is closed.
      }
      applyTheme(next);
      setTheme(next);
    },
  ];
}
