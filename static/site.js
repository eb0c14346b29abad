// Progressive enhancement of all pages: countdowns, rating without a page load, deferred rating submission, charts.
// Pages work without JavaScript, and all HTML is rendered by the server. The post editor is in writing.js.

import { language, words } from "./words.js";

// Translated messages. A message is a string, or a list of strings, values and plural forms that a number selects.

export const number = (value, options) => new Intl.NumberFormat(language, options).format(value);
const plural = new Intl.PluralRules(language);
const write = (message, values) => (typeof message === "string" ? message : message.map((part) => {
    if (typeof part === "string") return part;
    if (part.forms) return write(part.forms[plural.select(values[part.of])] ?? part.forms.other, values);
    const value = values[part.value];
    return typeof value === "number" ? number(value) : value;
}).join(""));
export const say = (id, values = {}) => write(words[id] ?? id, values);

export const inWords = (seconds) => {
    const [count, unit] = seconds < 120 ? [seconds, "second"]
        : seconds < 7200 ? [Math.ceil(seconds / 60), "minute"]
        : [Math.ceil(seconds / 3600), "hour"];
    return number(count, { style: "unit", unit, unitDisplay: "long" });
};

const span = (parent, attributes) => {
    const element = document.createElement("span");
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return parent.appendChild(element);
};

// Image conversion. Formats that the browser can decode and the server does not accept, such as AVIF (and HEIC in
// Safari), are converted before the upload.

const ACCEPTED = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/svg+xml"];
export const converted = async (file) => {
    if (!file.type.startsWith("image/") || ACCEPTED.includes(file.type)) return file;
    try {
        const bitmap = await createImageBitmap(file);
        const canvas = Object.assign(document.createElement("canvas"), { width: bitmap.width, height: bitmap.height });
        canvas.getContext("2d").drawImage(bitmap, 0, 0);
        const encode = (type) => new Promise((resolve) => { canvas.toBlob(resolve, type, 0.9); });
        // Safari cannot encode WebP and silently returns a PNG, which is too large for photographs.
        let blob = await encode("image/webp");
        if (blob?.type !== "image/webp") blob = await encode("image/jpeg");
        return blob ? new File([blob], file.name, { type: blob.type }) : file;
    } catch {
        // Sends the file unchanged, so that the error message of the server lists the accepted formats.
        return file;
    }
};

// Converts files chosen in forms. The field is invalid during the conversion, which keeps the browser from submitting.
document.addEventListener("change", async ({ target }) => {
    if (target.type !== "file") return;
    const [file] = target.files;
    target.setCustomValidity("");
    if (!file) return;
    target.setCustomValidity(say("image-converting"));
    const data = new DataTransfer();
    data.items.add(await converted(file));
    // Discards the result if the user has chosen another file during the conversion.
    if (target.files[0] !== file) return;
    target.files = data.files;
    target.setCustomValidity("");
});

// Live region that announces changes of the page to screen readers.
const announcer = span(document.body, { class: "hidden", role: "status" });
export const announce = (text) => {
    announcer.textContent = "";
    setTimeout(() => { announcer.textContent = text; }, 50);
};

// Countdowns. An element with `data-wait` shows the remaining seconds. With `data-holds`, forms of the named rate class
// (without a name: the form of the page) cannot be submitted during the countdown. The time is updated every second,
// and announced to screen readers every 10 or 60 seconds.

