import { checkPyramid, selectLevel } from "../src/levels/index.js";
import type { Input, Ops } from "./op.js";

const numbers = (values: readonly (number | bigint)[]): readonly number[] => values.map(Number);

export const ops: Ops = {
  "levels.select": ({ levels, voxel_size, mode }) => {
    const sized = levels.map((level: Input) => ({ name: level.name, voxelSize: numbers(level.voxel_size) }));
    return selectLevel(sized, numbers(voxel_size), mode).name;
  },
  "levels.check": ({ levels }, warn) => {
    const placed = levels.map((level: Input) => ({
      name: level.name,
      voxelSize: numbers(level.voxel_size),
      translation: numbers(level.translation),
      declared: level.declared ?? false,
    }));
    return checkPyramid(placed, warn).map(({ name, translation, blockMeanTranslation }) => ({
      name,
      translation,
      block_mean_translation: blockMeanTranslation,
    }));
  },
};
