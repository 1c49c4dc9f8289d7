// What the page carries: one JSON object, and blobs of numbers in base64. src/report/ writes both.

export interface Payload {
  version: string;
  title: string | null; // null: none given
  live: boolean; // from a server, which may have more
  sections: Section[];
}

export interface Section {
  kind: string;
  name: string;
  [key: string]: unknown;
}

export function readPayload(page: Document = document): Payload {
  const text = page.getElementById("payload")?.textContent;
  if (!text) throw new Error("the page carries no data");
  return JSON.parse(text) as Payload;
}

export function readBlob(index: number, page: Document = document): ArrayBuffer {
  const element = page.getElementById(`blob-${index}`);
  const buffer = decode(element?.textContent ?? "");
  element?.remove(); // its text is as large as the page
  return buffer;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const values = new Uint8Array(128);
for (let k = 0; k < 64; k++) values[digits.charCodeAt(k)] = k;

export function decode(text: string): ArrayBuffer {
  let end = text.length;
  while (end > 0 && text[end - 1] === "=") end--;
  const bytes = new Uint8Array(Math.floor((end * 3) / 4));
  for (let at = 0, out = 0; at < end; at += 4) {
    const a = values[text.charCodeAt(at)];
    const b = values[text.charCodeAt(at + 1)];
    const c = at + 2 < end ? values[text.charCodeAt(at + 2)] : 0;
    const d = at + 3 < end ? values[text.charCodeAt(at + 3)] : 0;
    bytes[out++] = (a << 2) | (b >> 4);
    if (at + 2 < end) bytes[out++] = (b << 4) | (c >> 2);
    if (at + 3 < end) bytes[out++] = (c << 6) | d;
  }
  return bytes.buffer;
}
