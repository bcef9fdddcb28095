import { render } from 'preact';

import { App } from './app';
import { applyTheme } from './theme';

import './style/base.css';
import './style/layout.css';
import './style/parts.css';
import './style/pages.css';

applyTheme();
const root = document.getElementById('app')!;
root.replaceChildren();
render(<App />, root);
