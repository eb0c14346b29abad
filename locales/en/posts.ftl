
## Post lists.

by = by
minutes-to-read = { $count } min read
changed-on = updated { $day }
list-new = Latest posts
list-top = Top-rated posts
list-tag = #{ $tag }
list-title-search = Search: { $q }
list-description-tag = Posts about { $tag }.
list-about = About this site
list-explanation = Everybody rates a post once. From { $enough } ratings on, sudden waves of ratings count less or not at all, so that no group can move the score. Each post shows which ratings count, and why.
list-how = How ratings are protected
list-how-once = Each account has one rating for each post. You can change it at any time, but you can’t add a second one.
list-how-blocked = If far more ratings than usual arrive at once, the site can block some of them for a while.
list-how-weight = A busy day has little more weight in the score than a usual one, so that one day can’t outvote the readers of many months.
list-how-open = Nothing is hidden: the page “Ratings over time” of each post shows blocked ratings, and which ratings don’t count and why.
list-example =
    { $count ->
            [one] One attempt to rate “{ $title }” was
           *[other] { $count } attempts to rate “{ $title }” were
        } blocked in the last 24 hours.
list-example-score = Its score
list-example-average = With blocked ratings
list-example-link = See the chart
list-order = Sort order
list-order-best = Best match
list-order-new = New
list-order-top = Top
list-languages = Languages
list-all-languages = All languages
list-no-language = No posts in this language yet.
list-no-match = No posts match this filter.
invalid-language-tag = Use a language tag such as `en` or `fa`.
invalid-with-search = A search can’t be combined with this filter. Leave out one of them.
invalid-time-with-zone = Enter a time with a time zone, such as 2026-01-31T18:00:00Z.
invalid-post-ids = Enter 1 to { $most } post IDs, separated by commas.
list-top-description = Posts are ranked as if each had ten additional 3★ ratings. This keeps posts with only a few ratings from jumping to the top.
list-count =
    { $count ->
            [one] { $count } post found.
           *[other] { $count } posts found.
        }
list-count-or-more = At least { $count } posts found.
list-posts-about = Posts about <bdi>#{ $tag }</bdi>
list-posts-by = Posts by <bdi>{ $name }</bdi>
list-all = All posts
list-too-common = <q dir="auto">{ $q }</q> is too common to search for. Add a more specific word.
list-not-found = No posts found for <q dir="auto">{ $q }</q>. Try fewer or different words.
list-no-tag = No posts with this tag.
list-empty = No posts yet.
list-write-first = <a href="/blogs/create/">Write the first post</a>.
list-register-first = <a href="/users/register/?next=/blogs/create/">Create an account</a> to write the first post.
list-unclaimed = This site has no owner yet. If it’s yours, open the setup link that the server printed, or wrote to a file, when it started, or <a href="/users/owner/">create your account with the code from that link</a>.
list-partial = Too many posts match, so only the most recent ones were searched. Add words to narrow your search.
tags-all = All tags
tags-none = No tags yet.

## Author pages.

author-description = Posts by { $name }.
author-since = Member since { $day }
author-posts =
    { $count ->
            [one] { $count } post
           *[other] { $count } posts
        }
author-can-publish = This user can publish.
author-revoke-publishing = Revoke publishing permission
author-cannot-publish = This user can’t publish yet.
author-allow-publishing = Allow publishing
author-no-posts = No posts yet.
own-label = Your pages
written-by = Written by <a href="{ $path }"><bdi>{ $name }</bdi></a>
author-more = More by this author
author-feed = Author’s feed
other-posts = Other posts
earlier = Previous post
later = Next post
contents = Contents

## Drafts.

drafts-title = Your drafts
deleted-title = Deleted posts
deleted-what = Only you can see these posts. They are deleted permanently after 7 days.
deleted-none = No deleted posts.
deleted-at = Deleted { $time }
deleted-restore = Restore
deleted-purge = Delete permanently
drafts-none = You have no drafts.
drafts-private = Only you can see your drafts.
drafts-may-not-publish = You need permission from site staff to publish drafts.
drafts-review = Staff review your drafts before they are published. Open a draft to submit it.
drafts-submitted = waiting for review
drafts-returned = returned by staff
drafts-scheduled = scheduled for { $time }
drafts-view = View
draft-private = This is a draft. Only you can see it.
draft-scheduled = This draft is scheduled for { $time }. Until then, only you can see it.
draft-may-not-publish = This is a draft. Only you can see it, and you don’t have permission to publish it yet.
draft-submitted = This post is waiting for a review by staff. Only you and staff can see it.
draft-returned = Staff returned this post to you: { $reason }
draft-submitted-by = { $name } submitted this post for review. Only the author and staff can see it.
publish = Publish
publish-now = Publish now
schedule = Schedule

## Deleting and unpublishing.

edit = Edit
delete = Delete
unpublish = Unpublish
delete-post-title =
    { $page ->
        [yes] Delete page
       *[no] Delete post
    }
