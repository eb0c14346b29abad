// Autosave of the post editor: unsaved changes are stored in localStorage, and changes of a draft also on the server.

import { language } from "./words.js";
import { text } from "./formatting.js";
import { DAY, PREFIX, SENT, announce, linkButton, oneLine, say, stored } from "./site.js";

const { form } = text;
// Time zone that the user has chosen in the profile; undefined to use the time zone of the device.
const zone = document.documentElement.dataset.zone;
export const when = (time) => new Date(time).toLocaleString(language, { dateStyle: "long", timeStyle: "short", timeZone: zone });
const clock = () => new Date().toLocaleTimeString(language, { timeStyle: "short", timeZone: zone });

// Functions of the editor: `addCover(url)`, and `refresh()`, to be called after the fields have been changed by script.
let editor;

// Fields of the post, without those of the image upload. Unsaved text is stored here, so the browser must not restore
// old values into a newer version of the form.

form.autocomplete = "off";
const fields = [...form.elements].filter((field) => field.name && field.matches("input, textarea, select") && !field.closest("#pictures"));
const names = [...new Set(fields.map(({ name }) => name))];
const now = () => Object.fromEntries(names.map((name) => [name, form.elements[name].value]));
const NOT_EDITED = ["version", "publish_zone"];
// The publication time is submitted only by the buttons, so that typing a time does not schedule the post.
const NOT_AUTOSAVED = [...NOT_EDITED, "publish_at"];
// The server changes the notation of tags and of the custom slug.
const REWRITTEN = [...NOT_EDITED, "tags", "slug"];
const isSame = (one, other, ignored) => names.filter((name) => !ignored.includes(name))
    .every((name) => (one[name] ?? "").trim() === (other[name] ?? "").trim());
const asServed = now();
const isRejected = document.getElementById("errors") !== null;
// Fields as the server has them. A rejected form, a preview and a form with an added image contain unsaved text.
let saved = document.querySelector("#errors, #preview, #added") ? {} : asServed;
const isValid = () => fields.every(({ name, validity }) => validity.valid || NOT_AUTOSAVED.includes(name));
const isChanged = () => !isSame(now(), saved, NOT_EDITED);

// Changes in localStorage, by account and post. Each tab has a key of its own, so that tabs do not overwrite each other.
// Changes of tabs that were closed are restored.

const MONTH = 30 * DAY;
let base = `${PREFIX}${form.dataset.autosave}:`;
const newKey = () => `${base}${Date.now()}-${Math.random().toString(36).slice(2)}`;
const sent = () => { try { return JSON.parse(sessionStorage.getItem(SENT)); } catch { return null; } };
// A rejected form keeps the key of its submission, so that the stored text is deleted when the post has been saved.
let key = isRejected && sent()?.key?.startsWith(base) ? sent().key : newKey();

// A lock marks the changes of this tab as open. The lock is released on `pagehide` and taken again on `pageshow`,
// because the browser may restore a page from the back/forward cache.
let close = () => {};
const open = () => { navigator.locks?.request(key, () => new Promise((resolve) => { close = resolve; })); };
const useKey = (other) => { close(); key = other; open(); };
const openElsewhere = async () => new Set((await navigator.locks?.query())?.held?.map(({ name }) => name) ?? []);

// Status line. Screen readers announce a new state, but not each save.

const where = form.querySelector(".writing-status").appendChild(document.createElement("span"));
let state = "";
const show = (kind, message, ...links) => {
    where.replaceChildren(message, ...links.flatMap((link) => [" ", link]));
    if (kind === "saving") return;
    if (kind !== state) announce(where.textContent);
    if (kind !== state && links.length) where.scrollIntoView({ block: "nearest" });
    state = kind;
};
const showKept = (reason = "") => {
    const isUntitled = isAutosaved && !form.elements.title.value.trim();
    show("kept", `${isUntitled ? say("kept-without-title") : say("kept", { time: clock() })} ${reason}`);
};

const keep = () => {
    const isShown = !saving && ["", "kept"].includes(state);
    try {
        if (isChanged()) {
            const place = [text.selectionStart, text.scrollTop];
            localStorage.setItem(key, JSON.stringify({ at: Date.now(), fields: now(), place }));
            if (isShown) showKept();
        } else {
            localStorage.removeItem(key);
            if (isShown) show("", "");
        }
    } catch {
        if (isShown) show("kept", say("cannot-be-kept"));
    }
};

// Saving of drafts. There is at most one request at a time. The delays keep a person who writes for hours below the
// limit on writing, together with the live preview, whose requests have the same limit.

const DELAY = 3_000;
const interval = () => (document.body.classList.contains("beside") ? 20_000 : 10_000);
const RETRY_SECONDS = 30;
const TIMEOUT = 20_000;
// Maximum size of a request that outlives its page, in bytes: the limit of browsers is 64 KiB.
const MAX_KEEPALIVE = 60_000;
let isAutosaved = form.dataset.draft !== undefined;
let isSubmitted = false;
let saving;
let startedAt = 0;
let timer;
// Request without a response. It is repeated with the same fields: if its first attempt had an effect, a repetition with
// other fields would be a conflict or a second draft.
let unanswered;

