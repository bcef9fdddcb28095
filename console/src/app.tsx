// The frame around every page: who is signed in, where one can go, what is shown.

import { Component, type ComponentChildren, type FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { enter, session as askSession } from './api/endpoints';
import { asApiError, type ApiError, whenSessionIsOver } from './api/http';
import type { Session } from './api/types';
import { Frame } from './frame';
import { AuditPage } from './pages/audit';
import { ConfigPage } from './pages/config';
import { KeyPage } from './pages/key';
import { KeysPage } from './pages/keys';
import { NotFoundPage } from './pages/not-found';
import { OverviewPage } from './pages/overview';
import { PlaygroundPage } from './pages/playground';
import { ProvidersPage } from './pages/providers';
import { RequestPage } from './pages/request';
import { RequestsPage } from './pages/requests';
import { ByLinkPage, SignInPage } from './pages/sign-in';
import { UsagePage } from './pages/usage';
import { setQuery, usePlace } from './router';
import { Loading, Notice, Problem } from './ui/notice';

const pages: Record<string, FunctionComponent> = {
  '/': OverviewPage,
  '/requests': RequestsPage,
  '/playground': PlaygroundPage,
  '/keys': KeysPage,
  '/usage': UsagePage,
  '/providers': ProvidersPage,
  '/config': ConfigPage,
  '/audit': AuditPage,
};

// Pages about one thing: the rest of the path is its id.
const detailPages: Record<string, FunctionComponent<{ id: string }>> = {
  '/requests/': RequestPage,
  '/keys/': KeyPage,
};

// A broken escape stays as it is.
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// A fault of one page leaves the others alone.
class Fenced extends Component<{ children: ComponentChildren }, { fault: unknown }> {
  componentDidCatch(fault: unknown) {
    this.setState({ fault });
  }
  render() {
    if (!this.state.fault) return this.props.children;
    return (
      <Notice kind="bad" title="The console has a fault: this page can’t be drawn.">
        <p><code>{String(this.state.fault)}</code></p>
        <p>The gateway itself is not concerned. Load the page again, and tell whoever maintains Runnel what you did.</p>
      </Notice>
    );
  }
}

function PageAt({ path }: { path: string }) {
  const Plain = pages[path];
  if (Plain) return <Plain />;
  for (const [prefix, Detail] of Object.entries(detailPages)) {
    const id = path.startsWith(prefix) ? decoded(path.slice(prefix.length)) : '';
    if (id) return <Detail id={id} key={id} />;
  }
  return <NotFoundPage path={path} />;
}

// Whoever came by a one-time link is signed in with its ticket, which does not stay in the address.
async function enterByLink(): Promise<Session | undefined> {
  const ticket = new URLSearchParams(location.search).get('ticket');
  if (!ticket) return undefined;
  setQuery({ ticket: undefined });
  try {
    return await enter(ticket);
  } catch (error) {
    const { status } = asApiError(error);
    if (status === 0) throw error;
    return undefined; // it was used, or is too old: the page says how to get another
  }
}

export function App() {
  const [session, setSession] = useState<Session>();
  const [problem, setProblem] = useState<ApiError>();
  const [wasOver, setWasOver] = useState(false);
  const { path } = usePlace();

  const find = async () => {
    try {
      setSession(await enterByLink() ?? await askSession());
      setProblem(undefined);
    } catch (error) {
      setProblem(asApiError(error));
    }
  };
  useEffect(() => {
    whenSessionIsOver(() =>
      setSession((before) => {
        if (before?.signed_in) setWasOver(true);
        return before && { ...before, signed_in: false };
      }),
    );
    void find();
  }, []);

  if (problem)
    return <main class="alone"><Problem error={problem} what="The console can’t reach its gateway" retry={() => void find()} /></main>;
  if (!session) return <main class="alone"><Loading /></main>;
  if (!session.signed_in) {
    if (!session.needs_token) return <ByLinkPage wasOver={wasOver} />;
    const signedIn = (next: Session) => {
      setWasOver(false);
      setSession(next);
    };
    return <SignInPage wasOver={wasOver} onSignedIn={signedIn} />;
  }
  return (
    <Frame path={path} onSignedOut={setSession}>
      <Fenced key={path}><PageAt path={path} /></Fenced>
    </Frame>
  );
}
