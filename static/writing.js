// Post editor: toolbar with keyboard shortcuts, word count, image upload, preview and tags.

import { startAutosave, when } from "./autosave.js";
import {
    bold, code, heading, italic, link, list, numberedList, putParagraph, quote, table, text, type,
} from "./formatting.js";
import { PREFIX, announce, converted, number, oneLine, say } from "./site.js";

const { form } = text;

const calm = () => {
    const isCalm = form.classList.toggle("calm");
    document.body.classList.toggle("behind", isCalm);
    calmButton.textContent = say(isCalm ? "full-screen-exit" : "full-screen");
    text.focus();
    announce(say(isCalm ? "calm-on" : "calm-off"));
};

const apple = /Mac|iP(hone|ad)/.test(navigator.platform);
const tools = [
    [say("bold-button"), say("bold"), "b", false, bold],
    [say("italic-button"), say("italic"), "i", false, italic],
    [say("link"), say("link"), "k", false, link],
    [say("heading"), say("heading"), "h", true, heading],
    [say("list"), say("list"), "l", true, list],
    [say("numbered-list-button"), say("numbered-list"), null, false, numberedList],
    [say("quote"), say("quote"), "q", true, quote],
    [say("code"), say("code"), "e", false, code],
    [say("table"), say("table"), null, false, table],
    [say("image"), say("image-title"), null, false, () => choosePictures()],
    [say("full-screen"), say("only-the-text"), "f", true, calm],
    [say("side-by-side"), say("side-by-side-title"), "y", true, () => beside()],
];

// Toolbar. The style sheet reserves its height, so that the page does not move when the buttons are added.
const toolbar = form.querySelector(".toolbar");
toolbar.setAttribute("role", "toolbar");
toolbar.setAttribute("aria-label", say("marks"));
toolbar.setAttribute("aria-controls", "content");
for (const [label, name, key, shift, act] of tools) {
    const [control, shifted] = apple ? ["⌘", "⇧"] : [`${say("key-control")}+`, `${say("key-shift")}+`];
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: label, title: name });
    if (key) {
        button.title += ` (${control}${shift ? shifted : ""}${key.toUpperCase()})`;
        button.setAttribute("aria-keyshortcuts", `${apple ? "Meta" : "Control"}+${shift ? "Shift+" : ""}${key.toUpperCase()}`);
    }
    button.tabIndex = toolbar.firstChild ? -1 : 0;
    button.addEventListener("click", act);
    toolbar.append(button);
}
const calmButton = toolbar.children[tools.findIndex(([, , , , act]) => act === calm)];
// Keyboard navigation of the ARIA toolbar pattern: one tab stop, and arrow keys between buttons.
toolbar.addEventListener("keydown", (event) => {
    const buttons = [...toolbar.children].filter((button) => button.checkVisibility());
    const at = buttons.indexOf(document.activeElement);
    const step = toolbar.matches(":dir(rtl)") ? -1 : 1;
    const to = { ArrowRight: at + step, ArrowLeft: at - step, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = buttons[(to + buttons.length) % buttons.length];
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
    next.focus();
});
text.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && form.classList.contains("calm")) { calm(); return; }
    if (!(apple ? event.metaKey : event.ctrlKey) || event.altKey || event.isComposing) return;
    const tool = tools.find(([, , key, shift]) => key === event.key.toLowerCase() && shift === event.shiftKey);
    if (!tool) return;
    event.preventDefault();
    tool[4]();
});

// Word count and reading time, in the status line before the state of the text.

const count = document.createElement("span");
form.querySelector(".writing-status").prepend(count);
const tellCount = () => {
    const words = text.value.match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}\u200c'’-]*/gu)?.length ?? 0;
    count.textContent = words ? say("word-count", { count: words, minutes: Math.max(1, Math.ceil(words / 220)) }) : say("no-words");
};
tellCount();
let counting;
text.addEventListener("input", () => { clearTimeout(counting); counting = setTimeout(tellCount, 200); });

// Image upload. Chosen, dropped or pasted images are uploaded one after the other and inserted at the caret.

const MAX_FILE = 10 * 2 ** 20;
const pictures = document.getElementById("pictures");
const adding = document.getElementById("adding");
const tellAdding = (message, isWrong = false) => {
    adding.textContent = message;
    adding.classList.toggle("error", isWrong);
};

