// Arrays in memory, as far as their elements are moved.

/** An array: elements flat in C order, in whatever form they are held. */
export interface MlaArray<Element> {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: ArrayLike<Element>;
}

/** How far apart in `data` neighbours along each axis are. */
export function stridesOf(shape: readonly number[]): readonly number[] {
  const strides = new Array<number>(shape.length).fill(1);
  for (let axis = shape.length - 2; axis >= 0; axis -= 1) strides[axis] = (strides[axis + 1] ?? 1) * (shape[axis + 1] ?? 1);
  return strides;
}

/** How many elements a shape has. */
export const countOf = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

/** Calls `visit` with the offset of each index of a shape in C order: start + sum of index * strides. */
export function walk(
  shape: readonly number[],
  strides: readonly number[],
  start: number,
  visit: (offset: number) => void,
): void {
  const count = countOf(shape);
  const index = new Array<number>(shape.length).fill(0);
  let offset = start;
  for (let done = 0; done < count; done += 1) {
    visit(offset);
    for (let axis = shape.length - 1; axis >= 0; axis -= 1) {
      const [at, stride] = [(index[axis] ?? 0) + 1, strides[axis] ?? 0];
      offset += stride;
      index[axis] = at;
      if (at < (shape[axis] ?? 0)) break;
      offset -= at * stride;
      index[axis] = 0;
    }
  }
}
