// Markdown formatting in the post editor: actions of the toolbar, continued lists, and links from pasted URLs.

import { say } from "./site.js";

export const text = document.querySelector("form[data-autosave]").elements.content;

// Replaces a range of the text. Uses `execCommand`, so that the browser can undo the change.
export const type = (inserted, from, to) => {
    text.focus();
    text.setSelectionRange(from, to);
    if (from === to && !inserted) return;
    if (document.execCommand(inserted ? "insertText" : "delete", false, inserted)) return;
    text.setRangeText(inserted, from, to, "end");
    text.dispatchEvent(new Event("input", { bubbles: true }));
};

const around = (before, after, placeholder) => () => {
    const { selectionStart: from, selectionEnd: to, value } = text;
    // Runs of one, two or three `*`, as in `***text***`, mean italic, bold or both.
    const runs = [value.slice(0, from).match(/\**$/)[0].length, value.slice(to).match(/^\**/)[0].length];
    const isItalic = before !== "*" || Math.min(...runs) % 2 === 1;
    const isMarked = isItalic && value.slice(from - before.length, from) === before && value.slice(to, to + after.length) === after;
    const selected = value.slice(from, to) || (isMarked ? "" : placeholder);
    if (isMarked) {
        type(selected, from - before.length, to + after.length);
        text.setSelectionRange(from - before.length, from - before.length + selected.length);
    } else {
        type(`${before}${selected}${after}`, from, to);
        text.setSelectionRange(from + before.length, from + before.length + selected.length);
    }
};
export const bold = around("**", "**", say("bold-text"));
export const italic = around("*", "*", say("italic-text"));
export const code = () => (text.value.slice(text.selectionStart, text.selectionEnd).includes("\n") ? around("```\n", "\n```", "") : around("`", "`", say("code-text")))();

// Start and end of the lines that contain the selection.
const lineRange = () => {
    const { selectionStart, selectionEnd, value } = text;
    const end = value.indexOf("\n", selectionEnd);
    return [value.slice(0, selectionStart).lastIndexOf("\n") + 1, end < 0 ? value.length : end];
};

const changeLines = (change) => () => {
    const [from, to] = lineRange();
    const lines = text.value.slice(from, to).split("\n");
    const changed = change(lines).join("\n");
    type(changed, from, to);
    if (lines.length > 1) text.setSelectionRange(from, from + changed.length);
};

// Adds a mark to lines, in place of marks of the other kind of list. Removes the mark if all lines have it.
const atLines = (pattern, mark, other = "") => changeLines((lines) => {
    const isMarked = lines.every((line) => pattern.test(line));
    return lines.map((line, at) => (isMarked ? line.replace(pattern, "") : mark(at) + line.replace(other, "")));
});
export const list = atLines(/^- /, () => "- ", /^\d{1,9}[.)] /);
export const numberedList = atLines(/^\d{1,9}[.)] /, (at) => `${at + 1}. `, /^[-*+] /);
export const quote = atLines(/^> /, () => "> ");

const NEXT_LEVEL = { "": "## ", "#": "## ", "##": "### " };
export const heading = changeLines((lines) => {
    const [level] = lines[0].match(/^#{0,6}(?= )/) ?? [""];
    return lines.map((line) => (NEXT_LEVEL[level] ?? "") + line.replace(/^#{1,6} /, ""));
});

// Replaces a range of the text with a paragraph, and returns the position of the paragraph.
export const putParagraph = (markdown, from, to) => {
    const { value } = text;
    const before = from === 0 || value.slice(0, from).endsWith("\n\n") ? "" : value.slice(0, from).endsWith("\n") ? "\n" : "\n\n";
    const after = value.slice(to).startsWith("\n") || to === value.length ? "\n" : "\n\n";
    type(`${before}${markdown}${after}`, from, to);
    return from + before.length;
};

export const table = () => {
    const column = say("table-column");
    const [from, end] = lineRange();
    const isBlank = !text.value.slice(from, end).trim();
    const start = putParagraph(`| ${column} | ${column} |\n| --- | --- |\n|  |  |`, isBlank ? from : end, end);
    text.setSelectionRange(start + 2, start + 2 + column.length);
};

const ADDRESS = /^(https?:\/\/|mailto:)[^\s<>]*$/i;

// Inserts a Markdown link. A selected URL becomes the target, any other selection the link text; the missing part is
// selected for typing.
export const link = () => {
    const { selectionStart: from, selectionEnd: to, value } = text;
    const selected = value.slice(from, to);
    const isAddress = ADDRESS.test(selected);
    const words = isAddress || !selected ? say("link-text") : selected;
    const address = isAddress ? selected : "https://";
    type(`[${words}](${address})`, from, to);
    const start = isAddress || !selected ? from + 1 : from + words.length + 3;
    text.setSelectionRange(start, start + (isAddress || !selected ? words : address).length);
};

// A URL that is pasted over words makes them a link.
text.addEventListener("paste", (event) => {
    const { selectionStart: from, selectionEnd: to, value } = text;
    const selected = value.slice(from, to);
    const address = event.clipboardData.getData("text/plain").trim();
    const isTarget = value.slice(0, from).endsWith("](") || ADDRESS.test(selected.trim());
    if (!selected.trim() || selected.includes("\n") || isTarget || !ADDRESS.test(address)) return;
    event.preventDefault();
    type(`[${selected}](${/[()]/.test(address) ? `<${address}>` : address})`, from, to);
});

// Marks at the start of a line: indentation and quotation marks, then the mark of a list item or task.
const MARKS = /^([ \t]*(?:> ?)*)((?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/;

// Enter continues a list or quotation on the next line. In an empty item, it ends the list.
text.addEventListener("beforeinput", (event) => {
    if (event.inputType !== "insertLineBreak" || event.isComposing || text.selectionStart !== text.selectionEnd) return;
    const { selectionStart: at, value } = text;
    const [from, end] = lineRange();
    const line = value.slice(from, end);
    const [marks, outer, item = ""] = line.match(MARKS);
    const isQuote = outer.includes(">");
    const fences = value.slice(0, from).match(/^[ \t]*(?:```|~~~)/gm) ?? [];
    if (!(isQuote || item) || at < from + marks.length || fences.length % 2 === 1) return;
    event.preventDefault();
    if (line.slice(marks.length).trim()) {
        const next = item.replace(/^\d+/, (number) => Number(number) + 1).replace(/\[[xX]\]/, "[ ]");
        type(`\n${outer}${next}`, at, at);
    } else {
        // A blank line, because Markdown would continue the item with the next line.
        const rest = isQuote && item ? outer : "";
        type(`${rest.trimEnd()}\n${rest}`, from, end);
    }
});