const send = async (original, alt) => {
    const file = await converted(original);
    if (file.size > MAX_FILE) throw new Error(say("image-too-large", { name: file.name, size: number(file.size / 2 ** 20, { maximumFractionDigits: 1 }) }));
    const body = new FormData();
    body.append("image", file);
    body.append("alt", alt);
    let answer;
    try {
        answer = await fetch("/images/", { method: "POST", headers: { Accept: "application/json" }, body });
    } catch {
        throw new Error(say("image-no-answer"));
    }
    const data = await answer.json().catch(() => ({}));
    if (answer.ok) return data;
    const wait = Number(answer.headers.get("Retry-After"));
    if (answer.status === 429 && wait > 0 && wait <= 60) {
        tellAdding(say("image-waits", { count: wait }));
        await new Promise((resolve) => { setTimeout(resolve, wait * 1000); });
        return send(file, alt);
    }
    if (answer.status === 401) throw new Error(say("image-signed-out"));
    throw new Error(Object.values(data.errors ?? {}).flat().join(" ") || data.detail || say("image-failed"));
};

// Inserts the image as a paragraph, below any image that is already at the caret. If the image has no alternative text,
// places the caret there.
const putPicture = ({ markdown, alt }) => {
    const { value } = text;
    let { selectionStart: from, selectionEnd: to } = text;
    const begin = value.lastIndexOf("\n", from - 1) + 1;
    const end = value.indexOf("\n", to) < 0 ? value.length : value.indexOf("\n", to);
    if (/^!\[.*\]\(\/images\/\S+( ".*")?\)$/.test(value.slice(begin, end))) from = to = end;
    const start = putParagraph(markdown, from, to);
    // Places the caret between the brackets of `![](…)`.
    if (!alt) text.setSelectionRange(start + 2, start + 2);
};

let sending = Promise.resolve();
const addPictures = (files, alt = "") => {
    sending = sending.then(async () => {
        for (const [at, file] of files.entries()) {
            tellAdding(files.length > 1 ? say("image-sending-of", { number: at + 1, all: files.length }) : say("image-sending"));
            try {
                const added = await send(file, alt);
                putPicture(added);
                tellAdding(say(alt ? "image-in-text" : "image-in-text-describe"));
            } catch (error) {
                tellAdding(error.message, true);
                return;
            }
        }
    });
    return sending;
};
// File chooser of the toolbar button, which inserts images at the caret.
const chooser = Object.assign(document.createElement("input"), { type: "file", accept: "image/*", multiple: true });
chooser.addEventListener("change", () => {
    addPictures([...chooser.files]);
    chooser.value = "";
});
const choosePictures = () => { chooser.click(); };
const filesOf = (data) => [...(data?.files ?? [])].filter(({ type }) => !type || type.startsWith("image/"));

text.addEventListener("paste", (event) => {
    const files = filesOf(event.clipboardData);
    // Pastes text if there is any, because programs such as spreadsheets copy text together with an image of the text.
    if (!files.length || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    addPictures(files);
});
document.querySelector("#content-hint [hidden]").hidden = false;

text.addEventListener("dragover", (event) => {
    if (![...event.dataTransfer.items].some(({ kind }) => kind === "file")) return;
    event.preventDefault();
    text.classList.add("dropping");
});
for (const end of ["dragleave", "drop"]) text.addEventListener(end, () => text.classList.remove("dropping"));
text.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    event.preventDefault();
    const files = filesOf(event.dataTransfer);
    if (files.length) addPictures(files);
    else tellAdding(say("image-none"), true);
});
// Adds an image to the choices of cover images, and selects the image.
const covers = form.querySelector(".covers");
const addCover = (url) => {
    let choice = [...covers.querySelectorAll("input")].find(({ value }) => value === url);
    if (!choice) {
        choice = Object.assign(document.createElement("input"), { type: "radio", name: "cover", value: url });
        const label = document.createElement("label");
        label.append(choice, Object.assign(document.createElement("img"), { src: url, alt: say("image-new-cover") }));
        covers.firstElementChild.after(label);
    }
    choice.checked = true;
    return choice;
};
for (const button of pictures.querySelectorAll("[data-add]")) {
    button.addEventListener("click", async (event) => {
        event.preventDefault();
        const { image, alt } = form.elements;
        const [file] = image.files;
        if (!file) { tellAdding(say("image-choose"), true); image.focus(); return; }
        if (button.dataset.add === "text") {
            await addPictures([file], alt.value.trim());
        } else {
            tellAdding(say("image-sending"));
            try {
                const { url } = await send(file, alt.value.trim());
                settings.open = true;
                addCover(url).dispatchEvent(new Event("input", { bubbles: true }));
                tellAdding(say("image-is-cover"));
            } catch (error) {
                tellAdding(error.message, true);
            }
        }
        if (adding.classList.contains("error")) return;
        image.value = "";
        alt.value = "";
    });
}

// Preview below or beside the form.

const previewButton = form.querySelector("[data-preview]");
const besideButton = toolbar.lastElementChild;
const BESIDE = `${PREFIX}beside`;
const hasRoom = matchMedia("(min-width: 62rem)");
besideButton.setAttribute("aria-pressed", false);
let isBeside = false;

