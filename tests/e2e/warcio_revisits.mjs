// warcio_revisits.mjs MODULES FILE…: whether each revisit record, as warcio reads it, refers to a
// response with that URL, date and payload. Prints the number of records of each type;
// exits 1 when one refers to nothing.
import { createReadStream } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const { WARCParser } = await import(
  pathToFileURL(`${modules}/node_modules/warcio/dist/index.js`)
);

const responses = new Map();
const revisits = [];
const counts = {};

for (const file of files) {
  for await (const record of new WARCParser(createReadStream(file))) {
    const headers = record.warcHeaders.headers;
    counts[record.warcType] = (counts[record.warcType] ?? 0) + 1;
    if (record.warcType === "response") responses.set(headers.get("WARC-Record-ID"), headers);
    if (record.warcType === "revisit") revisits.push(headers);
  }
}

let failed = false;
for (const revisit of revisits) {
  const original = responses.get(revisit.get("WARC-Refers-To"));
  const good =
    original &&
    original.get("WARC-Target-URI") === revisit.get("WARC-Refers-To-Target-URI") &&
    original.get("WARC-Date") === revisit.get("WARC-Refers-To-Date") &&
    original.get("WARC-Payload-Digest") === revisit.get("WARC-Payload-Digest");
  if (!good) console.error("refers to nothing:", revisit.get("WARC-Target-URI"));
  failed ||= !good;
}
console.log(JSON.stringify(counts));
process.exit(failed ? 1 : 0);
