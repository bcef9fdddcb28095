// How much of their budgets the keys have spent.

import { usage } from '../api/endpoints';
import { type Key, type Period, periods } from '../api/types';
import { usd } from '../format';
import { Meter } from '../ui/meter';
import { useQuery } from '../use-query';
import { beginOf } from './budget-period';

// What each key has spent in each period that is running; none while it is not known.
export type Spending = Map<string, number> | undefined;

const nameOf = (period: Period, key: string) => `${period} ${key}`;

export function useSpending(keys: readonly Key[]): Spending {
  const used = periods.filter((period) => keys.some((key) => key.budget?.period === period));
  const { data } = useQuery(async (signal) => {
    const answers = await Promise.all(used.map((period) => usage({ from: beginOf(period).toISOString(), group_by: 'key' }, signal)));
    return new Map(answers.flatMap(({ data: rows }, at) => rows.map((row) => [nameOf(used[at]!, row.group ?? ''), row.cost_usd] as const)));
  }, [used.join()], 15_000);
  return data;
}

export function BudgetBar({ budgetOf: key, spending }: { budgetOf: Key; spending: Spending }) {
  if (!key.budget) return <>–</>;
  const { usd: limit, period } = key.budget;
  const per = period === 'total' ? 'in all' : `per ${period}`;
  if (!spending) return <>{usd(limit)} {per}</>;
  const spent = spending.get(nameOf(period, key.id)) ?? 0;
  return <Meter label={`Budget of ${key.name || key.masked}`} value={spent} max={limit} text={`${usd(spent)} of ${usd(limit)} ${per}`} />;
}
