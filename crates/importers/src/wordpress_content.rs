//! Conversion of `WordPress` post content to HTML: blank lines separate paragraphs, and shortcodes are replaced.

use std::collections::{HashMap, HashSet};

use crate::html_to_markdown::{MAX_BYTES, split_at_pre};

/// Block elements, which are not wrapped in `<p>`.
const BLOCKS: [&str; 46] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hgroup",
    "hr",
    "iframe",
    "legend",
    "li",
    "main",
    "menu",
    "nav",
    "ol",
    "p",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Enclosing shortcodes whose tags are removed and whose content is kept, such as `[caption]…[/caption]`.
const ENCLOSING_SHORTCODES: [&str; 3] = ["caption", "wp_caption", "embed"];

/// Shortcodes that need no closing tag, such as `[gallery]`.
const SELF_CLOSING_SHORTCODES: [&str; 7] = ["gallery", "playlist", "audio", "video", "youtube", "vimeo", "dailymotion"];

/// Shortcodes for source code, in addition to [`CODE_LANGUAGES`] and the shortcodes of the plugin `CodeColorer`, which
/// begin with `cc`.
const CODE_SHORTCODES: [&str; 3] = ["code", "sourcecode", "highlight"];

/// Programming languages whose names are shortcodes of the plugin `SyntaxHighlighter`.
const CODE_LANGUAGES: &str = "bash c cpp csharp css delphi diff erlang groovy html java javascript js perl php plain powershell python ruby scala shell sql text xml";

/// Name parts of shortcodes of membership plugins, which restrict access to their content.
const RESTRICTING_SHORTCODES: [&str; 10] =
    ["member", "private", "restrict", "protect", "logged", "login", "paid", "premium", "subscri", "hide"];

/// Image URLs by attachment id. The key [`attached_key`] of a post has the URLs of all its attached images, one per
/// line.
pub type ImageUrls = HashMap<String, String>;

pub fn attached_key(post: &str) -> String {
    format!("attached to {post}")
}

#[derive(Debug, Default)]
pub struct ConvertedContent {
    pub text: String,
    /// Warnings about removed shortcodes and blocks, and about unknown shortcodes that were imported as text.
    pub remarks: Vec<String>,
    /// True if a shortcode restricts access to a part of the post.
    pub is_restricted: bool,
}

/// Converts the content of a post. `post` is the id of the post.
pub fn to_html(text: &str, post: &str, pictures: &ImageUrls) -> ConvertedContent {
    let text = replace_code_shortcodes(&escape_raw_code(&text.replace("\r\n", "\n")));
    let (text, removed) = replace_shortcodes(&text, post, pictures);
    let mut remarks: Vec<String> = removed.into_iter().map(|name| format!("removed the shortcode [{name}]")).collect();
    remarks.extend(dynamic_blocks(&text).map(|name| format!("removed the block {name}")));
    let others: Vec<&str> = closing_shortcodes(&text).chain(shortcodes_with_attributes(&text)).collect();
    remarks.extend(others.iter().map(|name| format!("imported the unknown shortcode [{name}] as text")));
    let is_gated =
        others.iter().any(|name| RESTRICTING_SHORTCODES.iter().any(|gate| name.to_lowercase().contains(gate)));
    let mut told = HashSet::new();
    remarks.retain(|remark| told.insert(remark.clone()));
    // Posts of the block editor contain complete HTML, so no paragraph elements are added.
    let has_blocks = text.contains("<!-- wp:");
    let part = |(part, is_pre): (&str, bool)| match (is_pre, has_blocks) {
        (true, _) => part.to_owned(),
        (false, true) => part.split_inclusive('\n').map(autolink).collect(),
        (false, false) => part.split("\n\n").map(paragraph).collect(),
    };
    ConvertedContent { text: split_at_pre(&text).into_iter().map(part).collect(), remarks, is_restricted: is_gated }
}

/// Names of closing shortcodes, such as `[/name]`.
fn closing_shortcodes(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.split("[/").skip(1).filter_map(|rest| Some(rest.split_once(']')?.0));
    ends.filter(|name| is_name(name))
}

