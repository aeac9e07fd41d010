// A small store in each dialect.

import type { Document } from "./documents.js";

/** Documents under a name that links can use. */
export interface Example {
  readonly id: string;
  readonly label: string;
  readonly flawed?: boolean;
  readonly documents: readonly Document[];
}

/** Numbers of a list stay on one line. */
const text = (value: unknown): string =>
  JSON.stringify(value, null, 2).replace(/\[[^[\]{}]*\]/g, (list) =>
    list.replace(/\s+/g, " ").replace(/^\[ | \]$/g, (end) => end.trim()),
  );

const store = (documents: Readonly<Record<string, unknown>>): readonly Document[] =>
  Object.entries(documents).map(([path, value]) => ({ path, text: text(value) }));

const AXES = ["z", "y", "x"].map((name) => ({ name, type: "space", unit: "nanometer" }));

/** Voxel size and first centre per level: each centre is the corner (1000, -200, 32) and half a voxel. */
const PLACES = [
  { path: "s0", scale: [40, 8, 4], translation: [1020, -196, 34] },
  { path: "s1", scale: [40, 16, 8], translation: [1020, -192, 36] },
  { path: "s2", scale: [80, 32, 16], translation: [1040, -184, 40] },
];
const SHAPES = [
  [50, 120, 160],
  [50, 60, 80],
  [25, 30, 40],
];

const zarray = (shape: readonly number[]): unknown => ({
  zarr_format: 2,
  shape,
  chunks: shape.map((size) => Math.min(size, 32)),
  dtype: "|u1",
  compressor: null,
  fill_value: 0,
  order: "C",
  filters: null,
  dimension_separator: "/",
});

const zarrJson = (shape: readonly number[], more: object = {}): unknown => ({
  zarr_format: 3,
  node_type: "array",
  shape,
  data_type: "uint8",
  chunk_grid: { name: "regular", configuration: { chunk_shape: shape.map((size) => Math.min(size, 32)) } },
  chunk_key_encoding: { name: "default", configuration: { separator: "/" } },
  fill_value: 0,
  codecs: [{ name: "bytes" }],
  ...more,
});

const transforms = ({ scale, translation }: (typeof PLACES)[number]): unknown => [
  { type: "scale", scale },
  { type: "translation", translation },
];

const multiscale = (places: typeof PLACES): object => ({
  axes: AXES,
  datasets: places.map((place) => ({ path: place.path, coordinateTransformations: transforms(place) })),
});

const ngff4 = (places: typeof PLACES): Record<string, unknown> => ({
  ".zattrs": { multiscales: [{ version: "0.4", name: "em", ...multiscale(places) }] },
  ...Object.fromEntries(places.map(({ path }, level) => [`${path}/.zarray`, zarray(SHAPES[level] ?? [])])),
});

const ngff5 = {
  "zarr.json": {
    zarr_format: 3,
    node_type: "group",
    attributes: { ome: { version: "0.5", multiscales: [{ name: "em", ...multiscale(PLACES) }] } },
    consolidated_metadata: {
      kind: "inline",
      must_understand: false,
      metadata: Object.fromEntries(PLACES.map(({ path }, level) => [path, zarrJson(SHAPES[level] ?? [])])),
    },
  },
};

const ngff6 = {
  "zarr.json": {
    zarr_format: 3,
    node_type: "group",
    attributes: {
      ome: {
        version: "0.6rc0",
        multiscales: [
          {
            coordinateSystems: [{ name: "intrinsic", axes: AXES }],
            datasets: PLACES.map((place) => ({
              path: place.path,
              coordinateTransformations: [
                {
                  type: "sequence",
                  input: { path: place.path },
                  output: { name: "intrinsic" },
                  transformations: transforms(place),
                },
              ],
            })),
          },
        ],
      },
    },
  },
};

const cosem = {
  "attributes.json": {
    axes: ["x", "y", "z"],
    multiscales: [
      {
        name: "em",
        datasets: PLACES.map(({ path, scale, translation }) => ({
          path,
          transform: { axes: ["z", "y", "x"], units: ["nm", "nm", "nm"], scale, translate: translation },
        })),
      },
    ],
  },
};

const n5 = {
  "attributes.json": {
    n5: "4.0.0",
    axes: ["x", "y", "z"],
    pixelResolution: { unit: "um", dimensions: [0.25, 0.5, 2] },
    scales: [
      [1, 1, 1],
      [2, 2, 1],
      [4, 4, 2],
    ],
  },
  "s0/attributes.json": {
    dimensions: [400, 300, 60],
    blockSize: [64, 64, 64],
    dataType: "uint16",
    compression: { type: "gzip" },
  },
};

const funlib = {
  ".zattrs": { resolution: [50, 6, 5], offset: [100, 60, -20], axis_names: ["z", "y", "x"], units: ["nm", "nm", "nm"] },
  ".zarray": zarray([20, 90, 120]),
};

const dimensionUnits = {
  "zarr.json": zarrJson([30, 64, 48], {
    dimension_names: ["z", "y", "x"],
    attributes: { dimension_units: ["40 nm", "8 nm", "6 nm"] },
  }),
};

const precomputed = {
  info: {
    "@type": "neuroglancer_multiscale_volume",
    type: "image",
    data_type: "uint8",
    num_channels: 1,
    scales: [
      { key: "4_8_40", size: [160, 120, 50], resolution: [4, 8, 40], voxel_offset: [8, -24, 25] },
      { key: "8_16_40", size: [80, 60, 50], resolution: [8, 16, 40], voxel_offset: [4, -12, 25] },
    ].map((scale) => ({ ...scale, encoding: "raw", chunk_sizes: [[64, 64, 64]] })),
  },
};

const [first, second, third] = PLACES as [(typeof PLACES)[number], (typeof PLACES)[number], (typeof PLACES)[number]];

/** Level s2 lies at 38 on x; the corner 32 and half a voxel of 16 are 40. */
const shifted = ngff4([first, second, { ...third, translation: [1040, -184, 38] }]);

/** A scale with two entries for three axes. */
const short = ngff4([first, { ...second, scale: [16, 8] }, third]);

export const EXAMPLES: readonly Example[] = [
  { id: "ome-ngff-0.4", label: "OME-NGFF 0.4", documents: store(ngff4(PLACES)) },
  { id: "ome-ngff-0.5", label: "OME-NGFF 0.5", documents: store(ngff5) },
  { id: "ome-ngff-0.6", label: "OME-NGFF 0.6", documents: store(ngff6) },
  { id: "cosem", label: "COSEM N5", documents: store(cosem) },
  { id: "n5", label: "N5 viewer", documents: store(n5) },
  { id: "funlib", label: "funlib", documents: store(funlib) },
  { id: "dimension-units", label: "zarr v3 with dimension_units", documents: store(dimensionUnits) },
  { id: "precomputed", label: "Neuroglancer precomputed", documents: store(precomputed) },
  { id: "misplaced", label: "A level that lies off", flawed: true, documents: store(shifted) },
  { id: "short-scale", label: "A scale that is too short", flawed: true, documents: store(short) },
];
