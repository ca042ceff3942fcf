// The ways to upload a file. Each asks the service for a credential and sends the file to the vendor by it. The vendor's secret key
// never comes to the page.
import { ask } from "./countersign.js";
import { settings } from "./settings.js";
import { element, post, send, StorageRefusal } from "./storage.js";

/// The ways, each with the grant that it asks by.
export const ways = {
  "oss-form": { title: "OSS, by a form", grant: "forms", upload: byForm },
  "oss-put": { title: "OSS, by a presigned URL", grant: "pictures", upload: byPresignedURL },
  "oss-parts": { title: "OSS, in parts", grant: "films", upload: inParts },
  "qiniu-form": { title: "Kodo, by a form", grant: "photos", upload: byUploadToken },
};

/// One file on its way.
export class Upload {
  /// paused, running, done or failed.
  state = "paused";
  sent = 0;
  message = "";
  /// Called when something of it has changed.
  changed = () => {};
  /// What the vendor has of an upload in parts.
  parts = { id: null, etags: [] };
  #controller = null;

  constructor(file, way, keyPrefix) {
    this.file = file;
    this.way = way;
    this.type = file.type || "application/octet-stream";
    // Nobody else's key, and nothing of the file's name that a key cannot have.
    const extension = /\.([a-z0-9]{1,8})$/i.exec(file.name)?.[1].toLowerCase() ?? "bin";
    this.key = `${keyPrefix}${crypto.randomUUID()}.${extension}`;
  }

  get signal() {
    return this.#controller.signal;
  }

  progress(sent) {
    // A form is a little longer than its file.
    this.sent = Math.min(sent, this.file.size);
    this.changed();
  }

  /// Begins, or goes on: an upload in parts behind the last part, the others from their beginning.
  async start() {
    this.#controller = new AbortController();
    this.#become("running", "");
    try {
      await this.way.upload(this);
      this.sent = this.file.size;
      this.#become("done", `Stored as ${this.key}`);
    } catch (error) {
      if (this.signal.aborted) this.#become("paused", "Paused");
      else this.#become("failed", error.message);
    }
  }

  pause() {
    this.#controller?.abort();
  }

  #become(state, message) {
    this.state = state;
    this.message = message;
    this.changed();
  }
}

/// Does something by a credential. If the vendor refuses, the credential may have ended on the way: then once more by another one.
async function renewing(attempt) {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof StorageRefusal && error.mayBeOfCredential) return await attempt();
    throw error;
  }
}

/// One POST of a form, whose policy the service has signed. OSS checks key, size and type by it.
function byForm(upload) {
  return renewing(async () => {
    const { key, type, signal } = upload;
    const form = await ask("/oss/post-policy", { grant: upload.way.grant, key, contentType: type }, signal);
    await post(form.url, form.fields, upload.file, { signal, progress: (sent) => upload.progress(sent) });
  });
}

/// One PUT to a URL that carries its signature. The length is signed, too, so the service refuses a file that is too large before
/// any of it is sent.
function byPresignedURL(upload) {
  return renewing(async () => {
    const { file, key, type, signal } = upload;
    const signed = await ask(
      "/oss/presigned-url",
      { grant: upload.way.grant, key, method: "PUT", contentType: type, header: { "content-length": `${file.size}` } },
      signal,
    );
    // A Blob without a type: the browser adds no Content-Type to those that are signed.
    const body = file.slice(0, file.size, "");
    await send("PUT", signed.url, { headers: signed.headers, body, signal, progress: (sent) => upload.progress(sent) });
  });
}

/// Parts. OSS may have forgotten an upload, such as by a lifecycle rule during a long pause: then it begins anew, once.
async function inParts(upload) {
  try {
    await sendParts(upload);
  } catch (error) {
    if (!(error instanceof StorageRefusal && error.code === "NoSuchUpload")) throw error;
    upload.parts = { id: null, etags: [] };
    upload.progress(0);
    await sendParts(upload);
  }
}

/// Each part goes by a URL that is signed when it is the part's turn. So an upload may last longer than any credential, and a pause
/// costs one part at most.
async function sendParts(upload) {
  const { file, parts } = upload;
  const size = settings.partSize;
  parts.id ??= element(await signedRequest(upload, "POST", { uploads: "" }), "UploadId");
  // An empty file has one part, too.
  while (parts.etags.length === 0 || parts.etags.length * size < file.size) {
    const start = parts.etags.length * size;
    const query = { partNumber: `${parts.etags.length + 1}`, uploadId: parts.id };
    const body = file.slice(start, start + size, "");
    const answer = await signedRequest(upload, "PUT", query, body, (sent) => upload.progress(start + sent));
    const tag = answer.getResponseHeader("ETag");
    if (!tag) throw new Error("The page cannot read ETag: the bucket's CORS rule must expose it.");
    parts.etags.push(tag);
  }
  const list = parts.etags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  const body = new Blob([`<CompleteMultipartUpload>${list.join("")}</CompleteMultipartUpload>`]);
  await signedRequest(upload, "POST", { uploadId: parts.id }, body);
}

function signedRequest(upload, method, query, body, progress) {
  return renewing(async () => {
    const { key, type, signal } = upload;
    const parameters = { grant: upload.way.grant, key, method, query, contentType: type };
    const { url, headers } = await ask("/oss/presigned-url", parameters, signal);
    return await send(method, url, { headers, body, signal, progress });
  });
}

/// One POST of a form with an upload token. Kodo checks key, size and type by the token's put policy.
function byUploadToken(upload) {
  let token;
  return renewing(async () => {
    token = await uploadToken(upload.way.grant, token);
    const { file, key, signal } = upload;
    await post(settings.qiniuUpload, { token, key }, file, { signal, progress: (sent) => upload.progress(sent) });
  });
}

/// The token that is kept: one is for all keys below the prefix, so it serves several files.
let kept = null;

/// Gives the kept token, or asks for another one if there is none, if it has ended, or if it is the one that was refused. Files that
/// need one at the same time wait for the same answer.
async function uploadToken(grant, refused) {
  if (kept === null || kept.token === refused || performance.now() > kept.end) {
    const asked = { answer: ask("/qiniu/uptoken", { grant }), token: null, end: Infinity };
    kept = asked;
    try {
      const { uptoken, expiresIn } = await asked.answer;
      asked.token = uptoken;
      // By seconds from now: the clock of this device may be wrong.
      asked.end = performance.now() + expiresIn * 1000;
      return uptoken;
    } catch (error) {
      // Whoever waits for the same answer is told, too. The next file asks again.
      kept = null;
      throw error;
    }
  }
  return (await kept.answer).uptoken;
}