/// Names of shortcodes with attributes, such as `[name a="b"]`.
fn shortcodes_with_attributes(text: &str) -> impl Iterator<Item = &str> {
    let codes = text.split('[').skip(1).filter_map(|rest| rest.split_once(']')?.0.split_once(' '));
    codes.filter(|(name, rest)| is_name(name) && (rest.contains("=\"") || rest.contains("='"))).map(|(name, _)| name)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_".contains(c))
}

/// Names of dynamic blocks, which `WordPress` renders on each request and does not store as HTML.
fn dynamic_blocks(text: &str) -> impl Iterator<Item = &str> {
    let blocks = text.split("<!-- wp:").skip(1).filter_map(|rest| Some(rest.split_once("-->")?.0));
    blocks.filter(|block| block.ends_with('/')).filter_map(|block| block.split([' ', '/', '{']).next())
}

/// Escapes code in `<pre lang="java">`, which the plugin `WP-Syntax` shows literally.
fn escape_raw_code(text: &str) -> String {
    let part = |(part, is_pre): (&str, bool)| {
        let (tag, code) = part.split_once('>').filter(|_| is_pre)?;
        let (language, code) = (attribute(tag, "lang")?, code.strip_suffix("</pre>")?);
        Some(code_block(language, code))
    };
    let parts = split_at_pre(text).into_iter();
    parts.map(|(text, is_pre)| part((text, is_pre)).unwrap_or_else(|| text.to_owned())).collect()
}

/// HTML of a code block. Code is escaped unless the editor has already stored it as HTML.
fn code_block(language: &str, code: &str) -> String {
    let is_html = code.contains("&lt;") || code.contains("&amp;");
    let code = if is_html { code.to_owned() } else { code.replace('&', "&amp;").replace('<', "&lt;") };
    let code = code.trim_matches('\n').replace('[', "&#91;");
    ["<pre><code class=\"language-", language, "\">", &code, "</code></pre>"].concat()
}

/// Programming language of a shortcode for source code; empty if its name contains no language. `None` for other
/// shortcodes.
fn code_language(name: &str) -> Option<&str> {
    if CODE_SHORTCODES.contains(&name) {
        return Some("");
    }
    if CODE_LANGUAGES.split(' ').any(|language| language == name) {
        return Some(name);
    }
    // `CodeColorer` tags such as `[ccne_php]` consist of `cc`, letters for options, and a language.
    let (options, language) = name.split_once('_').unwrap_or((name, ""));
    let is_color_code =
        options.strip_prefix("cc").is_some_and(|options| options.chars().all(|c| "bBeEiIlLnNsSwWtT".contains(c)));
    is_color_code.then_some(language)
}

/// Maximum number of different shortcodes without a closing tag, which limits the time for one text.
const MAX_ENDLESS: usize = 50;

/// Replaces shortcodes for source code by `<pre>`.
fn replace_code_shortcodes(text: &str) -> String {
    let (mut made, mut rest) = (String::with_capacity(text.len()), text);
    // Shortcodes without a closing tag in the rest of the text. Without this set, repeated searches would take
    // quadratic time.
    let mut endless: HashSet<&str> = HashSet::new();
    while let Some((begin, code)) = rest.split_once('[') {
        made.push_str(begin);
        let name = &code[..code.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(code.len())];
        let language = code_language(name).filter(|_| {
            code[name.len()..].starts_with([']', ' ']) && !endless.contains(name) && endless.len() < MAX_ENDLESS
        });
        let whole = language.and_then(|language| {
            let (attributes, code) = code.split_once(']')?;
            let (code, after) = code.split_once(&format!("[/{name}]"))?;
            let given = attribute(attributes, "language").or_else(|| attribute(attributes, "lang"));
            Some((given.unwrap_or(language), code, after))
        });
        let Some((language, code, after)) = whole else {
            if language.is_some() {
                endless.insert(name);
            }
            made.push('[');
            rest = code;
            continue;
        };
        made.push_str(&code_block(language, code));
        rest = after;
    }
    made.push_str(rest);
    made
}

/// Value of a shortcode attribute such as `name="value"`.
fn attribute<'a>(code: &'a str, name: &str) -> Option<&'a str> {
    let rest = code.split_once(&format!(" {name}="))?.1;
    let quote = rest.chars().next().filter(|c| "\"'".contains(*c))?;
    rest[1..].split(quote).next()
}