const countDown = (wait) => {
    const until = performance.now() + Number(wait.dataset.wait) * 1000;
    const left = () => Math.max(0, Math.ceil((until - performance.now()) / 1000));
    // In an element with a sentence, only the time in the sentence is replaced.
    const sentence = wait.textContent.trim();
    const time = wait.firstElementChild?.textContent;
    const inSentence = (left) => (time ? sentence.replace(time, () => left) : say("time-left", { time: left }));
    wait.dataset.counts = "";
    wait.textContent = "";
    const shown = span(wait, { "aria-hidden": "true" });
    const said = span(wait, { class: "hidden", role: "status" });
    const { holds } = wait.dataset;
    const held = holds ? `main form[data-class=${holds}]` : "main form[method=post]";
    const forms = holds === undefined ? [] : [...document.querySelectorAll(held)];
    const buttons = forms.flatMap((form) => [...form.querySelectorAll("button:not([data-preview])")]);
    const labels = new Map(buttons.map((button) => [button, button.textContent]));

    for (const form of forms) {
        form.addEventListener("submit", (event) => {
            if (left() > 0 && wait.isConnected && !event.submitter?.matches("[data-preview]")) {
                event.preventDefault();
                event.stopImmediatePropagation();
                said.textContent = say("not-yet", { time: inWords(left()) });
            }
        }, { capture: true });
    }
    for (const button of buttons) button.setAttribute("aria-disabled", "true");

    const tick = () => {
        const seconds = left();
        if (seconds === 0 || !wait.isConnected) {
            shown.textContent = said.textContent = say(sentence ? "can-be-sent-now" : "can-go-on-now");
            for (const [button, label] of labels) {
                button.removeAttribute("aria-disabled");
                button.textContent = label;
            }
            return;
        }
        shown.textContent = inSentence(inWords(seconds));
        for (const [button, label] of labels) button.textContent = say("button-in", { button: label, time: inWords(seconds) });
        if (seconds % (seconds > 60 ? 60 : 10) === 0) said.textContent = shown.textContent;
        setTimeout(tick, ((until - performance.now()) % 1000) + 1);
    };
    tick();
};

document.querySelectorAll("[data-wait]").forEach(countDown);

// Rating. A click on a star submits the form; keyboard users choose a star and then submit. The request is the same as
// without JavaScript, and the rating sections of the response replace the rating sections of the page.

const notices = "main > .notice";
const ratingForm = () => document.querySelector("form[data-rating]");

export const linkButton = (label, act) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: label });
    button.addEventListener("click", act);
    return button;
};

// Shows a status message below the stars.
const tellOutcome = (text, ...buttons) => {
    const outcome = document.getElementById("outcome");
    const said = document.createElement("p");
    said.textContent = `${text} `;
    for (const [label, act] of buttons) said.append(linkButton(label, act));
    outcome.className = "outcome notice";
    outcome.removeAttribute("role");
    outcome.replaceChildren(said);
    outcome.scrollIntoView({ block: "nearest" });
};

const show = (page) => {
    for (const notice of document.querySelectorAll(notices)) notice.remove();
    const main = document.getElementById("main");
    const fresh = [...page.querySelectorAll(notices)];
    main.prepend(...fresh);
    const hadFocus = document.activeElement?.closest("#rating");
    // Keeps the scroll position of the stars when the height of the content above them changes.
    const place = () => document.querySelector("#rating .five")?.getBoundingClientRect().top ?? 0;
    const before = place();
    for (const part of [".post > header", "#rating"]) {
        const [old, now] = [document.querySelector(part), page.querySelector(part)];
        if (old && now) old.replaceWith(now);
    }
    document.querySelectorAll("[data-wait]").forEach((wait) => { if (!("counts" in wait.dataset)) countDown(wait); });
    scrollBy({ top: place() - before, behavior: "instant" });
    bindRating();
    settleStars();
    const outcome = document.getElementById("outcome");
    outcome?.scrollIntoView({ block: "nearest" });
    announce([outcome, ...fresh].map((told) => told?.textContent.trim()).filter(Boolean).join(" "));
    if (hadFocus) document.querySelector("#rating input:checked")?.focus({ preventScroll: true, focusVisible: false });
};

// After a response, the stars show the counted rating until the pointer moves, although it is still over the stars.
const settleStars = () => {
    const five = document.querySelector("#rating .five");
    five?.classList.add("settled");
    const release = ({ movementX, movementY }) => {
        if (!movementX && !movementY) return;
        five.classList.remove("settled");
        five.removeEventListener("pointermove", release);
    };
    five?.addEventListener("pointermove", release);
};

const pageOf = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");

// True while a rating is submitted or removed. Blocks further requests, whose responses could arrive first.
let isSubmitting = false;