const saveIn = (delay) => { clearTimeout(timer); timer = setTimeout(save, delay); };
const saveSoon = () => { if (isAutosaved && !timer) saveIn(Math.max(DELAY, startedAt + interval() - Date.now())); };

const save = async (isLeaving = false) => {
    clearTimeout(timer);
    timer = undefined;
    if (!isAutosaved || isSubmitted) return;
    if (saving) { saveSoon(); return; }
    if (!unanswered && isSame(now(), saved, NOT_AUTOSAVED)) return;
    if (!unanswered && !isValid()) { showKept(); return; }
    unanswered ??= { url: form.action, fields: now() };
    startedAt = Date.now();
    saving = sendDraft(unanswered, isLeaving);
    await saving;
    saving = undefined;
};

// After the session has ended, only typing saves the text, because another user may have signed in in another tab.
const saveUnlessSignedOut = (isLeaving) => { if (state !== "signed-out") save(isLeaving); };

const post = ({ url, fields: { publish_at, publish_zone, ...draft } }, isLeaving) => {
    const body = new URLSearchParams({ ...draft, status: "draft" });
    const headers = { Accept: "application/json" };
    // A new post gets one draft, even if the response is lost or the text is restored after the page was closed.
    if (!draft.version) headers["Idempotency-Key"] = key;
    const keepalive = isLeaving && String(body).length <= MAX_KEEPALIVE;
    return fetch(url, { method: "POST", headers, body, keepalive, signal: AbortSignal.timeout(TIMEOUT) });
};

const sendDraft = async (request, isLeaving) => {
    show("saving", say("saving"));
    let answer;
    let data;
    try {
        answer = await post(request, isLeaving);
        data = await answer.json();
    } catch {
        showKept();
        saveIn(RETRY_SECONDS * 1000);
        return;
    }
    const wait = Number(answer.headers.get("Retry-After"));
    if (answer.status === 429) unanswered = undefined;
    if (wait > 0 || answer.status >= 500) {
        showKept();
        saveIn((wait || RETRY_SECONDS) * 1000);
        return;
    }
    unanswered = undefined;
    if (answer.ok) acceptSave(request.fields, data, answer.headers.has("Idempotent-Replayed"));
    else if (answer.status === 401) showSignedOut();
    else if (answer.status === 409 || data.errors?.status) stopSaving();
    else showKept(Object.values(data.errors ?? {}).flat().join(" ") || data.title);
};

const acceptSave = (fields, { id, version }, isReplayed) => {
    if (!fields.version) becomeDraft(id);
    form.elements.version.value = version;
    // The response to an earlier request does not tell which text that request contained.
    saved = isReplayed ? {} : { ...fields, version: String(version), publish_at: saved.publish_at };
    show("saved", say("saved", { time: clock() }));
    keep();
    if (isChanged()) saveSoon();
};

// Turns the form for a new post into the editor of the draft that the first save has created.
const becomeDraft = (id) => {
    const path = `/blogs/${id}/edit/`;
    form.action = path;
    history.replaceState(history.state, "", path);
    for (const button of form.querySelectorAll("[formaction]")) {
        const url = new URL(button.formAction);
        url.searchParams.set("post", id);
        button.formAction = url;
    }
    form.querySelector("#status a").href = `/blogs/${id}/`;
    try { localStorage.removeItem(key); } catch { /* localStorage is unavailable. */ }
    base = `${PREFIX}${form.dataset.autosave.replace("new", id)}:`;
    useKey(newKey());
};

const showSignedOut = () => {
    const link = document.createElement("a");
    show("signed-out", say("kept-signed-out"), Object.assign(link, { href: "/users/login/", target: "_blank", textContent: say("sign-in") }));
};

// The server responds to an outdated version with a page that compares both versions.
const compare = () => form.requestSubmit(form.querySelector("button[name=status]"));
const stopSaving = () => {
    isAutosaved = false;
    show("conflict", say("changed-elsewhere"), linkButton(say("compare"), (event) => { event.preventDefault(); compare(); }));
};

// Loads the latest version when the user returns to the page, for example after writing on another device.
const catchUp = async () => {
    const isIdle = () => isAutosaved && !saving && !unanswered && !isSubmitted && !isChanged();
    const { version } = form.elements;
    if (!version.value || !isIdle()) return;
    try {
        const answer = await fetch(new URL("..", form.action), { headers: { Accept: "application/json" } });
        if (answer.ok && (await answer.json()).version > Number(version.value) && isIdle()) location.replace(form.action);
    } catch { /* Network error: a later save reports the conflict. */ }
};

// Submission by a button waits for a running or unanswered save, whose version the form needs.

let isWaiting = false;
let isSettled = false;
const submitLater = async (submitter) => {
    if (isWaiting) return;
    isWaiting = true;
    if (!saving) save();
    await saving;
    isWaiting = false;
    isSettled = true;
    form.requestSubmit(submitter);
    isSettled = false;
};
form.addEventListener("submit", (event) => {
    if ((saving || unanswered) && !isSettled) {
        event.preventDefault();
        submitLater(event.submitter);
        return;
    }
    isSubmitted = true;
    clearTimeout(timer);
    clearTimeout(keeping);
    keep();
    if (event.submitter?.matches("[data-preview]")) return;
    try { sessionStorage.setItem(SENT, JSON.stringify({ key, title: oneLine(now().title) })); } catch { /* sessionStorage is unavailable. */ }
});