delete-post-heading =
    { $page ->
        [yes] Delete this page?
       *[no] Delete this post?
    }
delete-post-no-ratings = This post has no ratings.
delete-post-ratings =
    { $count ->
            [one] { $count } rating will also be deleted.
           *[other] { $count } ratings will also be deleted.
        }
delete-post-permanent =
    { $page ->
        [yes] Deleting a page can’t be undone.
       *[no] Deleting a post can’t be undone.
    }
delete-post-restorable =
    { $page ->
        [yes] You can restore the page for 7 days.
       *[no] You can restore the post for 7 days.
    }
delete-post-button =
    { $page ->
        [yes] Delete page
       *[no] Delete post
    }
delete-post-cancel = Cancel
unpublish-title =
    { $page ->
        [yes] Unpublish page
       *[no] Unpublish post
    }
unpublish-heading =
    { $page ->
        [yes] Unpublish this page?
       *[no] Unpublish this post?
    }
unpublish-description =
    { $page ->
        [yes] The page
       *[no] The post
    } becomes a draft that only its author can see. Links to it won’t work until it’s published again.
unpublish-ratings =
    { $count ->
            [one] { $count } rating is kept and counts again when the post is republished.
           *[other] { $count } ratings are kept and count again when the post is republished.
        }
unpublish-cancel = Cancel

## Post editor.

write-title = Write a post
write-page = Write a page
write-edit-page = Edit page
write-edit-post = Edit post
write-edit-draft = Edit draft
write-signed-out = You’re signed out, and your text below isn’t saved yet. <a href="/users/login/" target="_blank">Sign in in another tab</a>, then try again here.
write-unsafe =
    { $count ->
            [one] { $count } link may be unsafe
           *[other] { $count } links may be unsafe
        }
write-unsafe-description = Readers see a warning in place of each flagged link. You can keep or remove the links.
write-unsafe-details = Details
write-unsafe-more = and { $count } more
content-hint = Markdown works here. Images from other sites are shown as links.
content-drop-hint = You can also drop or paste images into the text.
image-add-heading = Add an image
image-hint = PNG, JPEG, WebP or GIF, up to 10 MiB. Camera metadata, such as the location, is removed.
alt-hint = Describe the image in one sentence for people who can’t see it.
alt-hint-own = Describe the image in one sentence for people who can’t see it. Leave this empty if the text already describes the image.
image-add-to-text = Insert into text
image-make-cover = Use as cover image
tags-hint = Up to ten tags, separated by commas.
tags-frequent = Frequent tags
details-heading = Post settings
publish-at-hint = Date and time in { $zone }. Until then, the post stays a draft.
slug-hint = The words in the post’s URL. If empty, the title is used. Old URLs redirect to the new one.
is-page-hint = A page, such as an imprint, has no date and is not in lists or feeds. Link to it from the menu in the settings.
accepts-ratings-hint = If you stop ratings later, existing ratings stay visible.
post-kind = Post
page-kind = Page
ratings-allowed = Readers can rate this post
ratings-not-allowed = Readers can’t rate this post
ratings-closed = This post no longer accepts ratings.
invalid-page-staff = Only staff can create pages.
excerpt-hint = One or two sentences for lists and feeds. If empty, the first paragraph is used.
cover-hint = Shown above the text, in lists, in feeds and when the post is shared. Choose one of your images, or upload one under “Add an image”.
cover-image = Your image { $number }
cover-none = No cover image
markdown-no-html = HTML is shown as plain text.
markdown-footnote = Footnote
markdown-caption = Image with a caption
markdown-help = Markdown help
write-permission-revoked = You no longer have permission to publish, so you can’t edit this published post. You can unpublish or delete it.
write-permission-needed = You need permission from site staff to publish. You can save a draft now and publish it once you have permission.
write-review = Staff review your post before it is published.
submit-for-review = Submit for review
save-draft = Save draft
save-changes = Save changes
preview = Preview
cancel = Cancel

## Edit conflicts: the post was saved elsewhere since the editor was opened.

theirs-heading = Latest saved version
theirs-saved = Saved { $time } as version { $version }. Your version isn’t saved yet.
theirs-none = none
theirs-same = The texts are identical.
theirs-differences = Differences
theirs-only-saved = only in the saved version:
theirs-only-yours = only in your version:
theirs-marks = Lines marked − are only in the saved version; lines marked + are only in yours.
theirs-keep-mine = Keep my version
theirs-keep-mine-description = <strong>Keep my version:</strong> replace the saved version with the one below.
theirs-take = Use saved version
theirs-take-description = <strong>Use saved version:</strong> discard your changes.
theirs-edit-both = <strong>Combine both:</strong> compare with the saved version, edit the text below and save it.
theirs-whole = Full saved text
theirs-text = Saved text
theirs-yours = Your version

