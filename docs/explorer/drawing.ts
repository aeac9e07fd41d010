// Boxes drawn to scale in a plane: the whole of each level, and the first voxel of each.

import { type Axis, type Box, digits, inUnit, short } from "./boxes.js";

/** A box to draw and the number of its colour. */
export interface Drawn extends Box {
  readonly colour: number;
}

/** The axes of a plane by name: down the picture, and across it. */
export type Plane = readonly [string, string];

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Shape {
  readonly name: string;
  readonly colour: number;
  readonly down: Range;
  readonly across: Range;
  /** The centre of voxel 0, where it is drawn. */
  readonly centre?: readonly [number, number];
}

interface Frame {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  readonly down: Range;
  readonly across: Range;
}

const WIDTH = 480;
const HEIGHT = 340;
const MARGIN = { left: 84, right: 60, top: 34, bottom: 40 };

function element(name: string, attributes: Readonly<Record<string, string | number>>, text?: string): SVGElement {
  const found = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, String(value));
  if (text !== undefined) found.textContent = text;
  return found;
}

const axisOf = ({ axes }: Box, name: string): Axis | undefined =>
  axes.find((axis) => axis.name === name && axis.spatial);

/** The planes of pairs of spatial axes, the last two first. */
export function planesOf(boxes: readonly Box[]): readonly Plane[] {
  const names =
    boxes
      .find(({ axes }) => axes.length > 0)
      ?.axes.filter(({ spatial }) => spatial)
      .map(({ name }) => name) ?? [];
  const pairs = names.flatMap((down, first) => names.slice(first + 1).map((across): Plane => [down, across]));
  return pairs.reverse();
}

/** The unit of a plane: that of its axis across. */
export const unitOf = (boxes: readonly Box[], [, across]: Plane): string =>
  boxes.map((box) => axisOf(box, across)?.unit).find((unit) => unit !== undefined) ?? "";

/** Shapes of boxes that have both axes: all of a level where its shape is known, or its voxel 0. */
export function shapesOf(boxes: readonly Drawn[], [down, across]: Plane, whole: boolean): readonly Shape[] {
  const unit = unitOf(boxes, [down, across]);
  const range = (axis: Axis): Range | undefined => {
    const end = whole ? axis.end : axis.corner + axis.size;
    if (end === null) return undefined;
    return { from: inUnit(axis.corner, axis.unit, unit), to: inUnit(end, axis.unit, unit) };
  };
  return boxes.flatMap((box): readonly Shape[] => {
    const [one, other] = [axisOf(box, down), axisOf(box, across)];
    const [rows, columns] = [one && range(one), other && range(other)];
    if (one === undefined || other === undefined || rows === undefined || columns === undefined) return [];
    const centre = [inUnit(one.translation, one.unit, unit), inUnit(other.translation, other.unit, unit)] as const;
    return [{ name: box.name, colour: box.colour, down: rows, across: columns, ...(whole ? {} : { centre }) }];
  });
}

const around = (ranges: readonly Range[]): Range => ({
  from: Math.min(...ranges.map(({ from }) => from)),
  to: Math.max(...ranges.map(({ to }) => to)),
});

function frameOf(shapes: readonly Shape[]): Frame {
  const [down, across] = [around(shapes.map((shape) => shape.down)), around(shapes.map((shape) => shape.across))];
  const [wide, high] = [WIDTH - MARGIN.left - MARGIN.right, HEIGHT - MARGIN.top - MARGIN.bottom];
  const scale = Math.min(wide / (across.to - across.from || 1), high / (down.to - down.from || 1));
  const [width, height] = [(across.to - across.from) * scale, (down.to - down.from) * scale];
  return { left: MARGIN.left + (wide - width) / 2, top: MARGIN.top, width, height, scale, down, across };
}

const px = (value: number): number => Number(value.toFixed(2));

