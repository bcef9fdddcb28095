import type { Period } from '../api/types';

// Periods begin at midnight UTC: of a day, a Monday, or a month's first.
export function beginOf(period: Period, now = new Date()): Date {
  const day = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
  if (period === 'week') day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
  if (period === 'month') day.setUTCDate(1);
  return period === 'total' ? new Date(0) : day;
}
