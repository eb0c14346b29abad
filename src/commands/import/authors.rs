//! The users that the authors of a source are.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use super::arguments::Import;
use super::found::{Entry, Found};
use super::source::Source;
use crate::commands::describe::describe;
use crate::log::say;
use crate::users::Username;
use crate::users::models::find_by_name;
use crate::web::error::AppError;
use crate::web::state::AppState;
use crate::web::visitor::UserId;

/// The users of all authors of a source.
pub struct Authors {
    /// The user of all posts.
    one: Option<UserId>,
    by_name: HashMap<String, UserId>,
    /// Number of posts.
    pub posts: u64,
}

impl Authors {
    /// Finds the user of each author: by the file of `--authors`, by username, or by a display name that one user has.
    ///
    /// # Errors
    /// If a post has no author, or an author is no user: all of them are named.
    pub async fn find(state: &AppState, source: &Source, wanted: &Import) -> anyhow::Result<Self> {
        let one = match &wanted.author {
            Some(name) => Some(user(state, name).await?.with_context(|| format!("there is no user {name}"))?),
            None => None,
        };
        let map = wanted.authors.as_deref().map(read_map).transpose()?.unwrap_or_default();
        let mut authors = Self { one, by_name: HashMap::new(), posts: 0 };
        let (mut missing, mut nameless) = (BTreeMap::new(), None);
        for entry in source.entries(wanted.old_site.as_deref())? {
            let Entry::Post(found) = entry? else { continue };
            authors.posts += 1;
            match found.author {
                _ if one.is_some() => {}
                None => nameless = nameless.or(Some(found.place)),
                Some(name) if authors.by_name.contains_key(&name) || missing.contains_key(&name) => {}
                Some(name) => match known(state, &map, &name, found.author_shown.as_deref()).await? {
                    Some(id) => drop(authors.by_name.insert(name, id)),
                    None => drop(missing.insert(name, found.author_shown)),
                },
            }
        }
        if !missing.is_empty() {
            for (name, shown) in &missing {
                let shown = shown.as_ref().filter(|shown| *shown != name);
                say(format!("No user: {name}{}", shown.map(|shown| format!(" ({shown})")).unwrap_or_default()));
            }
            bail!(
                "authors who are no users here: {}. Write lines `name,username` into a file for --authors, invite them under \
                these names, or give all posts to one user with --author; nothing is imported",
                missing.len()
            );
        }
        if let Some(place) = nameless {
            bail!("{place} names no author: name the user of all posts with --author; nothing is imported");
        }
        Ok(authors)
    }

    /// The user of a post.
    ///
    /// # Errors
    /// If the source has changed since the authors were found.
    pub fn of(&self, found: &Found) -> anyhow::Result<UserId> {
        let named = || self.by_name.get(found.author.as_deref()?).copied();
        self.one.or_else(named).with_context(|| format!("{} has changed meanwhile", found.place))
    }
}

async fn known(
    state: &AppState,
    map: &HashMap<String, String>,
    name: &str,
    shown: Option<&str>,
) -> anyhow::Result<Option<UserId>> {
    if let Some(username) = map.get(name).or_else(|| map.get(shown?)) {
        let found = user(state, username).await?;
        return found.map(Some).with_context(|| format!("--authors: there is no user {username} for {name}"));
    }
    if let Some(id) = user(state, name).await? {
        return Ok(Some(id));
    }
    let shown = shown.unwrap_or(name);
    // Two are enough to know that the name is ambiguous.
    let users = sqlx::query!(
        "select id, username from users where display_name = $1 and erased_at is null order by id limit 2",
        shown
    );
    Ok(match &users.fetch_all(&state.pool).await?[..] {
        [only] => {
            say(format!("{name}: user {}, by the display name “{shown}”", only.username));
            Some(UserId(only.id))
        }
        _ => None,
    })
}

async fn user(state: &AppState, name: &str) -> anyhow::Result<Option<UserId>> {
    let Ok(username) = Username::of_somebody(name) else { return Ok(None) };
    match find_by_name(&state.pool, &username).await {
        Ok(user) => Ok(Some(user.id)),
        Err(AppError::NotFound) => Ok(None),
        Err(error) => Err(describe(error)),
    }
}

/// Reads lines `name,username`. The first line may name the columns; `#` begins a comment.
fn read_map(file: &Path) -> anyhow::Result<HashMap<String, String>> {
    let cannot = || format!("{} cannot be read", file.display());
    let text = std::fs::read_to_string(file).with_context(cannot)?;
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).comment(Some(b'#')).trim(csv::Trim::All).flexible(true);
    let mut map = HashMap::new();
    for line in reader.from_reader(text.trim_start_matches('\u{feff}').as_bytes()).records() {
        let line = line.with_context(cannot)?;
        let number = line.position().map_or(0, csv::Position::line);
        let (Some(name), Some(username), 2) = (line.get(0), line.get(1), line.len()) else {
            bail!("{}, line {number}: a line is a name, a comma and a username", file.display());
        };
        if (name, username) == ("name", "username") {
            continue;
        }
        let is_new = map.insert(name.to_owned(), username.to_owned()).is_none();
        ensure!(is_new, "{}, line {number}: {name} is there twice", file.display());
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_and_usernames_and_names_lines_that_are_neither() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("map.csv");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            read_map(&file).map_err(|error| error.to_string())
        };
        let map = read("\u{feff}name,username\n# a comment\n\"Lee, Ann\",ann\nBob Stone, bob\n").unwrap();
        assert_eq!((map["Lee, Ann"].as_str(), map["Bob Stone"].as_str(), map.len()), ("ann", "bob", 2));
        assert!(read("Ann Lee,ann\nBob\n").unwrap_err().contains("line 2: a line is a name"));
        assert!(read("Ann,ann\nAnn,bob\n").unwrap_err().contains("line 2: Ann is there twice"));
    }
}
