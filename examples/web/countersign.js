// Questions to the service, and refusals in words.
import { settings } from "./settings.js";

/// What the service says when it refuses: `code` is for programs, `words` are for people.
export class ServiceRefusal extends Error {
  constructor(status, code, words) {
    super(`The service refuses this (${code}): ${words}`);
    this.status = status;
    this.code = code;
  }
}

/// How often the service is asked again when it says that it will answer later.
const patience = 3;

/// Asks a route of the service, such as "/qiniu/uptoken". Parameters that are null are left out.
export async function ask(route, parameters, signal) {
  const all = { expires: settings.lifetime, ...parameters };
  const body = JSON.stringify(Object.fromEntries(Object.entries(all).filter(([, value]) => value != null)));
  for (let attempt = 1; ; attempt += 1) {
    const answer = await request(route, { method: "POST", body, signal });
    const isTemporary = answer.status === 429 || answer.status === 503;
    if (!isTemporary || attempt === patience) return await read(answer);
    await seconds(Number(answer.headers.get("Retry-After")) || attempt, signal);
  }
}

/// What the user may do: the service's list of grants, by their names.
export async function grants() {
  const { grants } = await read(await request("/grants", {}));
  return new Map(grants.map((grant) => [grant.name, grant]));
}

async function request(route, options) {
  const headers = { Authorization: `Bearer ${await settings.userToken()}` };
  if (options.body) headers["Content-Type"] = "application/json";
  try {
    return await fetch(settings.service + route, { ...options, headers });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    // A browser does not say why: no network, no service, or a page that server.cors.origins does not list.
    throw new Error(`The service at ${settings.service} cannot be reached from ${location.origin}.`);
  }
}

/// The service's answer; its refusals are problem documents (RFC 9457), whose `detail` is for people.
async function read(answer) {
  const document = await answer.json().catch(() => null);
  if (answer.ok && document) return document;
  const code = document?.code ?? `status ${answer.status}`;
  const words =
    code === "unauthenticated" ? "You are not logged in, or your login has ended." : document?.detail ?? "It says no more.";
  throw new ServiceRefusal(answer.status, code, words);
}

function seconds(count, signal) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, count * 1000);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
