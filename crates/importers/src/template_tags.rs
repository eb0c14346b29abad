//! Template tags of Jekyll (Liquid) and Hugo (shortcodes), attribute lists of kramdown, and formulas in Markdown.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use evenkeel_markdown::{parse, render, replace_links};
use pulldown_cmark::{Event, Tag};

use crate::html_to_markdown::emphasis;

/// URL scheme of links to another post of the source by its file name, such as `post:2020-01-02-hello`.
pub const POST_SCHEME: &str = "post:";

/// Text after the replacement of template tags.
#[derive(Debug, Default)]
pub struct TagReplacement {
    pub text: String,
    /// Number of unknown tags that remain in the text, by tag name.
    pub unknown: BTreeMap<String, usize>,
}

/// Opening and closing delimiters of template tags.
const DELIMITERS: [(&str, &str); 4] = [("{{<", ">}}"), ("{{%", "%}}"), ("{%", "%}"), ("{{", "}}")];

/// Replaces template tags that have a Markdown equivalent. `base_path` is the value of `site.baseurl`.
pub fn replace_tags(text: &str, base_path: &str) -> TagReplacement {
    let (mut replaced, mut rest, code) = (TagReplacement::default(), text, code_ranges(text));
    // Delimiters and end tags that the rest of the text does not contain. They are remembered, because searching for
    // them repeatedly would take quadratic time.
    let mut missing = HashSet::new();
    while let Some(begin) = rest.find('{') {
        replaced.text.push_str(&rest[..begin]);
        rest = &rest[begin..];
        let tag = DELIMITERS.iter().find_map(|(open, close)| {
            let inner = rest.strip_prefix(open)?;
            let parts = if missing.contains(*close) { None } else { inner.split_once(close) };
            if parts.is_none() {
                missing.insert(*close);
            }
            parts.map(|(inner, after)| (*open, inner, after))
        });
        let Some((open, inner, after)) = tag else {
            replaced.text.push('{');
            rest = &rest[1..];
            continue;
        };
        let inner = inner.trim_matches(['-', ' ', '\n', '\t']);
        if let Some(after) = replace_block(&mut replaced.text, open, inner, after, &mut missing) {
            rest = after;
        } else if let Some(value) = tag_value(open, inner, base_path)
            && (!value.starts_with(POST_SCHEME)
                || replaced.text.ends_with(['(', '<', '"', '\'', '/', '='])
                || replaced.text.ends_with("]: "))
        {
            replaced.text.push_str(&value);
            rest = after;
        } else {
            *replaced.unknown.entry(tag_name(open, inner)).or_default() += 1;
            let is_code = is_inside(&code, text.len() - rest.len());
            push_unknown_tag(&mut replaced.text, &rest[..rest.len() - after.len()], after, is_code);
            rest = after;
        }
    }
    replaced.text.push_str(rest);
    replaced
}

/// Writes an unknown tag as text. `after` is the text that follows the tag.
fn push_unknown_tag(text: &mut String, tag: &str, after: &str, is_code: bool) {
    if is_code {
        text.push_str(tag);
        return;
    }
    // Adds a blank line before a tag that is alone on its line, because it would continue the table or paragraph above.
    let is_line =
        text.ends_with('\n') && !text.ends_with("\n\n") && (after.is_empty() || after.starts_with(['\n', '\r']));
    if is_line {
        text.push('\n');
    }
    // Escapes tags such as `{{<table>}}`, because Markdown would interpret `<table>` as HTML.
    let is_html = tag.strip_prefix("{{<").is_some_and(|tag| tag.starts_with(|c: char| c.is_alphabetic() || c == '/'));
    text.push_str(&if is_html { tag.replacen('<', "\\<", 1) } else { tag.to_owned() });
}

