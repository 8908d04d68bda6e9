// A slash command being filled in: one field for each of its options, as Discord's clients do it.

import { el, icon } from "./dom.js";
import { act, upload } from "./live.js";
import { toast, toastError } from "./notice.js";
import { state } from "./store.js";
import { t } from "./texts.js";

/** The commands as the menu lists them: parts of a command stand beside it. */
export const flat = (commands) =>
  commands
    .filter((command) => !command.menu)
    .flatMap((command) =>
      command.parts
        ? command.parts.map((part) => ({
            ...part, name: `${command.name} ${part.name}`, label: `${command.label} ${part.label}`,
          }))
        : [command],
    );

/**
 * The form of a command. `place`: channel and thread; `done()` is called when it was sent or given up.
 */
export function commandForm(command, place, done) {
  const fields = command.options.map((option) => fieldOf(option));
  const run = el("button.primary", { type: "button" }, t("run"));
  const node = el(
    "div.command",
    {},
    el(
      "div.command-head",
      {},
      el("b", {}, `/${command.label}`),
      el("small", {}, command.note),
      el("button.tool", { type: "button", title: t("cancel"), "aria-label": t("cancel"), onclick: done }, icon("close")),
    ),
    fields.map((field) => field.node),
    el("div.editor-row", {}, run),
  );
  const send = async () => {
    if (run.disabled) return;
    const missing = fields.find((field) => field.option.required && !field.filled());
    if (missing) return missing.focus();
    run.disabled = true;
    const options = {};
    for (const field of fields) {
      const value = await field.value();
      if (value === undefined) return void (run.disabled = false);
      if (value !== "") options[field.option.name] = value;
    }
    const answer = await act("command", { person: state.me, ...place, command: command.name, options });
    run.disabled = false;
    if (!answer.ok) return toastError(answer.error);
    done(true);
  };
  run.addEventListener("click", send);
  node.addEventListener("keydown", (event) => {
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      done();
    } else if (event.key === "Enter" && !event.shiftKey && event.target.tagName !== "BUTTON") {
      event.preventDefault();
      send();
    }
  });
  node.start = () => (fields[0] ? fields[0].focus() : run.focus());
  return node;
}

function fieldOf(option) {
  const label = option.required ? option.label : t("optional", { name: option.label });
  if (option.file) return fileField(option, label);
  const input = option.choices.length
    ? el("select", { "aria-label": option.label }, el("option", { value: "" }, "…"), option.choices.map((c) => el("option", { value: c.value }, c.label)))
    : el("textarea", { rows: "1", "aria-label": option.label, placeholder: option.note });
  return {
    option,
    node: el("label.option", {}, el("span", {}, label), input),
    filled: () => Boolean(input.value.trim()),
    value: async () => input.value.trim(),
    focus: () => input.focus(),
  };
}

function fileField(option, label) {
  const input = el("input", { type: "file", "aria-label": option.label });
  return {
    option,
    node: el("label.option", {}, el("span", {}, label), input),
    filled: () => input.files.length > 0,
    value: async () => {
      const [file] = input.files;
      if (!file) return "";
      const answer = await upload(state.me, file);
      if (answer.ok) return answer.file;
      toast(t("error_upload", { name: file.name }));
      return undefined;
    },
    focus: () => input.focus(),
  };
}