const rate = async (event) => {
    const form = event.currentTarget;
    event.preventDefault();
    if (isSubmitting) return;
    isSubmitting = true;
    form.ariaBusy = "true";
    forget(form.dataset.rating ?? form.dataset.withdraw);
    tellOutcome(say("saving"));
    try {
        const answer = await fetch(form.action, {
            method: "POST",
            headers: { Accept: "text/html" },
            body: new URLSearchParams(new FormData(form)),
        });
        const page = await pageOf(answer);
        // A response without a rating section, such as the sign-in page or an error page, is opened as a page.
        if (!page.getElementById("rating")) {
            if (answer.redirected) location.assign(answer.url);
            else { form.removeEventListener("submit", rate); form.requestSubmit(); }
            return;
        }
        show(page);
    } catch {
        const text = say("rating-not-sent");
        tellOutcome(text);
        document.getElementById("outcome").classList.add("failed");
        announce(text);
    } finally {
        isSubmitting = false;
        form.ariaBusy = "false";
    }
};

// Deferred rating submission. A rating that was rate limited can be stored in localStorage and submitted when the wait
// is over, by any open page of the site, for up to a day.

export const PREFIX = "evenkeel:";
export const DAY = 24 * 3600 * 1000;
const reader = document.body.dataset.user;
const keyOf = (post) => `${PREFIX}rating:${reader}:${post}`;

export const stored = (key) => {
    try { return JSON.parse(localStorage.getItem(key)); } catch { return null; }
};

const forget = (post) => {
    try { localStorage.removeItem(keyOf(post)); } catch { /* localStorage is unavailable: nothing was stored. */ }
};

// Timers by post id, at most one for each post.
const timers = new Map();
const isHere = (post) => ratingForm()?.dataset.rating === post;

const sendLater = (post) => {
    const kept = stored(keyOf(post));
    if (!kept) return;
    if (isHere(post)) {
        // The stars show the counted rating or, if there is none, the rating to be submitted.
        const { value } = ratingForm().elements.rating;
        const before = kept.change ? Number(value) : 0;
        if (!before) ratingForm().elements.rating.value = String(kept.stars);
        tellOutcome(
            before ? say("change-will-be-sent", { stars: kept.stars, before }) : say("rating-will-be-sent", { stars: kept.stars }),
            [say("rating-do-not-send"), () => { forget(post); tellOutcome(say("rating-cancelled")); }],
        );
        const left = document.createElement("span");
        const tick = () => {
            left.textContent = `${say("rating-sent-in", { time: inWords(Math.max(1, Math.ceil((kept.at - Date.now()) / 1000))) })} `;
            if (kept.at > Date.now()) setTimeout(() => { if (left.isConnected) tick(); }, 1000);
        };
        tick();
        document.querySelector("#outcome button").before(left);
    }
    clearTimeout(timers.get(post));
    timers.set(post, setTimeout(() => { sendNow(post); }, Math.max(0, kept.at - Date.now())));
};

// Applies changes of stored ratings by other tabs.
addEventListener("storage", async ({ key, newValue }) => {
    if (!reader || !key?.startsWith(keyOf(""))) return;
    const post = key.slice(keyOf("").length);
    if (newValue) sendLater(post);
    else if (isHere(post)) await showAgain();
});

const showAgain = async () => {
    try { show(await pageOf(await fetch(location.pathname, { headers: { Accept: "text/html" } }))); } catch { /* Network error: the page is not updated. */ }
};

// Reports the result of a deferred rating: below the stars on the page of the post, or in a notice on any other page.
const tellKept = async (post, kept, text) => {
    if (isHere(post)) {
        await showAgain();
        tellOutcome(text);
    } else {
        const notice = document.createElement("p");
        notice.className = "notice";
        const link = Object.assign(document.createElement("a"), { href: kept.path, textContent: kept.title });
        notice.append(`${text} `, link);
        document.getElementById("main").prepend(notice);
    }
    announce(text);
};

