// Requests to the vendors' storage.

/// What a vendor says when it refuses.
export class StorageRefusal extends Error {
  constructor(status, code, words) {
    super(`The storage refuses this (${code}): ${words}`);
    this.status = status;
    this.code = code;
  }

  /// Whether the credential may have ended: another one is worth one attempt.
  get mayBeOfCredential() {
    return this.status === 401 || this.status === 403;
  }
}

/// Sends a request, and tells how much of its body is sent; `fetch` cannot. Gives the answer if the vendor takes it.
export function send(method, url, { headers = {}, body, signal, progress = () => {} }) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) {
      // Browsers write the length themselves, and let no page do it.
      if (name.toLowerCase() !== "content-length") request.setRequestHeader(name, value);
    }
    request.upload.addEventListener("progress", (event) => progress(event.loaded));
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) resolve(request);
      else reject(refusal(request));
    });
    request.addEventListener("error", () => reject(new Error("The connection to the storage was cut.")));
    request.addEventListener("abort", () => reject(signal.reason));
    signal?.throwIfAborted();
    signal?.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}

/// Posts a form to a vendor: the fields that the service has signed, then the file.
export function post(url, fields, file, options) {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  body.append("file", file);
  return send("POST", url, { ...options, body });
}

/// OSS says in XML why it refuses, Kodo in JSON.
function refusal({ status, responseText }) {
  const xml = new DOMParser().parseFromString(responseText, "application/xml");
  const code = xml.querySelector("Code")?.textContent ?? `status ${status}`;
  let words = xml.querySelector("Message")?.textContent;
  if (!words) {
    try {
      words = JSON.parse(responseText).error;
    } catch {
      // It is neither.
    }
  }
  return new StorageRefusal(status, code, words ?? "It says no more.");
}

/// The text of an element of OSS's answer.
export function element(request, name) {
  const text = new DOMParser().parseFromString(request.responseText, "application/xml").querySelector(name)?.textContent;
  if (!text) throw new Error(`The storage's answer has no ${name}.`);
  return text;
}
