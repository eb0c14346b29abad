//! Mapping from the authors of a source to users.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context as _, anyhow, bail, ensure};
use evenkeel_importers::{ReadOptions, Source, SourceEntry, SourcePost};
use sqlx::PgConnection;

use super::arguments::ImportArguments;
use crate::cli::accounts::find_user_if_exists;
use crate::cli::error_messages::to_command_error;
use crate::db::commit;
use crate::log::print_line;
use crate::users::Username;
use crate::users::registration::unclaimed_accounts;
use crate::web::request::current_user::UserId;
use crate::web::request::form_field::Field as _;
use crate::web::state::CoreState;

pub struct AuthorMapping {
    single_author: Option<UserId>,
    by_name: HashMap<String, UserId>,
    pub posts: u64,
}

/// Author in the import source for whom no user exists.
struct UnknownAuthor {
    shown: Option<String>,
    /// Username that the `--authors` file assigns to this author.
    username: Option<String>,
}

impl AuthorMapping {
    /// Finds the user of each author: by the file of `--authors`, an earlier import, the username, or a display name
    /// that only one user has. With `--create-authors`, creates missing accounts, except in a dry run.
    pub async fn resolve(
        state: &CoreState,
        source: &Source,
        options: ReadOptions<'_>,
        arguments: &ImportArguments,
    ) -> anyhow::Result<Self> {
        let one = match &arguments.author {
            Some(name) => Some(user(state, name).await?.with_context(|| format!("--author: no user named {name:?}"))?),
            None => None,
        };
        let map = arguments.authors.as_deref().map(read_author_map).transpose()?.unwrap_or_default();
        let mut authors = Self { single_author: one, by_name: HashMap::new(), posts: 0 };
        let (mut unknown, mut nameless) = (BTreeMap::new(), None);
        for entry in source.read_entries(options)? {
            let SourceEntry::Post(post) = entry? else { continue };
            authors.posts += 1;
            match post.author.as_deref().map(collapse_whitespace) {
                _ if one.is_some() => {}
                None => nameless = nameless.or(Some(post.location)),
                Some(name) if authors.by_name.contains_key(&name) || unknown.contains_key(&name) => {}
                Some(name) => {
                    let shown = post.author_display_name;
                    let username = map.get(&name).or_else(|| map.get(&collapse_whitespace(shown.as_deref()?))).cloned();
                    match find_user(state, arguments, &name, shown.as_deref(), username.as_deref()).await? {
                        Some(id) => drop(authors.by_name.insert(name, id)),
                        None => drop(unknown.insert(name, UnknownAuthor { shown, username })),
                    }
                }
            }
        }
        if !arguments.create_authors {
            check_no_unknown(&unknown)?;
        }
        if let Some(location) = nameless {
            bail!("{location} has no author, so nothing was imported; assign all posts to one user with --author");
        }
        authors.create(state, unknown, arguments.dry_run).await?;
        Ok(authors)
    }

    /// Creates accounts for unknown authors. A dry run rolls the transaction back.
    async fn create(
        &mut self,
        state: &CoreState,
        unknown: BTreeMap<String, UnknownAuthor>,
        is_dry: bool,
    ) -> anyhow::Result<()> {
        let mut transaction = state.pool.begin().await?;
        for (name, UnknownAuthor { shown, username }) in unknown {
            let username = match username {
                Some(username) => Username::from_text(&username)
                    .map_err(|problem| anyhow!("--authors: invalid username {username:?}: {problem}"))?,
                None => free_username(&mut transaction, &name).await?,
            };
            let shown = shown.as_deref().unwrap_or(&name);
            let created =
                unclaimed_accounts::create_unclaimed_account(&mut transaction, &state.clock, &name, shown, &username)
                    .await;
            let id =
                created.map_err(to_command_error).with_context(|| format!("cannot create an account for {name}"))?;
            let gets = if is_dry { "would create the account" } else { "created the account" };
            print_line(format!("{name}: {gets} {}", username.as_str()));
            self.by_name.insert(name, id);
        }
        if is_dry {
            transaction.rollback().await?;
        } else {
            commit(transaction).await?;
        }
        Ok(())
    }

    /// Returns the invitation links by username, for authors who have not claimed their accounts.
    pub async fn send_claim_links(&self, state: &CoreState) -> anyhow::Result<BTreeMap<String, String>> {
        let mut links = BTreeMap::new();
        for id in self.by_name.values() {
            links.extend(unclaimed_accounts::create_claim_link(state, *id).await?);
        }
        Ok(links)
    }