/// Replaces a tag with an end tag, such as `{% highlight %}`. Returns the text after the end tag, or `None` for other
/// tags.
fn replace_block<'a>(
    text: &mut String,
    open: &str,
    inner: &str,
    after: &'a str,
    missing: &mut HashSet<&'static str>,
) -> Option<&'a str> {
    let name = inner.split_whitespace().next()?;
    let (end_open, end_name) = match (open, name) {
        ("{%", "highlight") => ("{%", "endhighlight"),
        ("{%", "codeblock") => ("{%", "endcodeblock"),
        ("{%", "raw") => ("{%", "endraw"),
        ("{%", "comment") => ("{%", "endcomment"),
        ("{{<", "highlight") => ("{{<", "highlight"),
        ("{{%", "highlight") => ("{{%", "/highlight"),
        _ => return None,
    };
    if missing.contains(end_name) {
        return None;
    }
    let Some((content, after)) = split_at_end_tag(after, end_open, end_name.trim_start_matches('/')) else {
        missing.insert(end_name);
        return None;
    };
    match name {
        "raw" => text.push_str(content),
        "highlight" => push_code(text, inner.split_whitespace().nth(1).unwrap_or_default(), content),
        "codeblock" => {
            let language = inner.split_whitespace().find_map(|word| word.strip_prefix("lang:"));
            push_code(text, language.unwrap_or_default(), content);
        }
        _ => {}
    }
    Some(if ["highlight", "codeblock"].contains(&name) { after.strip_prefix('\n').unwrap_or(after) } else { after })
}

fn split_at_end_tag<'a>(text: &'a str, open: &str, name: &str) -> Option<(&'a str, &'a str)> {
    let ends = text.match_indices(open).filter_map(|(at, _)| {
        let tag = text[at + open.len()..].trim_start_matches(['-', ' ', '/']).strip_prefix(name)?;
        let end = tag.trim_start_matches(['-', ' ', '%', '>']);
        end.starts_with('}').then(|| (&text[..at], end.trim_start_matches('}')))
    });
    ends.into_iter().next()
}

pub(super) fn push_code(text: &mut String, language: &str, code: &str) {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    let indent = text[line..].to_owned();
    let indent = if indent.trim().is_empty() { indent } else { String::new() };
    if !text[line..].trim().is_empty() {
        text.push_str("\n\n");
    }
    let mut runs = code.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.by_ref().max().unwrap_or(0).max(2) + 1);
    let code = code.trim_matches(['\n', '\r']).trim_end();
    text.extend([&fence, language, "\n", code, "\n", &indent, &fence, "\n"]);
}

/// Returns the Markdown for a tag that needs no end tag, or `None` for an unknown tag.
fn tag_value(open: &str, inner: &str, base_path: &str) -> Option<String> {
    let (name, arguments) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    let arguments = arguments.trim();
    let first = || arguments.split_whitespace().next().map(|word| word.trim_matches(['"', '\'', '`']));
    match (open, name) {
        ("{%", "post_url" | "link") | ("{{<" | "{{%", "ref" | "relref") => Some(format!("{POST_SCHEME}{}", first()?)),
        ("{%", "img") => {
            // Arguments of the Octopress tag `img`: classes, path, size and description.
            let mut words = arguments.split_whitespace().skip_while(|word| !word.contains(['/', '.']));
            let path = words.next()?;
            let alt: Vec<_> = words.filter(|word| word.parse::<u32>().is_err()).collect();
            Some(format!("![{}](<{path}>)", alt.join(" ").replace(['[', ']', '"'], "")))
        }
        ("{{<", "figure") => {
            let source = attribute(arguments, "src")?;
            let caption = attribute(arguments, "caption").or_else(|| attribute(arguments, "title")).unwrap_or_default();
            let alt = attribute(arguments, "alt").unwrap_or(caption).replace(['[', ']'], "");
            Some(format!("![{alt}](<{source}>)\n\n{caption}\n"))
        }
        ("{{<", "youtube") => {
            Some(format!("<https://www.youtube.com/watch?v={}>", attribute(arguments, "id").or_else(first)?))
        }
        ("{{<", "vimeo") => Some(format!("<https://vimeo.com/{}>", attribute(arguments, "id").or_else(first)?)),
        ("{{<", "gist") => {
            let words: Vec<&str> = arguments.split_whitespace().collect();
            Some(format!("<https://gist.github.com/{}/{}>", words.first()?, words.get(1)?))
        }
        ("{{<" | "{{%", _) if inner.starts_with("/*") => {
            let inner = inner.trim_start_matches("/*").trim_end_matches("*/");
            Some(format!("{open}{inner}{}", if open == "{{<" { ">}}" } else { "%}}" }))
        }
        ("{{", "site.baseurl") => Some(base_path.to_owned()),
        ("{{", "site.url") => Some(String::new()),
        ("{{", _) => {
            let (value, filter) = inner.split_once('|')?;
            let path = value.trim().strip_prefix(['"', '\''])?.strip_suffix(['"', '\''])?;
            let is_link =
                filter.contains("relative_url") || filter.contains("absolute_url") || filter.contains("site.baseurl");
            is_link.then(|| format!("{base_path}/{}", path.trim_start_matches('/')))
        }
        _ => None,
    }
}