/// Converts a line that is a URL to a link. `WordPress` would embed the page at the URL.
fn autolink(line: &str) -> String {
    let address = line.trim();
    let is_address = (address.starts_with("https://") || address.starts_with("http://"))
        && !address.contains(|c: char| c.is_whitespace() || "<>\"'".contains(c));
    if is_address { format!("<p><a href=\"{address}\">{address}</a></p>\n") } else { line.to_owned() }
}

fn paragraph(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_text = lines.first().is_some_and(|line| !begins_block(line));
    let mut html = String::from(if is_text { "<p>" } else { "" });
    for (at, line) in lines.iter().enumerate() {
        html.push_str(autolink(line).trim_end());
        match lines.get(at + 1) {
            Some(next) if !begins_block(next) && !ends_block(line) => html.push_str("<br>"),
            // No `<br>` is needed next to block elements.
            Some(_) => {}
            None => html.push_str(if is_text { "</p>\n" } else { "\n" }),
        }
    }
    html
}

fn begins_block(line: &str) -> bool {
    line.trim_start().strip_prefix('<').is_some_and(|rest| is_block(rest.trim_start_matches('/')))
}

fn ends_block(line: &str) -> bool {
    let tag = line.ends_with('>').then(|| line.rfind('<')).flatten();
    tag.is_some_and(|at| is_block(line[at + 1..].trim_start_matches('/')))
}

fn is_block(tag: &str) -> bool {
    let end = tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len());
    BLOCKS.contains(&tag[..end].to_ascii_lowercase().as_str())
}

/// HTML for a self-closing shortcode. `None` without a known image or URL. A gallery without ids shows all images of
/// the post.
fn shortcode_html(name: &str, code: &str, post: &str, pictures: &ImageUrls) -> Option<String> {
    let value = |name: &str| attribute(code, name);
    if name == "gallery" {
        let attached = || pictures.get(&attached_key(post)).into_iter().flat_map(|urls| urls.lines());
        let urls: Vec<&str> = match value("ids") {
            Some(ids) => ids.split(',').filter_map(|id| Some(pictures.get(id.trim())?.as_str())).collect(),
            None => attached().collect(),
        };
        let images = urls.iter().map(|url| format!("<p><img src=\"{url}\"></p>\n"));
        return Some(images.collect::<String>()).filter(|images| !images.is_empty());
    }
    let names = ["src", "mp3", "m4a", "ogg", "wav", "mp4", "m4v", "webm", "ogv", "flv", "url", "id"];
    // The value may be unnamed, as in `[youtube ID]` or `[youtube=URL]`.
    let unnamed = || code[name.len()..].split([' ', '=']).find(|word| !word.is_empty() && !word.contains('"'));
    let value = names.iter().find_map(|name| value(name)).or_else(unnamed)?;
    let page = match name {
        _ if value.contains("://") => String::new(),
        "youtube" => "https://www.youtube.com/watch?v=".to_owned(),
        "vimeo" => "https://vimeo.com/".to_owned(),
        "dailymotion" => "https://www.dailymotion.com/video/".to_owned(),
        _ if value.contains('.') => String::new(),
        _ => return None,
    };
    Some(format!("\n{page}{value}\n"))
}

