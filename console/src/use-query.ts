// What a part of the page has asked for: the last answer, the last problem, and a way to ask again.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { asApiError, type ApiError, isAbort } from './api/http';

export interface Query<Answer> {
  data: Answer | undefined;
  error: ApiError | undefined;
  loading: boolean;
  reload: () => void;
}

type Load<Answer> = (signal: AbortSignal) => Promise<Answer>;

// Asks when it begins and whenever `parameters` change; with `every`, again so many milliseconds after each answer,
// while the page can be seen. The last answer stays until there is another.
export function useQuery<Answer>(load: Load<Answer>, parameters: readonly unknown[], every?: number): Query<Answer> {
  const [data, setData] = useState<Answer>();
  const [error, setError] = useState<ApiError>();
  const [loading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const run = async () => {
      try {
        const answer = await latest.current(stop.signal);
        if (stop.signal.aborted) return;
        setData(answer);
        setError(undefined);
      } catch (problem) {
        if (stop.signal.aborted || isAbort(problem)) return;
        setError(asApiError(problem));
      }
      setLoading(false);
      if (every !== undefined) timer = setTimeout(again, every);
    };
    const again = () => {
      if (document.hidden) document.addEventListener('visibilitychange', again, { once: true });
      else void run();
    };
    setLoading(true);
    void run();
    return () => {
      stop.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', again);
    };
  }, [...parameters, every, turn]);

  const reload = useCallback(() => setTurn((before) => before + 1), []);
  return { data, error, loading, reload };
}

// Something that the user has the gateway do: whether it runs, and what went wrong.
export function useAction<Arguments extends unknown[]>(act: (...given: Arguments) => Promise<void>) {
  const [error, setError] = useState<ApiError>();
  const [running, setRunning] = useState(false);
  const run = async (...given: Arguments) => {
    setRunning(true);
    setError(undefined);
    try {
      await act(...given);
    } catch (problem) {
      if (!isAbort(problem)) setError(asApiError(problem));
    } finally {
      setRunning(false);
    }
  };
  return { run, running, error, clear: () => setError(undefined) };
}