/// Value of a shortcode argument such as `name="value"`.
fn attribute<'a>(arguments: &'a str, name: &str) -> Option<&'a str> {
    let begins =
        arguments.match_indices(name).filter(|(at, _)| *at == 0 || arguments[..*at].ends_with([' ', '\n', '\t']));
    begins.into_iter().find_map(|(at, _)| {
        let value = arguments[at + name.len()..].strip_prefix('=')?;
        let quote = value.chars().next().filter(|c| "\"'`".contains(*c));
        quote.map_or_else(|| value.split_whitespace().next(), |quote| value[1..].split(quote).next())
    })
}

fn tag_name(open: &str, inner: &str) -> String {
    let name = inner.split([' ', '|', '\n']).next().unwrap_or_default();
    match open {
        "{%" => format!("{{% {name} %}}"),
        "{{<" | "{{%" => format!("{{{{< {name} >}}}}"),
        _ => format!("{{{{ {name} }}}}"),
    }
}

/// Maximum length of an attribute list in bytes, which limits the search for its end.
const MAX_LIST_BYTES: usize = 500;

/// Removes heading ids, such as `## Setup {#install}`, and for Jekyll also kramdown attribute lists, such as `{:
/// .class}`. Links to a removed id get the id that the heading has on this site.
pub fn remove_attribute_lists(text: &str, is_jekyll: bool) -> String {
    let code = code_ranges(text);
    let (mut clean, mut after, mut ids) = (String::with_capacity(text.len()), 0, Vec::new());
    let (mut line, mut before, mut has_contents) = (0, 0, false);
    for (at, _) in text.match_indices('{') {
        line = text[before..at].rfind('\n').map_or(line, |end| before + end + 1);
        before = at;
        let list = &text[at + 1..text.floor_char_boundary(at + 1 + MAX_LIST_BYTES)];
        let Some(list) =
            list.find(['{', '}', '\n']).filter(|end| list[*end..].starts_with('}')).map(|end| &list[..end])
        else {
            continue;
        };
        let end = at + list.len() + 2;
        let is_of_heading = list.starts_with('#')
            && text[line..].starts_with('#')
            && text[end..].trim_start_matches(' ').starts_with(['\n', '\r']);
        // An attribute list applies to the block above or to the span directly before, so a list after a space is text.
        let is_placed = !text[..at].ends_with([' ', '\t']) || text[line..at].trim().is_empty();
        let is_of_kramdown = is_jekyll && is_placed && list.strip_prefix(':').is_some_and(is_attribute_list);
        if at < after || !is_of_kramdown && !is_of_heading || is_inside(&code, at) {
            continue;
        }
        clean.push_str(&text[after..at]);
        ids.extend(
            list.split_whitespace()
                .filter_map(|word| word.trim_start_matches(':').strip_prefix('#'))
                .map(|id| (id, clean.len())),
        );
        after = end;
        if text[line..at].trim().is_empty() && text[end..].starts_with(['\n', '\r']) {
            // The attribute list is alone on its line.
            clean.truncate(clean.trim_end_matches([' ', '\t']).len());
            after += text[end..].find('\n').map_or(0, |end| end + 1);
            if list.trim_start_matches(':').trim() == "toc" && !std::mem::replace(&mut has_contents, true) {
                remove_list_item(&mut clean);
            }
        }
    }
    clean.push_str(&text[after..]);
    if ids.is_empty() { clean } else { link_ids(&clean, &ids) }
}

/// Removes a list item in the last line, which is kramdown's placeholder for a table of contents.
fn remove_list_item(text: &mut String) {
    let line = text.trim_end_matches(['\n', '\r']).rfind('\n').map_or(0, |at| at + 1);
    if text[line..].trim_start().starts_with(['*', '-', '1']) {
        text.truncate(line);
    }
}

