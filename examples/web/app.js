// The page: picks files, and shows how far each one is.
import { grants } from "./countersign.js";
import { Upload, ways } from "./uploads.js";

const picker = document.querySelector("#files");
const wayChoice = document.querySelector("#way");
const notice = document.querySelector("#notice");
const list = document.querySelector("#uploads");
const template = document.querySelector("#upload");

for (const [name, way] of Object.entries(ways)) wayChoice.append(new Option(way.title, name));

picker.addEventListener("change", async () => {
  const files = [...picker.files];
  // So that the same file can be picked again.
  picker.value = "";
  const way = ways[wayChoice.value];
  try {
    const grant = (await grants()).get(way.grant);
    if (!grant) throw new Error(`You have no grant called ${way.grant}.`);
    notice.textContent = "";
    for (const file of files) add(new Upload(file, way, grant.keyPrefix));
  } catch (error) {
    notice.textContent = error.message;
  }
});

/// Shows an upload, and begins it.
function add(upload) {
  const row = template.content.firstElementChild.cloneNode(true);
  const part = (name) => row.querySelector(name);
  part(".name").textContent = upload.file.name;
  part("button").addEventListener("click", () => (upload.state === "running" ? upload.pause() : upload.start()));
  upload.changed = () => {
    row.dataset.state = upload.state;
    part("progress").value = upload.file.size === 0 ? 0 : upload.sent / upload.file.size;
    if (upload.state === "done") part("progress").value = 1;
    part("output").textContent = upload.message;
    part("button").textContent = { running: "Pause", paused: "Resume", failed: "Try again" }[upload.state] ?? "";
    part("button").hidden = upload.state === "done";
  };
  list.append(row);
  upload.start();
}
