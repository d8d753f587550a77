// warcio.mjs MODULES FILE…: reads WARC files with warcio and holds every digest that they state
// against the bytes warcio sees. Prints a line for each record; exits 1 when one does not agree.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, ...files] = process.argv.slice(2);
const { AsyncIterReader, WARCParser } = await import(
  pathToFileURL(`${modules}/node_modules/warcio/dist/index.js`)
);

const digest = (bytes) => "sha256:" + createHash("sha256").update(bytes).digest("hex");

// The block as it is, and the payload without its transfer coding: content coding stays.
async function* blocks(file) {
  for await (const record of new WARCParser(createReadStream(file), { parseHttp: false }))
    yield { record, bytes: await record.readFully(false) };
}

async function* payloads(file) {
  for await (const record of new WARCParser(createReadStream(file))) {
    const raw = await record.readFully(false);
    const chunked = record.httpHeaders?.headers.get("Transfer-Encoding") === "chunked";
    const source = chunked ? new AsyncIterReader([raw], null, true) : null;
    yield { record, bytes: source ? await source.readFully() : raw };
  }
}

let failed = false;
function check(record, name, stated, bytes) {
  const computed = digest(bytes);
  const good = stated === computed;
  failed ||= !good;
  console.log(good ? "ok" : "BAD", record.warcType, name, record.warcTargetURI ?? "-", stated);
}

for (const file of files) {
  for await (const { record, bytes } of blocks(file))
    // That of a response may be missing: its payload has one.
    if (record.warcBlockDigest || record.warcType !== "response") check(record, "block", record.warcBlockDigest, bytes);
  for await (const { record, bytes } of payloads(file))
    if (record.warcPayloadDigest && record.warcType !== "revisit")
      check(record, "payload", record.warcPayloadDigest, bytes);
}
process.exit(failed ? 1 : 0);