const show = async () => {
    const answer = await fetch(previewButton.formAction, {
        method: "POST",
        headers: { Accept: "application/json", "Content-Type": "application/json" },
        body: JSON.stringify({ content: text.value }),
    });
    if (!answer.ok) throw new Error(answer.status);
    let section = document.getElementById("preview");
    if (!section) {
        section = document.createElement("section");
        section.id = "preview";
        section.className = "preview";
        section.setAttribute("aria-label", say("preview"));
        section.innerHTML = '<h2></h2><p class="title" dir="auto"></p><div class="content" dir="auto"></div>';
        section.querySelector("h2").textContent = say("preview");
        form.after(section);
    }
    // The server has rendered and sanitized the HTML, so it can be inserted as it is.
    const { content_html: html, notice = "" } = await answer.json();
    section.querySelector(".title").textContent = oneLine(form.elements.title.value);
    section.querySelector(".content").innerHTML = html;
    let said = section.querySelector(".notice");
    if (!said) {
        said = Object.assign(document.createElement("p"), { className: "notice" });
        section.querySelector("h2").after(said);
    }
    said.textContent = notice;
    said.hidden = !notice;
    return [section, notice];
};

const preview = async (event) => {
    event.preventDefault();
    try {
        const [section, notice] = await show();
        section.scrollIntoView({ block: "nearest" });
        announce(`${say(isBeside ? "preview-beside" : "preview-below")} ${notice}`);
    } catch {
        // After a failed request, submits the form to the preview page, which shows the error.
        previewButton.removeEventListener("click", preview);
        previewButton.click();
    }
};
previewButton.addEventListener("click", preview);

// Live preview beside the form: updated when typing pauses, with at most one request at a time and every five seconds,
// because previews count towards the limit on writing.
let showing = false;
let shown;
let shownAt = 0;
const followSoon = () => {
    clearTimeout(following);
    following = setTimeout(follow, Math.max(1000, shownAt + 5000 - Date.now()));
};
const follow = async () => {
    const typed = `${form.elements.title.value}\n${text.value}`;
    if (!isBeside || !hasRoom.matches || showing || shown === typed || !text.value.trim()) return;
    showing = true;
    try {
        shownAt = Date.now();
        await show();
        shown = typed;
        if (!isScrolledByHand) showCaret();
        followSoon();
    } catch {
        // The request can fail, for example if the text is too long. It is retried at the next pause in typing.
        announce(say("preview-failed"));
    } finally {
        showing = false;
    }
};
// Scrolling the text by hand scrolls the preview to the same fraction of its height.
let isScrolledByHand = false;
for (const kind of ["pointerdown", "touchmove", "wheel"]) {
    text.addEventListener(kind, () => { isScrolledByHand = true; }, { passive: true });
}
text.addEventListener("keydown", () => { isScrolledByHand = false; });
text.addEventListener("scroll", () => {
    const section = document.getElementById("preview");
    const hidden = text.scrollHeight - text.clientHeight;
    if (!isScrolledByHand || !isBeside || !hasRoom.matches || !section || hidden <= 0) return;
    section.scrollTop = (section.scrollHeight - section.clientHeight) * (text.scrollTop / hidden);
});

