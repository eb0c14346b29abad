// Site settings: preview of the name, the description and the accent color, and buttons that add links to the menus.

const settings = document.querySelector("form#settings");
const preview = settings.querySelector(".site-preview");
const { site_name: name, site_description: description, accent_color: accent } = settings.elements;
const picker = document.getElementById("accent_picker");
const contrastError = settings.querySelector("[data-contrast]");

// Colors of the preview, as `src/site/accent.rs` computes them: the dark color scheme has a lighter accent color if
// necessary.
const MIN_CONTRAST = 4.5;
const [LIGHT_BACKGROUND, DARK_BACKGROUND, WHITE] = ["#fbe7e3", "#3a2d10", "#ffffff"];
const isDark = matchMedia("(prefers-color-scheme: dark)");
const bytes = (color) => color.match(/[0-9a-f]{2}/gi).map((digits) => parseInt(digits, 16));
const luminance = (color) => {
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const [red, green, blue] = bytes(color).map((byte) => linear(byte / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const isReadable = (color, background) => {
    const [darker, lighter] = [luminance(color), luminance(background)].sort((one, other) => one - other);
    return (lighter + 0.05) / (darker + 0.05) >= MIN_CONTRAST;
};
const lighten = (color, percent) => {
    const mixed = bytes(color).map((byte) => Math.round((byte * (100 - percent) + 255 * percent) / 100));
    return `#${mixed.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
};
const readableOnDark = (color) => {
    let percent = 0;
    while (!isReadable(lighten(color, percent), DARK_BACKGROUND)) percent += 1;
    return lighten(color, percent);
};

const showColor = () => {
    const color = accent.value.trim();
    const isColor = /^#[0-9a-f]{6}$/i.test(color);
    // The server has already reported an error beside an invalid field.
    contrastError.hidden = !isColor || accent.ariaInvalid === "true" || isReadable(color, LIGHT_BACKGROUND);
    picker.value = isColor ? color : accent.placeholder;
    for (const variable of ["--accent", "--on-accent"]) preview.style.removeProperty(variable);
    if (!isColor) return;
    const shown = isDark.matches ? readableOnDark(color) : color;
    preview.style.setProperty("--accent", shown);
    preview.style.setProperty("--on-accent", isReadable(shown, WHITE) ? WHITE : "#000000");
};
picker.hidden = accent.disabled;
picker.addEventListener("input", () => { accent.value = picker.value; });
settings.addEventListener("input", () => {
    preview.querySelector("[data-preview-name]").textContent = name.value || name.placeholder;
    preview.querySelector("[data-preview-description]").textContent = description.value || description.placeholder;
    showColor();
});
// The browser restores the fields when the user returns to the page.
addEventListener("pageshow", showColor);

let isChanged = false;
settings.addEventListener("input", () => { isChanged = true; });
settings.addEventListener("submit", () => { isChanged = false; });
addEventListener("beforeunload", (event) => { if (isChanged) event.preventDefault(); });

// Buttons below a menu add the line of a page or of a tag, or remove it.
const lines = (menu) => menu.value.split("\n").map((line) => line.trim()).filter(Boolean);
const url = (line) => line.split(" ").at(-1);
for (const list of settings.querySelectorAll("[data-add-to]")) {
    const menu = settings.elements[list.dataset.addTo];
    const buttons = list.querySelectorAll("button");
    const update = () => {
        const urls = lines(menu).map(url);
        for (const button of buttons) button.setAttribute("aria-pressed", urls.includes(url(button.value)));
    };
    list.hidden = menu.disabled;
    for (const button of buttons) {
        button.addEventListener("click", () => {
            const before = lines(menu);
            const others = before.filter((line) => url(line) !== url(button.value));
            menu.value = (others.length < before.length ? others : [...before, button.value]).join("\n");
            menu.dispatchEvent(new Event("input", { bubbles: true }));
        });
    }
    menu.addEventListener("input", update);
    addEventListener("pageshow", update);
}
