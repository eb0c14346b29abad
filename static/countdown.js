// Where a page says how long to wait ([data-wait], in seconds), the time left is counted down; its form, or that of the
// class which [data-holds] names, is held until then and keeps what was entered. Shown every second, and said to screen readers now and then.

const inWords = (seconds) => {
    const [count, unit] = seconds < 120 ? [seconds, "second"]
        : seconds < 7200 ? [Math.ceil(seconds / 60), "minute"]
        : [Math.ceil(seconds / 3600), "hour"];
    return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
};

const span = (parent, attributes) => {
    const element = document.createElement("span");
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return parent.appendChild(element);
};

for (const wait of document.querySelectorAll("[data-wait]")) {
    const until = performance.now() + Number(wait.dataset.wait) * 1000;
    const left = () => Math.max(0, Math.ceil((until - performance.now()) / 1000));
    const shown = span(wait, { "aria-hidden": "true" });
    const said = span(wait, { class: "hidden", role: "status" });
    const { holds } = wait.dataset;
    const held = holds ? `main form[data-class=${holds}]` : "main form[method=post]";
    const forms = holds === undefined ? [] : [...document.querySelectorAll(held)];
    const buttons = forms.flatMap((form) => [...form.querySelectorAll("button")]);

    for (const form of forms) {
        form.addEventListener("submit", (event) => {
            if (left() > 0) {
                event.preventDefault();
                said.textContent = `Not yet: please wait for ${inWords(left())}.`;
            }
        });
    }
    for (const button of buttons) button.setAttribute("aria-disabled", "true");

    const tick = () => {
        const seconds = left();
        if (seconds === 0) {
            shown.textContent = said.textContent = "You can go on now.";
            for (const button of buttons) button.removeAttribute("aria-disabled");
            return;
        }
        shown.textContent = `${inWords(seconds)} left`;
        if (seconds % (seconds > 60 ? 60 : 10) === 0) said.textContent = shown.textContent;
        setTimeout(tick, ((until - performance.now()) % 1000) + 1);
    };
    tick();
}