/// True for classes, ids and attributes, such as `.center #map width="3"`, and for `toc`.
fn is_attribute_list(list: &str) -> bool {
    let is_name = |name: &str| name.starts_with(|c: char| c.is_alphabetic() || "-_".contains(c));
    let is_attribute = |word: &str| {
        word.contains(['=', '"', '\''])
            || ["toc", "no_toc"].contains(&word)
            || word.strip_prefix(['.', '#']).is_some_and(is_name)
    };
    list.split_whitespace().next().is_some_and(is_attribute)
}

/// Changes links to removed ids of headings. `ids` contains each id with its position in the text.
fn link_ids(text: &str, ids: &[(&str, usize)]) -> String {
    let headings =
        parse(text).into_offset_iter().filter(|(event, _)| matches!(event, Event::Start(Tag::Heading { .. })));
    let headings: Vec<Range<usize>> = headings.map(|(_, range)| range).collect();
    let outline = render(text).outline;
    let new_id = |at: usize| {
        let index = headings.partition_point(|range| range.start <= at).checked_sub(1)?;
        headings.get(index).filter(|range| at <= range.end + 1)?;
        outline.get(index).map(|heading| format!("#{}", heading.id))
    };
    let new_ids: HashMap<&str, String> = ids.iter().filter_map(|(id, at)| Some((*id, new_id(*at)?))).collect();
    replace_links(text, |url| new_ids.get(url.strip_prefix('#')?).filter(|new| *new != url).cloned())
}

/// Writes strong emphasis as HTML where this site would show its asterisks.
pub fn replace_asterisks(text: &str) -> String {
    let code = code_ranges(text);
    emphasis::replace_asterisks(text, |at| is_inside(&code, at))
}

