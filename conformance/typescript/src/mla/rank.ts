// Whether the columns of a matrix are independent.

/** The smallest singular value is greater than this part of the largest. */
const LEAST_PART = 1e-9;

const MOST_SWEEPS = 60;

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, value, row) => sum + value * (b[row] ?? 0), 0);

/** Columns with the largest number between 1 and 2 in size, by a power of two. */
function scaledColumns(rows: readonly (readonly number[])[]): number[][] {
  const most = Math.max(0, ...rows.flat().map(Math.abs));
  const power = most === 0 ? 0 : Math.floor(Math.log2(most));
  const half = Math.trunc(power / 2);
  const width = rows[0]?.length ?? 0;
  return Array.from({ length: width }, (_, column) => rows.map((row) => (row[column] ?? 0) * 2 ** -half * 2 ** (half - power)));
}

/** Turn two columns so that they stand at right angles; whether they had to be turned. */
function turn(a: number[], b: number[]): boolean {
  const [alpha, beta, gamma] = [dot(a, a), dot(b, b), dot(a, b)];
  if (Math.abs(gamma) <= Number.EPSILON * Math.sqrt(alpha) * Math.sqrt(beta)) return false;
  const zeta = (beta - alpha) / (2 * gamma);
  const tangent = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const cosine = 1 / Math.hypot(1, tangent);
  const sine = cosine * tangent;
  a.forEach((value, row) => {
    const other = b[row] ?? 0;
    a[row] = cosine * value - sine * other;
    b[row] = sine * value + cosine * other;
  });
  return true;
}

/** The singular values of a matrix, up to a power of two that they share; by turning its columns two at a time. */
function singularValues(rows: readonly (readonly number[])[]): number[] {
  const columns = scaledColumns(rows);
  for (let sweep = 0, turned = true; turned && sweep < MOST_SWEEPS; sweep += 1) {
    turned = false;
    for (const [position, column] of columns.entries()) {
      for (const other of columns.slice(position + 1)) turned = turn(column, other) || turned;
    }
  }
  return columns.map((column) => Math.hypot(...column));
}

/**
 * Whether the columns of a matrix, given by its rows, are independent: there are no more columns than rows, and the smallest
 * singular value is greater than 1e-9 times the largest.
 */
export function independentColumns(rows: readonly (readonly number[])[]): boolean {
  const width = rows[0]?.length ?? 0;
  if (width > rows.length) return false;
  const values = singularValues(rows);
  return Math.min(...values) > LEAST_PART * Math.max(...values);
}