const send = async (post) => {
    const kept = stored(keyOf(post));
    // Without a stored rating, another tab has submitted the rating, or the user has submitted or cancelled it.
    if (!kept) return;
    if (kept.at > Date.now()) { sendLater(post); return; }
    if (kept.until < Date.now()) {
        forget(post);
        await tellKept(post, kept, say("rating-too-late", { stars: kept.stars }));
        return;
    }
    const again = (seconds) => {
        // The user has cancelled the rating during the request.
        if (!stored(keyOf(post))) return;
        // Random delay, so that clients do not all retry at the same time.
        kept.at = Date.now() + seconds * 1000 * (1 + Math.random() / 4);
        localStorage.setItem(keyOf(post), JSON.stringify(kept));
        sendLater(post);
    };
    let answer;
    try {
        answer = await fetch(kept.change ? `/rate/edit_user_rating/${post}/` : "/rate/", {
            method: "POST",
            headers: { Accept: "application/json", "Content-Type": "application/json" },
            body: JSON.stringify(kept.change ? { rating: kept.stars } : { blog: Number(post), rating: kept.stars }),
        });
    } catch {
        again(60);
        return;
    }
    const wait = Number(answer.headers.get("Retry-After"));
    if (wait > 0) { again(wait); return; }
    if (answer.status === 404 && kept.change) {
        // The rating to be changed has been removed, so the deferred change becomes a new rating.
        kept.change = false;
        again(1);
        return;
    }
    forget(post);
    if (answer.ok) await tellKept(post, kept, say("rating-counted", { stars: kept.stars }));
    else if (answer.status === 404) await tellKept(post, kept, say("rating-post-gone", { stars: kept.stars }));
    else {
        const problem = await answer.json().catch(() => ({}));
        await tellKept(post, kept, say("rating-not-counted", { stars: kept.stars, why: problem.title ?? say("try-again") }));
    }
};

const sendNow = (post) => (navigator.locks ? navigator.locks.request(keyOf(post), () => send(post)) : send(post));

const bindRating = () => {
    const form = ratingForm();
    if (!form) return;
    form.addEventListener("submit", rate);
    document.querySelector("form[data-withdraw]")?.addEventListener("submit", rate);
    for (const input of form.elements.rating) {
        // Arrow keys in a radio group cause click events with `detail` 0, which must not submit the form.
        input.addEventListener("click", (event) => { if (event.detail > 0) form.requestSubmit(); });
    }
    const later = document.querySelector("[data-send-later]");
    if (!later) return;
    const post = form.dataset.rating;
    const wait = Number(document.querySelector("#outcome [data-wait]").dataset.wait);
    const at = Date.now() + wait * 1000;
    later.parentElement.hidden = false;
    later.addEventListener("click", () => {
        const kept = {
            stars: Number(later.dataset.sendLater),
            change: form.action.includes("edit_user_rating"),
            at,
            until: Date.now() + DAY,
            path: location.pathname,
            title: document.querySelector(".post h1").textContent,
        };
        try {
            localStorage.setItem(keyOf(post), JSON.stringify(kept));
            sendLater(post);
        } catch {
            tellOutcome(say("rating-cannot-be-kept"));
        }
    });
};

document.documentElement.classList.add("scripted");
bindRating();
if (reader) {
    try {
        for (const key of Object.keys(localStorage)) if (key.startsWith(keyOf(""))) sendLater(key.slice(keyOf("").length));
    } catch { /* localStorage is unavailable. */ }
}

// Sign-out deletes the user's drafts and deferred ratings from localStorage, after a confirmation.

const ofReader = () => {
    try {
        return Object.keys(localStorage).filter((key) => key.startsWith(keyOf("")) || key.startsWith(`${PREFIX}${reader}:`));
    } catch {
        return [];
    }
};

document.querySelector("form[action='/users/logout/']")?.addEventListener("submit", (event) => {
    const kept = ofReader();
    if (kept.length && !window.confirm(say("sign-out-deletes"))) {
        event.preventDefault();
        return;
    }
    for (const key of kept) localStorage.removeItem(key);
});