/// Replaces built-in shortcodes of `WordPress`. Returns the names of removed shortcodes, which have no replacement.
fn replace_shortcodes(text: &str, post: &str, pictures: &ImageUrls) -> (String, Vec<String>) {
    let (mut clean, mut removed, mut rest) = (String::with_capacity(text.len()), Vec::new(), text);
    // Each flag becomes false when the rest of the text contains no more `]]` or `]`. Without the flags, repeated
    // searches would take quadratic time.
    let (mut has_pair, mut has_end) = (true, true);
    let mut caption = None;
    // The loop stops at `MAX_BYTES`, because a short text can expand to many galleries with many images each. The
    // conversion to Markdown then rejects the text.
    while let Some(begin) = rest.find('[').filter(|_| clean.len() <= MAX_BYTES) {
        clean.push_str(&rest[..begin]);
        // Double brackets, as in `[[gallery]]`, escape a shortcode.
        let pair = rest[begin..].strip_prefix("[[").filter(|_| has_pair).map(|rest| rest.split_once("]]"));
        has_pair &= pair != Some(None);
        if let Some(Some((shown, after))) = pair {
            clean.extend(["&#91;", &shown.replace('[', "&#91;"), "]"]);
            rest = after;
            continue;
        }
        let code = &rest[begin + 1..];
        let is_end = code.starts_with('/');
        let named = code.trim_start_matches('/');
        let name = &named[..named.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(named.len())];
        let is_known = (ENCLOSING_SHORTCODES.contains(&name) || SELF_CLOSING_SHORTCODES.contains(&name))
            && (named.len() == name.len() || named[name.len()..].starts_with([' ', ']', '=']));
        let end = if is_known && has_end { code.find(']') } else { None };
        has_end &= !is_known || end.is_some();
        let Some(end) = end else {
            clean.push('[');
            rest = code;
            continue;
        };
        if SELF_CLOSING_SHORTCODES.contains(&name) && !is_end {
            match shortcode_html(name, &code[..end], post, pictures) {
                Some(shown) => clean.push_str(&shown),
                None => removed.push(name.to_owned()),
            }
        }
        // Old versions of `WordPress` wrote the caption as an attribute.
        let of_start = if name.ends_with("caption") { attribute(&code[..end], "caption") } else { None };
        if let Some(text) = std::mem::replace(&mut caption, of_start).filter(|_| is_end) {
            clean.extend(["<br>", text]);
        }
        // A URL becomes a link only if it is alone on its line.
        clean.push_str(if name == "embed" { "\n" } else { "" });
        rest = &code[end + 1..];
    }
    clean.push_str(rest);
    (clean, removed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::html_to_markdown::to_markdown;

    fn markdown(text: &str) -> String {
        to_markdown(&to_html(text, "1", &ImageUrls::new()).text).unwrap()
    }

    #[test]
    fn blank_lines_are_between_paragraphs_and_lines_are_kept() {
        assert_eq!(markdown("One\r\ntwo\r\n\r\nThree"), "One\\\ntwo\n\nThree");
        assert_eq!(markdown("A\n<ul>\n<li>b</li>\n<li>c</li>\n</ul>\nd"), "A\n\n- b\n- c\n\nd");
        assert_eq!(markdown("A\n\n<pre>\nb\n\n  c\n</pre>\n\nD"), "A\n\n```\nb\n\n  c\n```\n\nD");
        let table = "<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>c</td>\n<td>d</td>\n</tr>\n</tbody>\n</table>";
        assert_eq!(markdown(table), "| a | b |\n| - | - |\n| c | d |");
        assert_eq!(markdown("<h2>A</h2>\nb <em>c</em>\nd"), "## A\n\nb *c*\\\nd");
    }

    #[test]
    fn blocks_are_html_already() {
        let text = "<!-- wp:paragraph -->\n<p>One\ntwo</p>\n<!-- /wp:paragraph -->\n\n<!-- wp:embed -->\n<figure><div>\nhttps://video.example/a_b\n</div></figure>";
        assert_eq!(markdown(text), "One two\n\n[https://video.example/a\\_b](https://video.example/a_b)");
    }

    #[test]
    fn shortcodes_are_undone_or_told() {
        let text = "[caption id=\"a\" width=\"3\"]<img src=\"a.png\"> Words[/caption]\n\n[gallery ids=\"1,2\"]\n\n[embed]https://a.example/[/embed]\n\n[b] [c";
        assert_eq!(markdown(text), "![](<a.png>) Words\n\n[https://a.example/](https://a.example/)\n\n\\[b\\] \\[c");
        assert_eq!(to_html(text, "1", &ImageUrls::new()).remarks, ["removed the shortcode [gallery]"]);
        let pictures = ImageUrls::from(
            [("1", "https://a.example/1.png"), ("2", "/2.png")].map(|(n, a)| (n.to_owned(), a.to_owned())),
        );
        let shown = "[gallery columns=\"3\" ids=\"1, 2,3\"]\n\n[audio mp3='https://a.example/b.mp3'][/audio]";
        let ConvertedContent { text: html, remarks: removed, .. } = to_html(shown, "1", &pictures);
        let markdown =
            "![](<https://a.example/1.png>)\n\n![](</2.png>)\n\n[https://a.example/b.mp3](https://a.example/b.mp3)";
        assert_eq!((to_markdown(&html).unwrap().as_str(), removed), (markdown, Vec::new()));
    }

    #[test]
    fn shortcodes_of_common_plugins_are_replaced() {
        for (text, shown) in [
            (
                "[cc lang=\"diff\"]\nif ( a < b ) {\n\n    \"<a href='x'>\"\n}\n[/cc]\n\n[ccnLe_php]\n$a = 1;\n[/ccnLe_php]",
                "```diff\nif ( a < b ) {\n\n    \"<a href='x'>\"\n}\n```\n\n```php\n$a = 1;\n```",
            ),
            ("[html highlight=\"4\"]\n<b>\n[/html]", "```html\n<b>\n```"),
            ("<pre lang=\"java\" line=\"1\">\nMap<String> m;\n</pre>", "```java\nMap<String> m;\n```"),
            (
                "[youtube InCeVCGtHak]",
                "[https://www.youtube.com/watch?v=InCeVCGtHak](https://www.youtube.com/watch?v=InCeVCGtHak)",
            ),
            ("[youtube=https://y.example/a]", "[https://y.example/a](https://y.example/a)"),
            ("[audio https://a.example/b.mp3]", "[https://a.example/b.mp3](https://a.example/b.mp3)"),
            ("[caption id=\"a\" caption=\"The text\"]<img src=\"a.png\">[/caption]", "![](<a.png>)\\\nThe text"),
        ] {
            assert_eq!(markdown(text), shown, "{text}");
        }
        let pictures = ImageUrls::from([(attached_key("1"), "/a.png\n/b.png".to_owned())]);
        let shown = to_markdown(&to_html("[gallery]", "1", &pictures).text).unwrap();
        assert_eq!(shown, "![](</a.png>)\n\n![](</b.png>)");
        // Many galleries, and code without an end, take bounded time and memory.
        assert!(to_html(&"[gallery]".repeat(100_000), "1", &pictures).text.len() < 3 * MAX_BYTES);
        let names: Vec<_> = (0..100_000).map(|number| format!("[cc_a{number} ]")).collect();
        let endless = names.concat();
        assert_eq!(replace_code_shortcodes(&endless), endless);
    }

    #[test]
    fn a_shortcode_that_is_shown_stays() {
        let text = "Use [[gallery ids=\"1,2\"]] or [[caption]x[/caption]].";
        assert_eq!(markdown(text), "Use \\[gallery ids=\"1,2\"\\] or \\[caption\\]x\\[/caption\\].");
        assert!(to_html("[[gallery]]", "1", &ImageUrls::new()).remarks.is_empty());
        assert_eq!(to_html("[a]x[/a] [b]y[/b] [a]z[/a]", "1", &ImageUrls::new()).remarks.len(), 2);
    }

    #[test]
    fn code_stays_code_and_what_plugins_made_is_told() {
        let text = "[sourcecode language=\"php\"]\n<?php echo \"<b>[hi]</b>\"; ?>\n[/sourcecode]";
        assert_eq!(markdown(text), "```php\n<?php echo \"<b>[hi]</b>\"; ?>\n```");
        assert_eq!(markdown("[code]&lt;a&gt; [b][/code]"), "```\n<a> [b]\n```");
        let told = |text: &str| to_html(text, "1", &ImageUrls::new());
        let gated = told("[members_only]x[/members_only]");
        assert!(
            gated.is_restricted && gated.remarks[0].starts_with("imported the unknown shortcode [members_only]"),
            "{gated:?}"
        );
        let block = told(
            "<!-- wp:latest-posts {\"a\":1} /--><!-- wp:block {\"ref\":12} /--><!-- wp:p --><p>x</p><!-- /wp:p -->",
        );
        assert_eq!(block.remarks, ["removed the block latest-posts", "removed the block block"]);
        assert!(!block.is_restricted && told("a [1] b[/] c [d e] [f").remarks.is_empty());
        let form = told("a [contact-form-7 id=\"1\" title='b'] c").remarks;
        assert_eq!(form, ["imported the unknown shortcode [contact-form-7] as text"]);
    }
}