    pub fn author_of_post(&self, post: &SourcePost) -> anyhow::Result<UserId> {
        let named = || self.by_name.get(&collapse_whitespace(post.author.as_deref()?)).copied();
        self.single_author
            .or_else(named)
            .with_context(|| format!("{} changed during the import; run the command again", post.location))
    }
}

fn check_no_unknown(unknown: &BTreeMap<String, UnknownAuthor>) -> anyhow::Result<()> {
    if let Some((name, username)) = unknown.iter().find_map(|(name, author)| Some((name, author.username.as_ref()?))) {
        bail!(
            "--authors assigns {name} to {username:?}, but there is no user with this name; correct the file, or add \
            --create-authors to create the account"
        );
    }
    if unknown.is_empty() {
        return Ok(());
    }
    for (name, UnknownAuthor { shown, .. }) in unknown {
        let shown = shown.as_ref().filter(|shown| *shown != name);
        print_line(format!(
            "Author without a user account: {name}{}",
            shown.map(|shown| format!(" ({shown})")).unwrap_or_default()
        ));
    }
    bail!(
        "authors without a user account: {}; nothing was imported. Use --author to assign all posts to one user, --authors \
        with a file of lines `name,username`, or --create-authors to create the accounts",
        unknown.len()
    )
}

async fn free_username(connection: &mut PgConnection, name: &str) -> anyhow::Result<Username> {
    for username in Username::suggestions(name).filter(|name| Username::from_text(name.as_str()).is_ok()) {
        if !unclaimed_accounts::is_username_taken(connection, &username).await? {
            return Ok(username);
        }
    }
    bail!("no username similar to {name:?} is available; assign one with --authors")
}

/// Finds the user of an author. With `--create-authors`, display names are ignored: otherwise, any user could choose
/// the display name of an author and would get the author's drafts.
async fn find_user(
    state: &CoreState,
    arguments: &ImportArguments,
    name: &str,
    shown: Option<&str>,
    username: Option<&str>,
) -> anyhow::Result<Option<UserId>> {
    if let Some(username) = username {
        return user(state, username).await;
    }
    if let Some(id) = unclaimed_accounts::find_by_imported_name(&state.pool, name).await? {
        return Ok(Some(id));
    }
    if let Some(id) = user(state, name).await? {
        if arguments.create_authors {
            print_line(format!("{name}: assigned to the existing user with this username"));
        }
        return Ok(Some(id));
    }
    if arguments.create_authors {
        return Ok(None);
    }
    let shown = shown.unwrap_or(name);
    // Reads at most two rows, which are enough to detect that a display name is ambiguous.
    let users = sqlx::query!(
        "select id, username from users where display_name = $1 and erased_at is null order by id limit 2",
        shown
    );
    Ok(match &users.fetch_all(&state.pool).await?[..] {
        [only] => {
            print_line(format!("{name}: assigned to the user {} with the display name “{shown}”", only.username));
            Some(UserId(only.id))
        }
        _ => None,
    })
}

async fn user(state: &CoreState, name: &str) -> anyhow::Result<Option<UserId>> {
    Ok(find_user_if_exists(&state.pool, name).await?.map(|user| user.id))
}

fn collapse_whitespace(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Parses lines `name,username`. A header line is optional, and lines that begin with `#` are comments.
fn read_author_map(file: &Path) -> anyhow::Result<HashMap<String, String>> {
    let cannot = || format!("cannot read {}", file.display());
    let text = std::fs::read_to_string(file).with_context(cannot)?;
    let mut reader = csv::ReaderBuilder::new();
    let reader = reader.has_headers(false).comment(Some(b'#')).trim(csv::Trim::All).flexible(true);
    let mut map = HashMap::new();
    for line in reader.from_reader(text.trim_start_matches('\u{feff}').as_bytes()).records() {
        let line = line.with_context(cannot)?;
        let number = line.position().map_or(0, csv::Position::line);
        let (Some(name), Some(username), 2) = (line.get(0), line.get(1), line.len()) else {
            bail!("{}, line {number}: expected two fields, name and username", file.display());
        };
        if (name, username) == ("name", "username") {
            continue;
        }
        let is_new = map.insert(collapse_whitespace(name), username.to_owned()).is_none();
        ensure!(is_new, "{}, line {number}: duplicate author {name:?}", file.display());
    }
    Ok(map)
}
