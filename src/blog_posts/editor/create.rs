//! Create a post.

use actix_web::web;
use chrono::{DateTime, Utc};
use evenkeel_markdown::Simplification;

use super::input::{Cover, CustomExcerpt, CustomSlug, PostInput, Tags};
use super::page::{EditorPage, OPTIONAL_FIELDS};
use super::{
    add_schedule_error, check_cover, check_may_create_page, check_publication, find_saved, public_link,
    sign_in_required, success_message, validate_schedule, with_notice,
};
use crate::blog_posts::models::{Post, PostId, PostStatus};
use crate::blog_posts::quota::check_quota;
use crate::blog_posts::rendering::{self, Renderer, links};
use crate::blog_posts::schedule::PublishTime;
use crate::blog_posts::{published_event, urls};
use crate::db::commit;
use crate::i18n::TextLanguage;
use crate::images::models::{ImageUse, save_image_uses};
use crate::phrase;
use crate::state::AppState;
use crate::web::error::AppError;
use crate::web::request::body::Payload;
use crate::web::request::current_user::{CurrentUser, UserId};
use crate::web::request::form_field::OptionalField;
use crate::web::request::query::Query;
use crate::web::response::form::Form;
use crate::web::response::layout::Layout;
use crate::web::response::view::{ActionResult, FormResponse, PageResponse, handle_form};
use crate::web::state::CoreState;

/// With the query `page=true`, the new post is a page, which accepts no ratings.
pub async fn create_form(
    layout: Layout,
    _: CurrentUser,
    query: Query,
    state: web::Data<AppState>,
) -> Result<PageResponse<EditorPage>, AppError> {
    let is_page = query.get_undocumented("page")?.as_deref() == Some("true");
    let value = |name| match name {
        "is_page" if is_page => "true",
        "accepts_ratings" if is_page => "false",
        _ => "",
    };
    let names = ["title", "tags", "content"].into_iter().chain(OPTIONAL_FIELDS.iter().copied());
    let values: Vec<(&str, &str)> = names.map(|name| (name, value(name))).collect();
    Ok(PageResponse::new(EditorPage::load(&state, layout, Form::prefilled(&values), None, None).await))
}

pub async fn create(
    mut payload: Payload<PostInput>,
    user: Option<CurrentUser>,
    layout: Layout,
    state: web::Data<AppState>,
) -> Result<FormResponse<Post, EditorPage, 201>, AppError> {
    let Some(user) = user else { return sign_in_required(&state, payload, layout, None).await };
    add_schedule_error(&state, layout.locale.zone, &mut payload).await?;
    let locale = layout.locale;
    let create = async |post: PostInput| {
        let is_scheduled = matches!(post.publish_at, Some(OptionalField(Some(_))));
        let post = if post.is_draft() && !is_scheduled { post } else { check_publication(&state, &user, post)? };
        check_may_create_page(&user, &post, None)?;
        let post = validate_schedule(&state, locale.zone, post, None).await?;
        let timestamps = ImportedTimestamps::default();
        let added = insert_post(&state, &state.renderer, user.id, Some(&user), &post, timestamps).await?;
        let (id, simplified) = added.ok_or(AppError::NotSignedIn { next: None })?;
        let post = find_saved(&state, id, &user, simplified, locale).await?;
        let (message, link) =
            (with_notice(success_message(&post, phrase!("done-draft-saved")), &post), public_link(&state, &post));
        let (page, resource) = (post.head.path(), urls::POST_BY_ID.path_for(post.head.id));
        Ok(ActionResult::new(post, page).with_resource_path(resource).with_message(message).with_link(link))
    };
    let page = async |form: Form, _: &AppError| Some(EditorPage::load(&state, layout, form, None, None).await);
    handle_form(payload, create, page).await
}

/// Timestamps of an imported post. `None` stands for the current time.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImportedTimestamps {
    pub created_at: Option<DateTime<Utc>>,
    pub updated_at: Option<DateTime<Utc>>,
    /// `published_at` is ignored if the post is a draft.
    pub published_at: Option<DateTime<Utc>>,
}

/// Inserts a post. Returns `None` if the session of `user` has ended. Imported posts have no `user` and no quota.
#[expect(clippy::too_many_lines, reason = "one SQL statement with its parameters")]
pub async fn insert_post(
    state: &CoreState,
    renderer: &Renderer,
    author: UserId,
    user: Option<&CurrentUser>,
    post: &PostInput,
    written: ImportedTimestamps,
) -> Result<Option<(PostId, Option<Simplification>)>, AppError> {
    let cover = post.cover.clone().and_then(|OptionalField(cover)| cover).map(|Cover(cover)| cover);
    let own = post.language.and_then(|OptionalField(language)| language);
    let (prepared, checked_links) = renderer.render(author.into(), post.to_post_text(own), cover.as_deref()).await?;
    let images = links::uploaded_image_names(&prepared.text, cover.as_deref());
    let is_page = post.is_page.unwrap_or_default();
    let Tags(tags) = post.tags.clone().unwrap_or_default();
    let status = post.status.unwrap_or_default();
    let id = sqlx::query_scalar!(
        r#"insert into blog_posts (author_id, title, content, tags, status, created_at, updated_at, published_at,
            own_slug, own_excerpt, cover, publish_at, own_language, is_page, accepts_ratings, submitted_at)
        select $1, $2, $3, $4, $5, coalesce($13, clock.now), coalesce($14, clock.now),
            case when $5 = 'published' then coalesce($15, clock.now) end, $8, $9, $10,
            case when $5 = 'draft' then $11::timestamptz end, $12, $16, $17,
            case when $18 then clock.now end
        from (select coalesce($6, clock_timestamp()) as now) clock
        where $7::text is null or is_credential(decode($7, 'hex'))
        returning id"#,
        author.0,
        post.title.0,
        post.content.0,
        &tags,
        status.name(),
        state.clock.now(),
        user.map(|user| user.session.as_str()),
        post.slug.clone().and_then(|OptionalField(slug)| slug).map(|CustomSlug(slug)| slug),
        post.excerpt.clone().and_then(|OptionalField(excerpt)| excerpt).map(|CustomExcerpt(excerpt)| excerpt),
        cover,
        post.publish_at.and_then(|OptionalField(time)| time).map(PublishTime::to_utc),
        own.map(TextLanguage::tag),
        written.created_at,
        written.updated_at,
        written.published_at,
        is_page,
        post.accepts_ratings.unwrap_or(!is_page),
        post.is_submitted,
    );
    let mut transaction = state.pool.begin().await?;
    if let Some(user) = user {
        check_quota(&mut transaction, state, user, &post.content.0, None).await?;
    }
    let Some(id) = id.fetch_optional(&mut *transaction).await? else { return Ok(None) };
    rendering::save_rendered_post(&mut transaction, id, &prepared, &checked_links).await?;
    save_image_uses(&mut transaction, ImageUse::Post(id), Some(author), &images).await?;
    if user.is_some() {
        check_cover(&mut transaction, author, cover.as_deref()).await?;
        if status == PostStatus::Published {
            published_event::enqueue(&mut transaction, state, &[id]).await?;
        }
    }
    commit(transaction).await?;
    if status == PostStatus::Published {
        state.page_cache.invalidate();
    }
    Ok(Some((PostId(id), prepared.text.simplified)))
}
