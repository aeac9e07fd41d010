// A crop, resampled to the patch along one axis.

/**
 * Where the output voxels of a patch lie in a crop.
 *
 * @param size voxels of the crop
 * @param count voxels of the output
 * @returns per output voxel a position between 0, the centre of the first voxel of the crop, and size - 1
 */
export function outputPositions(size: number, count: number): number[] {
  return Array.from({ length: count }, (_, j) => {
    const position = ((2 * j + 1) * size) / (2 * count) - 0.5;
    return Math.min(Math.max(position, 0), size - 1);
  });
}

/**
 * The values of an image at the output voxels, interpolated linearly between the two voxels around each; NaN where one of
 * the two is, whatever its weight.
 */
export function resampleLinear(values: readonly number[], count: number): number[] {
  return outputPositions(values.length, count).map((position) => {
    const lower = Math.floor(position);
    const part = position - lower;
    const upper = Math.min(lower + 1, values.length - 1);
    return values[lower]! * (1 - part) + values[upper]! * part;
  });
}

/** The voxel of the crop that each output voxel of labels takes: the first of those that it covers. */
export function labelVoxels(size: number, count: number): number[] {
  return Array.from({ length: count }, (_, j) => Math.floor((j * size) / count));
}