// Position of the caret in the preview. The text and the preview have the same letters after the nearest heading, apart
// from markup that the preview does not show as text.
const LETTERS = /[\p{L}\p{N}]/gu;
const MARKUP = /^(?:```|~~~).*$|!\[[^\]]*|\]\([^)\s]*|^[ \t>]*(?:[-*+]|\d+[.)]) (?:\[[ xX]\] )?/gm;
const FENCED_CODE = /^(```|~~~)[^]*?(?:^\1|(?![^]))/gm;
const letters = (part) => (part.match(LETTERS) ?? []).join("");
const caretIn = (content) => {
    const beforeCaret = text.value.slice(0, text.selectionStart);
    const before = beforeCaret.replace(FENCED_CODE, (code) => code.replaceAll("#", "")).replace(MARKUP, "");
    const titles = [...before.matchAll(/^#{1,6} .*$/gm)];
    const last = titles.at(-1);
    const isSame = (title) => letters(title) === letters(last[0]);
    const same = last ? [...content.querySelectorAll("h2, h3, h4, h5, h6")].filter((one) => isSame(one.textContent)) : [];
    const title = same[titles.filter(([one]) => isSame(one)).length - 1];
    // At the start of a line, the caret belongs to the next letter.
    let left = letters(before.slice(title ? last.index : 0)).length + (/(^|\n)$/.test(beforeCaret) ? 1 : 0);
    const nodes = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
    if (title) nodes.currentNode = title;
    const range = document.createRange();
    range.selectNodeContents(content);
    range.collapse();
    while (nodes.nextNode()) {
        const node = nodes.currentNode;
        const all = [...node.data.matchAll(LETTERS)];
        const letter = all[Math.min(Math.max(left, 1), all.length) - 1];
        if (letter) {
            range.setStart(node, letter.index);
            range.setEnd(node, letter.index + 1);
        }
        if (all.length >= left) break;
        left -= all.length;
    }
    return range;
};
const showCaret = () => {
    const section = document.getElementById("preview");
    if (!isBeside || !hasRoom.matches || !section) return;
    const view = section.getBoundingClientRect();
    const caret = caretIn(section.querySelector(".content")).getBoundingClientRect();
    if (caret.top < view.top || caret.bottom > view.bottom) section.scrollTop += caret.top - view.top - view.height / 3;
};
for (const kind of ["click", "keyup"]) text.addEventListener(kind, showCaret);
let following;
form.addEventListener("input", followSoon);

const setBeside = (isWanted) => {
    isBeside = isWanted;
    document.body.classList.toggle("beside", isBeside);
    besideButton.setAttribute("aria-pressed", isBeside);
    follow();
};
const beside = () => {
    setBeside(!isBeside);
    announce(say(isBeside ? "preview-follows" : "preview-below"));
    try { localStorage.setItem(BESIDE, isBeside ? "yes" : ""); } catch { /* localStorage is unavailable: the layout is not remembered. */ }
};

// Post settings. Shows the publication time in the local time zone. On narrow screens, the settings are collapsed until
// a setting has a value or is invalid.

const publishAt = form.elements.publish_at;
const tellTime = () => {
    const publish = form.querySelector("[data-schedule]");
    if (publish && publishAt) publish.textContent = publishAt.value ? publish.dataset.schedule : publish.dataset.publish;
    // If the user has chosen a time zone other than UTC, the field already uses it.
    if (publishAt?.dataset.zone !== "UTC") return;
    const time = new Date(`${publishAt.value}Z`);
    const isTime = !Number.isNaN(time.getTime());
    document.getElementById("here").textContent = isTime ? say("time-here", { time: when(time) }) : "";
};
const settings = form.querySelector(".settings");
// The first option of a selection is its default.
const isSet = () => [...settings.querySelectorAll("[name]:not([type=radio]), input:checked")].some((field) => field.value && field.selectedIndex !== 0);
const tellSettings = () => { settings.open = hasRoom.matches || isSet() || settings.querySelector("[aria-invalid]") !== null; };
tellSettings();
hasRoom.addEventListener("change", tellSettings);
settings.addEventListener("invalid", () => { settings.open = true; }, true);

// Frequent tags of the site below the field for tags. While the user types a tag, only tags that contain the typed text
// are shown.

const MOST_TAGS = 10;
const { tags } = form.elements;
const frequent = form.querySelector(".frequent-tags");
const choices = [...(frequent?.querySelectorAll("button") ?? [])];
const asTags = (list) => list.split(/[,،、]/).map((tag) => tag.trim().replace(/^#+/, "").toLowerCase().replace(/\s+/g, "-"));
let typedTag = "";
const tellTags = (typed) => {
    typedTag = typed;
    const chosen = asTags(tags.value);
    let shown = 0;
    for (const choice of choices) {
        choice.setAttribute("aria-pressed", chosen.includes(choice.value));
        choice.parentElement.hidden = !choice.value.includes(typed) || shown === MOST_TAGS;
        if (!choice.parentElement.hidden) shown += 1;
    }
};
for (const choice of choices) {
    choice.addEventListener("click", () => {
        const chosen = asTags(tags.value).filter(Boolean);
        const isTyping = typedTag !== "";
        const without = chosen.filter((tag) => tag !== choice.value);
        const isChosen = without.length < chosen.length;
        const rest = isTyping && !isChosen ? chosen.slice(0, -1) : without;
        tags.value = (isChosen ? rest : [...rest, choice.value]).join(", ");
        tags.dispatchEvent(new Event("input", { bubbles: true }));
        tellTags("");
        if (isTyping) tags.focus();
    });
}
tags.addEventListener("input", () => { tellTags(asTags(tags.value).at(-1)); });
tellTags("");
if (frequent) frequent.hidden = false;

publishAt?.addEventListener("input", tellTime);
tellTime();
try { if (localStorage.getItem(BESIDE)) setBeside(true); } catch { /* localStorage is unavailable. */ }

startAutosave({
    addCover,
    refresh() {
        tellSettings();
        tellCount();
        tellTime();
        tellTags("");
        follow();
    },
});