// Restoring of stored changes.

const tell = (message, ...buttons) => {
    form.previousElementSibling?.matches(".kept") && form.previousElementSibling.remove();
    const notice = document.createElement("p");
    notice.className = "notice kept";
    notice.setAttribute("role", "status");
    notice.textContent = `${message} `;
    for (const [label, act] of buttons) {
        notice.append(linkButton(label, () => { notice.remove(); act(); text.focus(); }), " ");
    }
    form.before(notice);
};

const put = (fields) => {
    for (const name of names) {
        if (name === "version") continue;
        if (name === "cover" && fields.cover) editor.addCover(fields.cover);
        else form.elements[name].value = fields[name] ?? "";
    }
    editor.refresh();
    keep();
    saveSoon();
};

// Finds the latest stored changes that are not open in another tab. Deletes changes that are older than MONTH or saved.
const latestKept = async () => {
    const others = await openElsewhere();
    const keys = Object.keys(localStorage).filter((other) => other.startsWith(base) && other !== key && !others.has(other));
    const all = keys.map((other) => ({ other, kept: stored(other) })).sort((a, b) => (b.kept?.at ?? 0) - (a.kept?.at ?? 0));
    const isSaved = (fields) => isSame(fields, saved, fields.version === saved.version ? NOT_EDITED : REWRITTEN);
    const isOld = ({ kept }) => !kept?.fields || kept.at < Date.now() - MONTH || isSaved(kept.fields);
    for (const one of all.filter(isOld)) localStorage.removeItem(one.other);
    return all.find((one) => !isOld(one));
};

// Continues with the key of the restored changes, which identifies the draft that an interrupted save may have created.
const restore = ({ other, kept }) => {
    useKey(other);
    put(kept.fields);
    // The last save of the closed page may end only now, so it is repeated before other fields are saved.
    if (isAutosaved && isValid() && !isSame(kept.fields, saved, NOT_AUTOSAVED)) unanswered = { url: form.action, fields: kept.fields };
    const [caret, scroll] = kept.place ?? [0, 0];
    text.focus({ preventScroll: true });
    text.setSelectionRange(caret, caret);
    text.scrollTop = scroll;
    tell(say("restored", { time: when(kept.at) }), [say("restore-undo"), () => {
        // The restored text has become a draft, which is not emptied.
        if (form.elements.version.value && !asServed.version) { location.assign("/blogs/create/"); return; }
        useKey(newKey());
        unanswered = undefined;
        put(asServed);
        // The changes stay stored until the user discards them.
        localStorage.setItem(other, JSON.stringify(kept));
        tell(
            say("restore-undone"),
            [say("restore"), () => { restore({ other, kept }); }],
            [say("restore-discard"), () => { localStorage.removeItem(other); bringBack(); }],
        );
    }]);
};

// Offers changes of an earlier version than the saved one, which must not be overwritten.
const offer = ({ other, kept }) => {
    tell(
        say("kept-older", { time: when(kept.at) }),
        [say("compare"), async () => {
            isAutosaved = false;
            await saving;
            unanswered = undefined;
            put(kept.fields);
            form.elements.version.value = kept.fields.version;
            localStorage.removeItem(other);
            compare();
        }],
        [say("restore-discard"), () => { localStorage.removeItem(other); bringBack(); }],
    );
};

const bringBack = async () => {
    try {
        const latest = await latestKept();
        // Text that the user has typed since the page was loaded is not overwritten.
        if (!latest || isChanged()) return;
        if (latest.kept.fields.version === saved.version) restore(latest);
        else offer(latest);
    } catch { /* localStorage is unavailable: `keep` shows a message. */ }
};

let keeping;
form.addEventListener("input", () => {
    clearTimeout(keeping);
    keeping = setTimeout(keep, 300);
    saveSoon();
});
document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") { catchUp(); return; }
    keep();
    saveUnlessSignedOut(true);
});
addEventListener("online", () => { saveUnlessSignedOut(); });
addEventListener("pagehide", () => { if (isChanged()) keep(); close(); });
addEventListener("pageshow", ({ persisted }) => {
    // A submission has probably changed the version of the post.
    if (persisted && isSubmitted) location.reload();
    else if (persisted) open();
});

// Discards the stored changes if the user chooses the saved version after an edit conflict.
document.querySelector("[data-discard]")?.addEventListener("click", () => {
    clearTimeout(keeping);
    saved = now();
    try { for (const kept of Object.keys(localStorage)) if (kept.startsWith(base)) localStorage.removeItem(kept); } catch { /* localStorage is unavailable. */ }
});

export const startAutosave = (functions) => {
    editor = functions;
    open();
    // A rejected form already contains the submitted text.
    if (!isRejected) bringBack();
};