// Menus of the page header close on Escape, and when the user clicks or moves the focus elsewhere.

for (const menu of document.querySelectorAll("details.menu")) {
    menu.addEventListener("toggle", () => { if (menu.open) menu.querySelector("input")?.focus(); });
    menu.addEventListener("focusout", ({ relatedTarget }) => { if (relatedTarget && !menu.contains(relatedTarget)) menu.open = false; });
    menu.addEventListener("keydown", ({ key }) => {
        if (key !== "Escape" || !menu.open) return;
        menu.open = false;
        menu.querySelector("summary").focus();
    });
    document.addEventListener("click", ({ target }) => { if (!menu.contains(target)) menu.open = false; });
}

// Charts: the pointer, a finger or the arrow keys select an hour, a day or a point. A tooltip there shows its values.

for (const chart of document.querySelectorAll(".chart:has(.readout)")) {
    const plots = [...chart.querySelectorAll(".plot:has(.hit)")].map((svg) => [...svg.querySelectorAll(".hit")]);
    const texts = plots[0].map((hit) => hit.textContent);
    const readout = chart.querySelector(".readout");
    let at = texts.length;
    const select = (index, text) => {
        readout.textContent = text;
        for (const hits of plots) hits.forEach((hit, number) => hit.classList.toggle("here", number === index));
    };
    // Above the point, or below it if there is no room. The tooltip stays within the chart and the viewport.
    const show = (index, x, y, gap) => {
        at = index;
        select(at, texts[at]);
        const box = chart.getBoundingClientRect();
        const { offsetWidth: width, offsetHeight: height } = readout;
        const fit = (value, least, most) => `${Math.max(least, Math.min(value, most))}px`;
        const start = document.documentElement.dir === "rtl" ? box.right - x : x - box.left;
        const least = Math.max(0, -box.top);
        const above = y - box.top - gap - height;
        const top = above < least ? above + height + 2 * gap : above;
        readout.style.insetInlineStart = fit(start - width / 2, 0, box.width - width);
        readout.style.insetBlockStart = fit(top, least, Math.min(box.height, innerHeight - box.top) - height);
    };
    const hide = () => select(-1, "");
    const point = ({ clientX, clientY, pointerType }) => {
        // A touch keeps its first target, so the event does not tell which bar is under a moving finger.
        const under = document.elementFromPoint(clientX, clientY);
        const index = Math.max(...plots.map((hits) => hits.indexOf(under)));
        if (index >= 0) show(index, clientX, clientY, pointerType === "mouse" ? 12 : 32);
        else hide();
    };
    const focus = (index) => {
        const next = Math.min(Math.max(index, 0), texts.length - 1);
        const { left, top, width, height } = plots[0][next].getBoundingClientRect();
        show(next, left + width / 2, top + height / 2, 12);
    };
    // Removes native tooltips, which would appear late, and only for a mouse.
    for (const title of chart.querySelectorAll(".hit title")) title.remove();
    chart.tabIndex = 0;
    chart.setAttribute("role", "group");
    chart.setAttribute("aria-label", say("chart-keys"));
    for (const kind of ["pointerdown", "pointermove"]) chart.addEventListener(kind, point);
    chart.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType === "mouse") hide(); });
    chart.addEventListener("focus", () => { if (chart.matches(":focus-visible")) focus(at); });
    chart.addEventListener("blur", hide);
    chart.addEventListener("keydown", (event) => {
        if (event.key === "Escape") hide();
        const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: texts.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        focus(to);
    });
}

// Admin lists. The bar of bulk actions shows the number of selected rows, and can select all rows of the page. Its
// buttons work only while rows are selected.

