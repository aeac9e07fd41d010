// One scale along one axis: how many voxels it reads, where windows may begin, what the labels read. Places are counted
// from the lower corner of level 0 of the image.

/** A pyramid's level along one axis. */
export interface Line {
  /** The lower corner of voxel 0. */
  readonly corner: number;
  /** The size of a voxel. */
  readonly voxel: number;
  /** Voxels of the level. */
  readonly size: number;
  /** Voxels of it that a window reads. */
  readonly read: number;
}

/** A scale along one axis. */
export interface Axis {
  /** Voxels of the output. */
  readonly patch: number;
  /** The level of the image that is read. */
  readonly image: Line;
  /** Level 0 of the image; `read` has no meaning. */
  readonly base: Line;
  /** Whether `image` is level 0. */
  readonly finest: boolean;
  /** The level of the labels that is read, where there are labels. */
  readonly label: Line | null;
  /** Whether labels are taken voxel by voxel, by position. */
  readonly position: boolean;
  /** Whether windows may leave the labels. */
  readonly filled: boolean;
  /** The bounding box in level-0 voxels. */
  readonly box: readonly [number, number] | null;
}

/** Origins of windows or centres, both ends inclusive; none where the first is above the last. */
export type Span = readonly [first: number, last: number];

const NOISE = 1e-9;
const FAR = 2 ** 53;

export const clamp = (value: number, low: number, high: number): number => Math.max(Math.min(value, high), low);

/** The least integer from `low` to `high` where a condition holds that stays once it does; high + 1 where none is. */
export function firstWhere(low: number, high: number, holds: (value: number) => boolean): number {
  let [from, to] = [low, high + 1];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (holds(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** The greatest integer from `low` to `high` where a condition holds that never comes back; low - 1 where none is. */
export function lastWhere(low: number, high: number, holds: (value: number) => boolean): number {
  return firstWhere(low, high, (value) => !holds(value)) - 1;
}

/** The greatest integer up to `high` where a condition that never comes back holds, however far below it lies. */
function lastBelow(high: number, holds: (value: number) => boolean): number {
  let step = 1;
  while (!holds(high - step) && step < FAR) step *= 2;
  return lastWhere(high - step, high, holds);
}

/** Where the window around a level-0 voxel begins, in voxels of the level that is read. */
export function windowStart(axis: Axis, centre: number): number {
  const { image, base, patch } = axis;
  if (axis.finest) return centre - Math.floor(image.read / 2);
  const point = base.corner + (centre + (patch % 2 === 0 ? 0 : 0.5)) * base.voxel;
  return nearestStart(image, point);
}

/** The origin of the window whose middle is nearest a place, of two the one nearer the origin. */
export function nearestStart(image: Line, place: number): number {
  return Math.ceil((place - image.corner) / image.voxel - image.read / 2 - 0.5 - NOISE) + 0;
}

/** The voxel of the labels that output voxel `j` of a window from `start` on takes. */
export function labelAt(axis: Axis, label: Line, start: number, j: number): number {
  const { image, patch } = axis;
  const place = image.corner + (start + ((2 * j + 1) * image.read) / (2 * patch)) * image.voxel;
  return Math.floor((place - label.corner) / label.voxel + NOISE) + 0;
}

/** The first voxel of the labels that a window from `start` on asks for, before it is moved. */
export function labelStart(axis: Axis, label: Line, start: number): number {
  if (axis.position) return labelAt(axis, label, start, 0);
  const { image } = axis;
  const middle = image.corner + (start + image.read / 2) * image.voxel;
  return Math.floor((middle - label.corner) / label.voxel - label.read / 2 + 0.5 + NOISE) + 0;
}

/** The first voxel of the labels that is read: moved into the level unless labels are filled. */
export function labelOrigin(axis: Axis, label: Line, start: number): number {
  const asked = labelStart(axis, label, start);
  return axis.filled ? asked : clamp(asked, 0, Math.max(label.size - label.read, 0));
}

/** Per output voxel the voxel of the label window, from its first on, that it takes by position. */
export function labelVoxelsOf(axis: Axis, label: Line, start: number): number[] {
  const origin = labelOrigin(axis, label, start);
  return Array.from({ length: axis.patch }, (_, j) =>
    clamp(labelAt(axis, label, start, j) - origin, 0, label.read - 1),
  );
}

/** Whether no label that a window from `start` on needs lies behind the last one. */
function labelsEnd(axis: Axis, label: Line, start: number): boolean {
  if (axis.position) return labelAt(axis, label, start, axis.patch - 1) <= label.size - 1;
  return labelStart(axis, label, start) <= label.size - label.read;
}

/** The origins that level and bounding box allow. */
function imageSpan({ image, base, box }: Axis): Span {
  const last = image.size - image.read;
  if (box === null) return [0, last];
  const [begin, end] = boxOf(image, base, box);
  return [Math.max(0, begin), Math.min(last, end - image.read)];
}

/** The whole voxels of a level in a bounding box of level-0 voxels: the first, and the one behind the last. */
export function boxOf(image: Line, base: Line, box: readonly [number, number]): Span {
  const place = (voxel: number): number => (base.corner + voxel * base.voxel - image.corner) / image.voxel;
  return [Math.ceil(place(box[0]) - NOISE), Math.floor(place(box[1]) + NOISE)];
}

/** Where a window may begin, both ends inclusive; where it may nowhere, the last is what the upper bounds allow. */
export function startSpan(axis: Axis): Span {
  const { label } = axis;
  const [first, last] = imageSpan(axis);
  if (label === null || axis.filled) return [first, last];
  const upper = labelsEnd(axis, label, last) ? last : lastBelow(last, (start) => labelsEnd(axis, label, start));
  return [firstWhere(first, upper, (start) => labelStart(axis, label, start) >= 0), upper];
}

/** The nearest origin at which a window may begin; where it may nowhere, the last that the upper bounds allow. */
export function movedInside(axis: Axis, start: number): number {
  const [first, last] = startSpan(axis);
  if (first <= last) return clamp(start, first, last);
  return clamp(last, 0, Math.max(axis.image.size - axis.image.read, 0));
}

/** The origins of windows that cover the range from `begin` to `end`, places counted from the corner of level 0. */
export function coveringSpan(axis: Axis, begin: number, end: number): Span {
  const { image } = axis;
  const [first, last] = startSpan(axis);
  const from = Math.max(first, Math.ceil((end - image.corner) / image.voxel - image.read - NOISE) + 0);
  const to = Math.min(last, Math.floor((begin - image.corner) / image.voxel + NOISE) + 0);
  if (from <= to) return [from, to];
  const nearest = movedInside(axis, nearestStart(image, (begin + end) / 2));
  return [nearest, nearest];
}

/** The level-0 voxels from `within` around which the window begins in a span. */
export function centresOf(axis: Axis, [first, last]: Span, within: Span): Span {
  const [low, high] = within;
  if (low > high || first > last) return [low, low - 1];
  return [
    firstWhere(low, high, (centre) => windowStart(axis, centre) >= first),
    lastWhere(low, high, (centre) => windowStart(axis, centre) <= last),
  ];
}

/** The level-0 voxels whose middle lies on level 0 of the labels. */
export function centresOnLabels(base: Line, labels: Line): Span {
  const behind = (place: number): number => Math.ceil((place - base.corner) / base.voxel - 0.5 - NOISE) + 0;
  return [behind(labels.corner), behind(labels.corner + labels.size * labels.voxel) - 1];
}