## Earlier versions of a post.

revisions-title = Earlier versions
revisions-what = When an edit replaces a text, the earlier version is kept here for 30 days.
revisions-none = No earlier versions.
column-saved = Saved
column-characters = Characters
revision-heading = Version of { $time }
revision-marks = Lines marked − are only in this version; lines marked + are only in the current one.
revision-only-earlier = only in this version:
revision-only-current = only in the current version:
revision-whole = Full text of this version
revision-restore = Restore this version
revision-delete = Delete this version

## Validation errors of post fields.

invalid-status = Choose `draft` or `published`.
invalid-no-title = Enter a title.
invalid-no-text = Enter some text.
invalid-too-many-bytes = This is { $count } bytes long. Use at most { $most } bytes.
invalid-tag = “{ $tag }” isn’t a valid tag. Use 1 to 30 letters, digits, hyphens and underscores.
invalid-too-many-tags = You entered { $count } tags. Use at most { $most }.
invalid-no-strings = This must be a list of strings.
invalid-slug = Use at least one letter or digit.
invalid-excerpt = Enter some text or leave this empty.
invalid-cover = Use the URL of one of your images on this site (/images/…), or an https:// URL that contains no username and is at most 500 bytes long.
invalid-version = This must be a version number of the post.
invalid-not-added = “{ $name }” hasn’t been added yet. Select the file again and choose “Insert into text”, or save without it.
invalid-spot = Choose `text` or `cover`.
invalid-time = Enter a date and time, such as 2026-01-31T18:00.
invalid-time-skipped = This time doesn’t exist in { $zone } because the clocks go forward. Choose another time.
invalid-time-past = Choose a time in the future, or leave this empty.
invalid-time-far = Choose a time within the next ten years.
invalid-published-already = This post is already published. To schedule it, unpublish it first.
invalid-is-published = This post is already published. Save your changes as published, or unpublish it first.
invalid-search-characters = Use at most { $most } characters in your search.
invalid-order =
    { $search ->
            [yes] Choose `best`, `new` or `top`.
           *[no] Choose `new` or `top`.
        }

## Success messages, and notices for authors.

done-with-notice = { $done } { $notice }
done-draft-saved = Draft saved.
done-submitted = Post submitted. Staff will publish it, or return it to you with a reason.
done-changes-saved = Changes saved.
done-published =
    { $page ->
        [yes] Page published.
       *[no] Post published.
    }
done-scheduled =
    { $done } { $page ->
        [yes] The page
       *[no] The post
    } will be published on { $time }.
done-unpublished =
    { $page ->
        [yes] Page unpublished. It’s a draft now.
       *[no] Post unpublished. It’s a draft now.
    }{ $ratings ->
            [yes] {" "}Its ratings are kept.
           *[no] {""}
        }
done-draft-deleted = Draft deleted.
done-deleted =
    { $page ->
        [yes] Page deleted.
       *[no] Post deleted.
    } You can restore it here for 7 days.
done-restored =
    { $page ->
        [yes] Page restored as a draft. It keeps its URL.
       *[no] Post restored as a draft. It keeps its ratings and its URL.
    }
done-purged =
    { $page ->
        [yes] Page deleted permanently.
       *[no] Post deleted permanently.
    }
done-post-deleted =
    { $page ->
        [yes] The page has been deleted.
       *[no] The post and its ratings have been deleted.
    }
done-revision-restored = Version of { $time } restored. To undo this:
done-revision-deleted = Version deleted.
done-image-in-text = Image added as the last line of the text. To show the image elsewhere, move that line.
done-image-is-cover = The image is now the post’s cover image.
done-image-post-unsaved = The post itself isn’t saved yet.
notice-flagged-links =
    { $count ->
            [one] The post links to { $address }, which may be unsafe. Readers see a warning in place of the link.
           *[other] The post links to { $count } URLs that may be unsafe, including { $address }. Readers see warnings in place of the links.
        }
notice-much-code = The text contains a lot of code, so part of the code is shown without syntax highlighting.
notice-too-much = The text has too many links, footnotes, tables or other formatting to display, so it’s shown as typed. Use less formatting, or split it into several posts.

## Inside rendered posts, in the language of the post.

text-image = Image:{" "}
text-flagged = (flagged link)
text-flagged-link = flagged link
text-hidden-url = hidden URL

## The language of a post.

text-language-hint = The language of the post, for search and screen readers.
text-language-detect = Detect automatically
invalid-text-language = Use a language code such as en, de or fa.
drafts-changed = edited { $time }
list-similar-titles = No posts contain these words. Did you mean one of these titles?
drafts-quota = You have { $posts } of { $most } posts and drafts. Their texts take { $used } of { $quota }.
invalid-too-many-posts = You have { $most } posts and drafts, which is the maximum. Delete some first.
invalid-texts-too-large = Your texts take { $used } of { $most }. Delete some first, or shorten this one.