const bar = document.querySelector(".selection");
if (bar) {
    const boxes = [...document.querySelectorAll("input[name=selected]")];
    const all = Object.assign(document.createElement("input"), { type: "checkbox" });
    const label = document.createElement("label");
    label.append(all, say("select-all"));
    bar.querySelector("legend").after(label);
    const count = span(bar, { role: "status" });
    label.after(count);
    const update = () => {
        const selected = boxes.filter((box) => box.checked).length;
        all.checked = selected > 0 && selected === boxes.length;
        all.indeterminate = selected > 0 && selected < boxes.length;
        count.textContent = say("selected", { count: selected });
        for (const button of bar.querySelectorAll("button")) button.disabled = selected === 0;
    };
    all.addEventListener("change", () => { for (const box of boxes) box.checked = all.checked; });
    bar.form.addEventListener("change", update);
    // The browser restores the selected rows when the user returns to the page.
    addEventListener("pageshow", update);
}

// Buttons that copy the value of a field.

for (const button of navigator.clipboard ? document.querySelectorAll("[data-copy]") : []) {
    button.hidden = false;
    const [field, said] = [document.getElementById(button.dataset.copy), button.nextElementSibling];
    button.addEventListener("click", async () => {
        field.select();
        // Without clipboard permission, the value stays selected, so that the user can copy it.
        try { await navigator.clipboard.writeText(field.value); } catch { return; }
        said.textContent = said.dataset.copied;
    });
}

// Deletes the local copy of a submitted post when a page with a success message shows that the post is saved. If the
// session has expired, the sign-in page says that the text is still stored.

export const SENT = `${PREFIX}sent`;
export const oneLine = (text) => text.trim().split(/\s+/).join(" ");

if (!document.querySelector("form[data-autosave]")) {
    let sent = null;
    try { sent = JSON.parse(sessionStorage.getItem(SENT)); } catch { /* sessionStorage is unavailable. */ }
    const title = document.querySelector("[data-post] h1")?.textContent;
    if (sent && title && document.querySelector(".notice.done") && oneLine(title) === sent.title) {
        localStorage.removeItem(sent.key);
        sessionStorage.removeItem(SENT);
    } else if (sent && location.pathname === "/users/login/") {
        const notice = Object.assign(document.createElement("p"), { className: "notice" });
        notice.setAttribute("role", "status");
        notice.textContent = say("signed-out-kept", { title: sent.title });
        document.querySelector("main form").before(notice);
    }
}

// Buttons that show the password while it is typed.
for (const input of document.querySelectorAll("input[type=password]")) {
    const box = document.createElement("div");
    const toggle = document.createElement("button");
    box.className = "with-toggle";
    Object.assign(toggle, { type: "button", className: "second" });
    toggle.setAttribute("aria-controls", input.id);
    const label = input.labels[0]?.textContent;
    const show = (isShown) => {
        const text = say(isShown ? "password-hide" : "password-show");
        input.type = isShown ? "text" : "password";
        toggle.textContent = text;
        if (label) toggle.setAttribute("aria-label", `${text}: ${label}`);
    };
    toggle.addEventListener("click", () => { show(input.type === "password"); input.focus(); });
    // Hides the password before submission, because password managers save only password fields.
    input.form?.addEventListener("submit", () => show(false));
    const hasFocus = document.activeElement === input;
    input.replaceWith(box);
    box.append(input, toggle);
    show(false);
    if (hasFocus) input.focus();
}

// Buttons that copy and download recovery codes.
for (const list of document.querySelectorAll(".codes")) {
    const codes = [...list.querySelectorAll("code")].map((code) => code.textContent).join("\n");
    const acts = document.createElement("p");
    const status = document.createElement("span");
    const copy = document.createElement("button");
    const download = document.createElement("a");
    acts.className = "acts";
    status.setAttribute("role", "status");
    Object.assign(copy, { type: "button", className: "second", textContent: say("codes-copy") });
    Object.assign(download, {
        className: "button second", textContent: say("codes-download"), download: "recovery-codes.txt",
        href: URL.createObjectURL(new Blob([`${codes}\n`], { type: "text/plain" })),
    });
    copy.addEventListener("click", async () => {
        const isCopied = await navigator.clipboard?.writeText(codes).then(() => true, () => false);
        status.textContent = say(isCopied ? "codes-copied" : "codes-not-copied");
    });
    acts.append(copy, download, status);
    list.after(acts);
}