/// Writes formulas between `$$` as code if Markdown would change them.
pub fn protect_formulas(text: &str) -> String {
    let code = code_ranges(text);
    let (mut output, mut after) = (String::with_capacity(text.len()), 0);
    let mut marks = text.match_indices("$$").map(|(at, _)| at).filter(|at| !is_inside(&code, *at));
    while let (Some(begin), Some(end)) = (marks.next(), marks.next()) {
        let formula = &text[begin..end + 2];
        if formula.contains("\n\n")
            || formula.contains('`')
            || !formula.contains(['*', '_', '\\', '<', '[', '&', '|', '~'])
        {
            continue;
        }
        output.push_str(&text[after..begin]);
        let is_block = output.is_empty() || output.ends_with('\n');
        if is_block && text[end + 2..].trim_start_matches([' ', '\r']).starts_with('\n') || formula.contains('\n') {
            output.extend(["\n```\n", formula, "\n```\n"]);
        } else if render(formula)
            .html
            .contains(&*formula.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
        {
            output.push_str(formula);
        } else {
            output.extend(["`", formula, "`"]);
        }
        after = end + 2;
    }
    output.push_str(&text[after..]);
    output
}

/// True if one of the ranges, which are in ascending order, contains the position.
fn is_inside(ranges: &[Range<usize>], at: usize) -> bool {
    ranges.get(ranges.partition_point(|range| range.end <= at)).is_some_and(|range| range.contains(&at))
}

/// Byte ranges of code blocks, code spans and HTML blocks in ascending order.
fn code_ranges(text: &str) -> Vec<Range<usize>> {
    let events = parse(text).into_offset_iter();
    let is_code =
        |event: &Event<'_>| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock));
    events.filter(|(event, _)| is_code(event)).map(|(_, range)| range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_with_a_markdown_equivalent_are_replaced() {
        for (text, markdown) in [
            (
                "a\n{% highlight ruby linenos %}\nputs \"*a*\"\n{% endhighlight %}\nb",
                "a\n```ruby\nputs \"*a*\"\n```\nb",
            ),
            ("{{< highlight go \"hl_lines=1\" >}}\nx := `a`\n{{< /highlight >}}", "```go\nx := `a`\n```\n"),
            ("{% highlight md %}\n```\n{% endhighlight %}", "````md\n```\n````\n"),
            (
                "[a]({% post_url 2020-01-03-b %}) [c]({{< relref \"d.md#e\" >}})",
                "[a](post:2020-01-03-b) [c](post:d.md#e)",
            ),
            (
                "[a]({{ site.url }}{{ site.baseurl }}/b) ![c]({{ '/d.png' | relative_url }})",
                "[a](/old/b) ![c](/old/d.png)",
            ),
            ("{% raw %}{{ x }}{% endraw %} {{</* y */>}}", "{{ x }} {{< y >}}"),
            ("{{< figure src=\"/a.png\" caption=\"A b\" >}}", "![A b](</a.png>)\n\nA b\n"),
            ("{{< youtube abc >}}{%- comment -%}no{%- endcomment -%}", "<https://www.youtube.com/watch?v=abc>"),
            ("{ a } {{ b", "{ a } {{ b"),
            ("{{< highlight go >}}\n# a\n{{< / highlight >}}\nb", "```go\n# a\n```\nb"),
            ("{% codeblock A lang:bash %}\n# b\n{% endcodeblock %}", "```bash\n# b\n```\n"),
            ("{% img left /imgs/a.png 3 4 A b %}", "![A b](</imgs/a.png>)"),
        ] {
            let replaced = replace_tags(text, "/old");
            assert_eq!(replaced.text, markdown, "{text}");
            assert!(replaced.unknown.is_empty(), "{text}: {:?}", replaced.unknown);
        }
        let text = "{% include a.html %} {{ page.title | escape }} {% include b.html %} {{< tweet 1 >}}";
        let replaced = replace_tags(text, "");
        assert_eq!(replaced.text, text);
        assert_eq!(replace_tags("{{<table x=\"1\">}}", "").text, "{{\\<table x=\"1\">}}");
        assert_eq!(replace_tags("`{{<table>}}`", "").text, "`{{<table>}}`");
        assert_eq!(replace_tags("| a |\n{{% /x %}}\nb", "").text, "| a |\n\n{{% /x %}}\nb");
        let unknown: Vec<_> = replaced.unknown.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!(unknown, [("{% include %}", 2), ("{{ page.title }}", 1), ("{{< tweet >}}", 1)]);
    }

    #[test]
    fn attribute_lists_are_removed() {
        for (text, markdown) in [
            ("![a](b.png){: .center width=\"3\"}\n{: .note }\nc", "![a](b.png)\nc"),
            ("* TOC\n{:toc}\n\n## A", "\n## A"),
            ("Use {:?} or `x`{:.2} or {:x}.", "Use {:?} or `x`{:.2} or {:x}."),
            ("<pre>\n{: .a}\n</pre>", "<pre>\n{: .a}\n</pre>"),
            ("`{: .a}` {b}\n\n    {: .c}\n", "`{: .a}` {b}\n\n    {: .c}\n"),
            ("[x](#install)\n\n## How to {#install}\n\ny", "[x](#how-to)\n\n## How to \n\ny"),
        ] {
            assert_eq!(remove_attribute_lists(text, true), markdown, "{text}");
        }
        assert_eq!(remove_attribute_lists("a\n{: .b}\nc", false), "a\n{: .b}\nc");
    }

    #[test]
    fn long_texts_take_linear_time() {
        for part in
            ["{%", "{{", "{% raw %}", "{% endraw {% raw %}", "{", "{}", "`a`{:}", "{: .a}", "# a {#b}\n", "$$ `a` "]
        {
            let text = part.repeat((1 << 20) / part.len());
            replace_tags(&text, "");
            remove_attribute_lists(&text, true);
            protect_formulas(&text);
        }
    }

    #[test]
    fn formulas_stay_intact() {
        for (text, markdown) in [
            (r"Euler: $$e^{i\pi}+1=0$$", r"Euler: $$e^{i\pi}+1=0$$"),
            ("a $$x_1*y_2*z$$ b", "a `$$x_1*y_2*z$$` b"),
            ("$$\na_1 \\\\\nb_2\n$$\n", "\n```\n$$\na_1 \\\\\nb_2\n$$\n```\n\n"),
            ("costs $$ and `$$a_b_$$`", "costs $$ and `$$a_b_$$`"),
        ] {
            assert_eq!(protect_formulas(text), markdown, "{text}");
        }
    }
}
