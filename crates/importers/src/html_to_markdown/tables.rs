//! Conversion of HTML tables to Markdown tables.

use htmd::Element;
use htmd::element_handler::{HandlerResult, Handlers};

use super::elements::attribute;

/// Maximum width to which cells of a table column are padded, in characters.
const MAX_WIDTH: usize = 40;

/// Maximum number of empty cells that are added to a table.
const MAX_FILLED: usize = 10_000;

/// Placeholder for the start of a table. This constant and the next ones are Unicode noncharacters, which are removed
/// from the input.
pub const TABLE: char = '\u{fdd3}';

pub const TABLE_END: char = '\u{fdd4}';

pub const ROW: char = '\u{fdd5}';

pub const HEAD_CELL: char = '\u{fdd6}';

pub const CELL: char = '\u{fdd7}';

/// Separator between the text of a table cell and the value of its `rowspan` attribute.
pub const ROWSPAN: char = '\u{fdd9}';

/// Replaces table placeholders by Markdown tables. Each line of a table gets the blockquote markers and indentation of
/// its first line.
pub fn replace_tables(markdown: &str) -> String {
    let (mut text, mut rest) = (String::with_capacity(markdown.len()), markdown);
    while let Some((before, after)) = rest.split_once(TABLE) {
        let (inside, after) = after.split_once(TABLE_END).unwrap_or((after, ""));
        text.push_str(before);
        let line = &text[text.rfind('\n').map_or(0, |at| at + 1)..];
        let indent: String = line.chars().map(|c| if c == '>' { c } else { ' ' }).collect();
        text.push_str(&table_lines(inside).join(&format!("\n{indent}")));
        rest = after;
    }
    text + rest
}

/// Formats a table. Markdown requires a header row, so an empty one is added if the first row has data cells.
fn table_lines(table: &str) -> Vec<String> {
    let mut parts = table.split(ROW);
    let caption = parts.next().unwrap_or_default().trim();
    let parts: Vec<&str> = parts.filter(|row| row.contains([HEAD_CELL, CELL])).collect();
    let mut rows = with_spanned_cells(&parts);
    let mut lines = if caption.is_empty() { Vec::new() } else { vec![caption.replace('\n', " "), String::new()] };
    let Some(first) = parts.first() else { return lines };
    if first.contains(CELL) {
        rows.insert(0, Vec::new());
    }
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).clamp(1, MAX_WIDTH)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    // Short rows are padded with empty cells, unless that would make the table much larger.
    let is_sparse = rows.len() * columns > MAX_FILLED + rows.iter().map(Vec::len).sum::<usize>();
    let line = |row: &[String]| {
        let shown = if is_sparse { row.len() } else { columns };
        let cells = widths.iter().enumerate().take(shown).map(|(column, width)| {
            let cell = row.get(column).map_or("", String::as_str);
            format!(" {cell:<width$} |")
        });
        format!("|{}", cells.collect::<String>())
    };
    let dashes: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
    lines.extend([line(&rows[0]), line(&dashes)]);
    lines.extend(rows[1..].iter().map(|row| line(row)));
    lines
}

/// Cells of each row, with an empty cell wherever a cell of an earlier row spans the row.
fn with_spanned_cells(parts: &[&str]) -> Vec<Vec<String>> {
    let text = |cell: &str| cell.trim().replace("\\&#124;", "|").replace("&#124;", "|").replace('|', "\\|");
    // `spanned`: number of further rows that the last cell of each column spans. `filled`: number of added empty cells.
    let (mut spanned, mut filled) = (Vec::<usize>::new(), 0);
    let row = |part: &&str| {
        let (mut row, mut cells) = (Vec::new(), part.split([HEAD_CELL, CELL]).skip(1));
        loop {
            let column = row.len();
            if filled < MAX_FILLED && spanned.get(column).is_some_and(|rows| *rows > 0) {
                spanned[column] -= 1;
                filled += 1;
                row.push(String::new());
                continue;
            }
            let Some(cell) = cells.next() else { break };
            let (cell, rows) = cell.split_once(ROWSPAN).unwrap_or((cell, "1"));
            spanned.resize(spanned.len().max(column + 1), 0);
            spanned[column] = rows.parse().map_or(0, |rows: usize| rows.saturating_sub(1));
            row.push(text(cell));
        }
        spanned.iter_mut().skip(row.len()).for_each(|rows| *rows = rows.saturating_sub(1));
        row
    };
    parts.iter().map(row).collect()
}

/// Removes the `rowspan` placeholders and values of a nested table from the text of a cell.
fn without_rowspans(text: &str) -> String {
    let mut parts = text.split(ROWSPAN);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn table(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(format!("\n\n{TABLE}{}{TABLE_END}\n\n", handlers.walk_children(element.node).content).into())
}

/// Converts the rows of a table section. In a `<thead>`, `<td>` cells become header cells, too.
#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn rows(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let rows = handlers.walk_children(element.node).content;
    Some(if element.tag == "thead" { rows.replace(CELL, &HEAD_CELL.to_string()) } else { rows }.into())
}

#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn row(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    Some(format!("{ROW}{}", handlers.walk_children(element.node).content).into())
}

/// Formats a table cell as a single line. Cells of a nested table become text, and empty cells replace a `colspan`.
#[expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "as handlers are")]
pub fn cell(handlers: &dyn Handlers, element: Element<'_>) -> Option<HandlerResult> {
    let text = handlers.walk_children(element.node).content;
    let text = without_rowspans(&text).replace("\\\n", " ").replace([TABLE, TABLE_END, ROW, HEAD_CELL, CELL], " ");
    let words: Vec<&str> = text.split([' ', '\n', '\r', '\t']).filter(|word| !word.is_empty()).collect();
    let mark = if element.tag == "th" { HEAD_CELL } else { CELL };
    let span = |name: &str| {
        let number = attribute(&element, &[name]).and_then(|number| number.parse::<usize>().ok());
        number.unwrap_or(1).clamp(1, 100)
    };
    let rows = if span("rowspan") > 1 { format!("{ROWSPAN}{}", span("rowspan")) } else { String::new() };
    let empty = format!("{mark}{rows}").repeat(span("colspan") - 1);
    Some(format!("{mark}{}{rows}{empty}", words.join(" ")).into())
}
