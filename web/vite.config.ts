// `vite build --mode NAME` makes dist/NAME.js and dist/NAME.css of src/NAME/main.ts: one script and
// one style sheet for each kind of page, so that a page can carry both in itself.
import { defineConfig } from "vite";

export default defineConfig(({ mode }) => ({
  build: {
    target: "es2020",
    lib: {
      entry: `src/${mode}/main.ts`,
      name: mode,
      formats: ["iife"],
      fileName: () => `${mode}.js`,
      cssFileName: mode,
    },
  },
}));