function drawnBox(shape: Shape, frame: Frame, unit: string): readonly SVGElement[] {
  const x = px(frame.left + (shape.across.from - frame.across.from) * frame.scale);
  const y = px(frame.top + (shape.down.from - frame.down.from) * frame.scale);
  const width = px(Math.max((shape.across.to - shape.across.from) * frame.scale, 1));
  const height = px(Math.max((shape.down.to - shape.down.from) * frame.scale, 1));
  const box = element("rect", { class: `box level-${shape.colour}`, "data-level": shape.name, x, y, width, height });
  const spans = [shape.down, shape.across].map(({ from, to }) => `${digits(from)} to ${digits(to)}`);
  box.append(element("title", {}, `${shape.name}: ${spans.join("; ")} ${unit}`));
  const named = shape.centre !== undefined && width >= 30 && height >= 18;
  return named ? [box, labelIn(shape.name, x + width, y + height, width)] : [box];
}

function drawnCentre({ name, colour, centre }: Shape, frame: Frame, unit: string): readonly SVGElement[] {
  if (centre === undefined) return [];
  const [down, across] = centre;
  const dot = element("circle", {
    class: `dot level-${colour}`,
    "data-level": name,
    cx: px(frame.left + (across - frame.across.from) * frame.scale),
    cy: px(frame.top + (down - frame.down.from) * frame.scale),
    r: 4.5,
  });
  dot.append(element("title", {}, `${name}: centre at ${digits(down)}; ${digits(across)} ${unit}`));
  return [dot];
}

/** The name of a level in the lower right of its voxel. */
function labelIn(name: string, right: number, bottom: number, width: number): SVGElement {
  const room = Math.floor((width - 8) / 7);
  const text = name.length > room ? `${name.slice(0, Math.max(1, room - 1))}…` : name;
  return element("text", { class: "name", x: px(right - 5), y: px(bottom - 6), "text-anchor": "end" }, text);
}

/** The bounds of the frame, and the names of its axes. */
function scales(frame: Frame, [down, across]: Plane, unit: string): readonly SVGElement[] {
  const { left, top, width, height } = frame;
  const bottom = top + height + 18;
  const text = (words: string, x: number, y: number, anchor: string, kind = "tick"): SVGElement =>
    element("text", { class: kind, x: px(x), y: px(y), "text-anchor": anchor }, words);
  const apart = height >= 16;
  const ends = width >= 90 ? (["middle", "middle"] as const) : (["end", "start"] as const);
  return [
    text(digits(frame.across.from), left, bottom, ends[0]),
    text(digits(frame.across.to), left + width, bottom, ends[1]),
    text(digits(frame.down.from), left - 8, top + (apart ? 5 : -6), "end"),
    text(digits(frame.down.to), left - 8, top + height + (apart ? 4 : 10), "end"),
    text(`${across} → ${unit}`, left + width / 2, top - 12, "middle", "axis"),
    text(`${down} ↓`, left - 8, top + height / 2 + 4, "end", "axis"),
  ];
}

/** A drawing of shapes; undefined where there is nothing to draw. */
export function drawing(boxes: readonly Drawn[], plane: Plane, whole: boolean): SVGElement | undefined {
  const shapes = shapesOf(boxes, plane, whole);
  if (shapes.length === 0) return undefined;
  const frame = frameOf(shapes);
  if (!Number.isFinite(frame.width) || !Number.isFinite(frame.height)) return undefined;
  const unit = short(unitOf(boxes, plane));
  const what = whole ? "Extent of each level" : "First voxel of each level and its centre";
  const label = `${what}, ${plane.join(" down, ")} across: ${shapes.map(({ name }) => name).join(", ")}`;
  const height = Math.ceil(frame.top + frame.height + MARGIN.bottom - 8);
  const svg = element("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": label });
  const areas = (shape: Shape): number => (shape.down.to - shape.down.from) * (shape.across.to - shape.across.from);
  const ordered = [...shapes].sort((a, b) => areas(b) - areas(a));
  svg.append(...scales(frame, plane, unit), ...ordered.flatMap((shape) => drawnBox(shape, frame, unit)));
  svg.append(...ordered.flatMap((shape) => drawnCentre(shape, frame, unit)));
  return svg;
}
