//! Conversion of BitPin-Blog dumps (made by `manage.py dumpdata`) to rows of this site.

use std::collections::{BTreeMap, HashSet};

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use evenkeel_markdown::render_plain;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::blog_posts::editor::input::Content;
use crate::log::print_line;
use crate::users::Username;
use crate::users::username::DisplayName;
use crate::web::request::form_field::Field as _;

const MAX_EXCERPT_CHARS: usize = 280;

/// Converter of dumped objects, which collects warnings and counts for the final report.
#[derive(Debug, Default)]
pub struct Converter {
    /// Skeletons of the usernames of the users converted so far.
    taken: HashSet<String>,
    /// Warnings about values that were changed because they are not valid on this site.
    pub changes: Vec<String>,
    pub averages: Vec<(i64, f64)>,
    pub skipped: u64,
    /// Number of objects without an equivalent on this site, by model.
    pub unsupported: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct User {
    password: String,
    #[serde(default)]
    is_superuser: bool,
    username: String,
    #[serde(default)]
    first_name: String,
    #[serde(default)]
    last_name: String,
    email: String,
    #[serde(default)]
    is_staff: bool,
    is_active: bool,
    date_joined: DateTime<Utc>,
}

#[derive(Deserialize)]
struct Post {
    title: String,
    content: String,
    author: i64,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    #[serde(default)]
    average_rating: f64,
}

#[derive(Deserialize)]
struct Rate {
    user: i64,
    blog: i64,
    rating: i64,
    created_at: DateTime<Utc>,
}

impl Converter {
    pub fn convert(&mut self, model: &str, pk: &str, fields: &str) -> Option<Value> {
        self.try_convert(model, pk, fields)
            .inspect_err(|error| {
                print_line(format!("Skipped {model} {pk}: {error:#}"));
                self.skipped += 1;
            })
            .ok()
    }

    fn try_convert(&mut self, model: &str, pk: &str, fields: &str) -> anyhow::Result<Value> {
        let id = pk.parse::<i64>().context("pk is not an integer")?;
        Ok(match model {
            "auth.user" => self.user(id, serde_json::from_str(fields)?),
            "blog_posts.blogpost" => self.post(id, &serde_json::from_str(fields)?),
            _ => rate(id, &serde_json::from_str(fields)?),
        })
    }

    fn user(&mut self, id: i64, user: User) -> Value {
        let name = self.free_name(&user.username);
        if name.as_str() != user.username {
            self.changes.push(format!(
                "User {id}: renamed “{}” to “{}”, because the username is invalid or already taken.",
                user.username,
                name.as_str()
            ));
        }
        let has_address = (3..=254).contains(&user.email.chars().count());
        if !has_address {
            self.changes.push(format!(
                "User {id} (“{}”): no valid email address, so the password cannot be reset.",
                name.as_str()
            ));
        }
        let email = if has_address { user.email } else { format!("user{id}@nowhere.invalid") };
        let shown = [user.first_name, user.last_name].join(" ").trim().chars().take(50).collect::<String>();
        let display_name = DisplayName::from_text(&shown).ok();
        if display_name.is_none() && !shown.is_empty() {
            self.changes.push(format!("User {id} (“{}”): skipped the invalid display name “{shown}”.", name.as_str()));
        }
        // Password hashes that this site cannot verify become unusable, which Django marks with `!`.
        let is_usable = user.password.starts_with("pbkdf2_sha256$");
        if !is_usable && !user.password.starts_with('!') {
            self.changes.push(format!(
                "User {id} (“{}”): unsupported password hash; the user must reset the password to sign in.",
                name.as_str()
            ));
        }
        json!({
            "id": id, "username": name.as_str(), "username_key": name.key(), "username_skeleton": name.skeleton(), "email": email,
            "password_hash": if is_usable { user.password.as_str() } else { "!" },
            "is_staff": user.is_staff || user.is_superuser,
            "staff_role": if user.is_superuser { "owner" } else { "moderator" },
            "created_at": user.date_joined, "display_name": display_name.as_ref().map(DisplayName::as_str),
            "session_version": 1, "is_approved": true,
            "blocked_at": (!user.is_active).then_some(user.date_joined),
            "blocked_reason": (!user.is_active).then_some("Not active in BitPin-Blog"),
        })
    }

    fn free_name(&mut self, username: &str) -> Username {
        let name = Username::suggestions(username).find(|name| !self.taken.contains(name.skeleton()));
        let name = name.unwrap_or_else(|| unreachable!("the number of similar usernames is unlimited"));
        self.taken.insert(name.skeleton().to_owned());
        name
    }

    fn post(&mut self, id: i64, post: &Post) -> Value {
        self.averages.push((id, post.average_rating));
        let title = if post.title.is_empty() {
            self.changes.push(format!("Post {id}: the title is empty; “Post {id}” is used instead."));
            format!("Post {id}")
        } else {
            post.title.clone()
        };
        let content = self.content(id, &post.content, &title);
        json!({
            "id": id, "author_id": post.author, "title": title, "content": content, "status": "published",
            "created_at": post.created_at, "updated_at": post.updated_at, "published_at": post.created_at,
            "first_published_at": post.created_at, "tags": [], "version": 1, "outline": [], "reading_minutes": 1,
            // Preliminary values: the site renders the post again in the background, because `rendered_by` is 0.
            "content_html": render_plain(content), "excerpt": content.chars().take(MAX_EXCERPT_CHARS).collect::<String>(), "rendered_by": 0,
        })
    }

    fn content<'a>(&mut self, id: i64, text: &'a str, title: &'a str) -> &'a str {
        if text.is_empty() {
            self.changes.push(format!("Post {id}: the text is empty; the title is used instead."));
            return title;
        }
        let end = text.floor_char_boundary(Content::MAX_BYTES);
        if end < text.len() {
            self.changes.push(format!("Post {id}: truncated the text from {} to {end} bytes.", text.len()));
        }
        &text[..end]
    }
}

fn rate(id: i64, Rate { user, blog, rating, created_at }: &Rate) -> Value {
    json!({
        "id": id, "user_id": user, "blog_id": blog, "rating": rating, "created_at": created_at, "updated_at": created_at,
    })
}
