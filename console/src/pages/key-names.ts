// Keys by the names that people gave them.

import { keys } from '../api/endpoints';
import { useQuery } from '../use-query';

export type KeyNames = Map<string, string>;

export function useKeyNames(): KeyNames {
  const { data } = useQuery((signal) => keys(undefined, signal), []);
  return new Map(data?.data.map((key) => [key.id, key.name || key.masked]));
}
