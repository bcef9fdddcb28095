// Series over time, drawn by uPlot in the colours of the theme.

import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

import { moment, shortDate } from '../format';

import 'uplot/dist/uPlot.min.css';

export interface Series {
  title: string;
  values: readonly (number | null)[];
  tone: 'one' | 'two' | 'three' | 'bad';
  drawn: 'bars' | 'line';
}

interface ChartProps {
  title: string; // what a screen reader says instead
  times: readonly number[]; // in milliseconds
  series: readonly Series[];
  format: (value: number) => string;
  height?: number;
  class?: string;
}

// A colour as the theme resolves it: canvas knows no custom properties.
function colourOf(element: Element, name: string): string {
  const probe = document.createElement('i');
  probe.className = `colour-${name}`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function optionsFor(frame: HTMLElement, { series, format, height = 160 }: ChartProps): uPlot.Options {
  const soft = colourOf(frame, 'soft');
  const grid = { stroke: colourOf(frame, 'line'), width: 1 };
  const font = '12px system-ui, sans-serif';
  const bars = uPlot.paths.bars!({ size: [0.7, 40], align: 0 });
  const line = uPlot.paths.linear!({});
  const drawn = series.map(({ title, tone, drawn: how }): uPlot.Series => {
    const stroke = colourOf(frame, tone);
    const value = (_: uPlot, at: number | null) => (at === null ? '' : format(at));
    return how === 'bars'
      ? { label: title, stroke, fill: stroke, width: 0, paths: bars, points: { show: false }, value }
      : { label: title, stroke, width: 2, paths: line, spanGaps: false, points: { show: true, size: 6, fill: stroke, filter: alone }, value };
  });
  return {
    width: frame.clientWidth,
    height,
    scales: { x: { range: withMargins }, y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] } },
    legend: { live: true },
    cursor: { drag: { x: false, y: false } },
    series: [{ label: '', value: (_, at: number | null) => (at === null ? '' : moment(at * 1000)) }, ...drawn],
    axes: [
      { stroke: soft, grid: { show: false }, ticks: grid, font, values: (_, at, __, ___, step) => at.map((time) => timeOf(time, step)) },
      { stroke: soft, grid, ticks: { show: false }, font, size: 64, incrs: stepsFor, values: (_, at) => at.map(format) },
    ],
  };
}

const roundSteps = Array.from({ length: 24 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** (power - 9))).flat();

// What is counted has no halves.
function stepsFor(plot: uPlot): number[] {
  const isCounted = plot.data.slice(1).every((values) => [...values].every((value) => Number.isInteger(value ?? 0)));
  return isCounted ? roundSteps.filter((step) => step >= 1) : roundSteps;
}

// Points without neighbours: no line would show them.
function alone(plot: uPlot, series: number): number[] {
  const values = plot.data[series]!;
  const isNone = (at: number) => values[at] === null || values[at] === undefined;
  return [...values.keys()].filter((at) => !isNone(at) && isNone(at - 1) && isNone(at + 1));
}

// Hours and minutes, or the day where the steps are days.
function timeOf(seconds: number, step: number): string {
  const at = new Date(seconds * 1000);
  if (step >= 86_400 || (at.getHours() === 0 && at.getMinutes() === 0)) return shortDate(at);
  return `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
}

// Half a step more at both ends, so that the outermost bars are whole.
function withMargins(plot: uPlot, from: number, until: number): uPlot.Range.MinMax {
  const [first = 0, second = 0] = plot.data[0];
  const half = Math.max(1, (second - first) / 2);
  return [from - half, until + half];
}

const dataOf = ({ times, series }: ChartProps): uPlot.AlignedData => [
  times.map((time) => time / 1000),
  ...series.map(({ values }) => [...values]),
];

export function Chart(props: ChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const shape = props.series.map(({ title, drawn }) => title + drawn).join();

  useEffect(() => {
    const element = frame.current!;
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsFor(element, latest.current), dataOf(latest.current), element);
    };
    draw();
    const resized = new ResizeObserver(() => {
      const { height = 160 } = latest.current;
      if (element.clientWidth > 0 && element.clientWidth !== plot.current?.width)
        plot.current?.setSize({ width: element.clientWidth, height });
    });
    resized.observe(element);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    addEventListener('themechange', draw);
    return () => {
      resized.disconnect();
      scheme.removeEventListener('change', draw);
      removeEventListener('themechange', draw);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [shape]);

  useEffect(() => plot.current?.setData(dataOf(props)), [props.times, props.series]);

  return (
    <figure class={`chart ${props.class ?? ''}`}>
      <figcaption>{props.title}</figcaption>
      <div ref={frame} role="img" aria-label={summary(props)} />
    </figure>
  );
}

// What the picture says, in a sentence.
function summary({ title, times, series, format }: ChartProps): string {
  const told = series.map(({ title: name, values }) => {
    const known = values.filter((value) => value !== null);
    return known.length ? `${name} up to ${format(Math.max(...known))}` : `no ${name}`;
  });
  return `${title}: ${times.length} points; ${told.join(', ')}.`;
}
