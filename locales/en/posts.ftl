
## Lists of posts.

by = by
minutes-to-read = { $count } min read
changed-on = changed { $day }
list-new = Latest posts
list-top = Best rated
list-tag = #{ $tag }
list-title-search = Search: { $q }
list-description = Posts, and what readers think of them: ratings that no crowd drags up or down in a hurry.
list-description-tag = Posts about { $tag }.
list-about = About this site
list-welcome = What a post’s score leaves out, and why, stands beside it.
list-topics = Topics:
list-writers = Writers:
list-order = Order
list-order-new = New
list-order-top = Top
list-top-how = Posts with few ratings count for less: each is placed as if ten more readers had given it three stars.
list-count =
    { $count ->
            [one] { $count } post.
           *[other] { $count } posts.
        }
list-count-or-more = { $count } posts or more.
list-posts-about = Posts about <bdi>#{ $tag }</bdi>
list-posts-by = Posts by <bdi>{ $name }</bdi>
list-all = All posts
list-too-common = <q dir="auto">{ $q }</q> names nothing that few texts have. Add a word to look for.
list-not-found = No post was found for <q dir="auto">{ $q }</q>. Fewer or other words may help.
list-no-tag = No post has this tag.
list-empty = Nothing has been written yet.
list-write-first = <a href="/blogs/create/">Write the first post</a>.
list-register-first = <a href="/users/register/?next=/blogs/create/">Register</a> and write the first post.
list-unclaimed = Nobody runs this site yet. If it is yours, open the link that it printed when it was started, or <a href="/users/owner/">make your account with the code in it</a>.
list-partial = Very many posts match, so only the latest of them were looked at. More words find less.

## The page of an author.

author-description = Posts by { $name }.
author-since = Here since { $day }
author-may-publish = They may publish.
author-forbid = Do not let them publish any more
author-may-not-publish = They may not publish yet.
author-allow = Let them publish
author-no-posts = No posts yet.
own-label = Your own
written-by = Written by <a href="{ $path }"><bdi>{ $name }</bdi></a>
author-more = More by this author
author-feed = Their feed
other-posts = Other posts
earlier = Earlier
later = Later
contents = Contents

## Drafts.

drafts-title = Your drafts
drafts-none = There are none.
drafts-private = Nobody but you can see them.
drafts-may-not-publish = You may not publish them yet: those who run this site decide who may.
drafts-scheduled = to be published on { $time }
drafts-look = Look at it
draft-private = This is a draft. Nobody but you can see it.
draft-scheduled = This is a draft. It will be published on { $time }; until then nobody but you can see it.
draft-may-not-publish = This is a draft. Nobody but you can see it, and you may not publish it yet.
publish = Publish
publish-now = Publish now

## Deleting and unpublishing.

edit = Edit
delete = Delete
unpublish = Unpublish
delete-post-title = Delete a post
delete-post-heading = Delete this post?
delete-post-no-ratings = It has no ratings.
delete-post-ratings =
    { $count ->
            [one] Its { $count } rating goes with it.
           *[other] Its { $count } ratings go with it.
        }
delete-post-for-good = This cannot be undone.
delete-post-button = Delete the post
delete-post-keep = Keep it
unpublish-title = Unpublish a post
unpublish-heading = Unpublish this post?
unpublish-what = It becomes a draft: only its author sees it. Links to it lead to nothing until it is published again; then they lead to it as before.
unpublish-ratings =
    { $count ->
            [one] Its { $count } rating is kept, and counts again then.
           *[other] Its { $count } ratings are kept, and count again then.
        }
unpublish-keep = Keep it published

## The form for writing.

write-title = Write a post
write-edit-post = Edit post
write-edit-draft = Edit draft
write-signed-out = What you wrote is below, and not saved yet. <a href="/users/login/" target="_blank">Sign in in another tab</a>, then press the button here again.
write-unsafe =
    { $count ->
            [one] A link is suspected to be unsafe
           *[other] { $count } links are suspected to be unsafe
        }
write-unsafe-what = As long as that is so, readers see the text with a warning in place of the link. You can leave it, or take it out.
write-unsafe-known = what is known
write-unsafe-more = and { $count } more
content-hint = In Markdown: **bold**, *italic*, [links](https://…), # headings, lists, tables, footnotes[^1] and ```code```. HTML is shown as it is typed. Pictures are dropped here, pasted, or added below; those from elsewhere are not shown: a link stands in for them.
image-add-heading = Add a picture
image-hint = PNG, JPEG, WebP or GIF, up to 10 MiB. What cameras write into it, such as the place, is not kept.
alt-hint = In a sentence, for those who do not see it.
alt-hint-own = In a sentence, for those who do not see it. Leave it empty where the text says it already.
image-add-to-text = Add to the text
image-make-cover = Make it the picture of the post
tags-hint = Up to ten, between commas.
details-heading = Address, excerpt and picture
details-heading-later = Publish later; address, excerpt and picture
publish-at-hint = A date and a time in { $zone }. Until then it is a draft.
slug-hint = The words in its address; without any, those of the title. Old addresses lead on to the new one.
excerpt-hint = One or two sentences for lists and feeds; without any, the first paragraph.
cover-hint = For where the post is shared and for feeds. One of your pictures here (/images/…) stands above the text, too; those from elsewhere (https://…) are not shown on this site.
write-may-not-any-more = You may not publish here any more, so you cannot change what is published. You can unpublish or delete it.
write-may-not-yet = You may not publish here yet: those who run this site decide who may. You can save a draft, and publish it when you may.
save-draft = Save draft
save-changes = Save changes
preview = Preview
cancel = Cancel

## What somebody else has saved in between.

theirs-heading = What was saved in between
theirs-saved = Saved { $time }, as version { $version }. Yours is not saved yet.
theirs-none = none
theirs-same = The texts are the same.
theirs-differences = Differences
theirs-only-saved = only saved:
theirs-only-yours = only yours:
theirs-marks = − stands only in what was saved, + only in yours.
theirs-keep-mine = Keep mine
theirs-keep-mine-what = <strong>Keep mine:</strong> what is below takes the place of what was saved.
theirs-take = Take theirs
theirs-take-what = <strong>Take theirs:</strong> what was saved stays, without yours.
theirs-edit-both = <strong>Edit both:</strong> change the text below with what was saved beside it, and save that.
theirs-whole = The whole text that was saved
theirs-text = The text that was saved
theirs-yours = Yours

## What is wrong with a post's fields.

invalid-status = Choose `draft` or `published`.
invalid-no-title = A post needs a title.
invalid-no-text = A post needs some text.
invalid-too-many-bytes = Use at most { $most } bytes; this is { $count }.
invalid-tag = “{ $tag }” is no tag: use 1 to 30 letters, digits, hyphens and underscores.
invalid-too-many-tags = Use at most { $most } tags; these are { $count }.
invalid-no-strings = This has to be a list of strings.
invalid-slug = Use letters or digits.
invalid-excerpt = Use at least one letter, or leave it empty.
invalid-cover = Use the address of a picture of yours here (/images/…), or one that begins with https:// and has no user’s name in it, at most 500 bytes long.
invalid-version = This has to be a version of the post.
invalid-not-added = “{ $name }” is not added yet. Choose it again and press “Add to the text” first, or save without choosing it.
invalid-spot = Choose `text` or `cover`.
invalid-time = Use a date and a time, such as 2026-01-31T18:00.
invalid-time-skipped = There is no such time in { $zone }: clocks are put forward then.
invalid-time-past = Choose a time that is still to come, or leave this empty.
invalid-time-far = Choose a time within the next ten years.
invalid-published-already = This post is published already. Unpublish it to publish it again later.
invalid-is-published = This post is published. Save your changes for everybody, or unpublish it first.
invalid-search-characters = Search for at most { $most } characters.
invalid-search-words = Search for at most { $most } words.
invalid-order = Choose `new` or `top`.

## What an act has done, and what an author should know.

done-with-notice = { $done } { $notice }
done-draft-saved = Your draft is saved.
done-changes-saved = Your changes are saved.
done-published = Published.
done-scheduled = { $done } It will be published on { $time }.
done-unpublished =
    Unpublished: it is a draft again.{ $ratings ->
            [yes] {" "}Its ratings are kept.
           *[no] {""}
        }
done-draft-deleted = The draft is deleted.
done-post-deleted = The post is deleted, with its ratings.
done-image-in-text = Your picture is at the end of the text. Move its line to where it belongs.
done-image-is-cover = It is the picture of this post now.
done-image-post-unsaved = The post itself is not saved yet.
notice-suspected =
    { $count ->
            [one] It leads to { $address }, which is suspected to be unsafe: readers see a warning in place of the link.
           *[other] It leads to { $count } places that are suspected to be unsafe, among them { $address }: readers see warnings in place of the links.
        }
notice-much-code = It has much code: from some point on, that is shown without colours.
notice-too-much = It has more links, footnotes, tables and other marks than a page can show, so it is shown as you typed it. Use fewer of them, or divide it into several posts.

## Inside of texts, in the language of the text.

text-image = Image:{" "}
text-suspected = (suspected link)
text-suspected-link = suspected link
text-hidden-address = an address

## The language of a post.

text-language-hint = Which language the post is in, for search and for those who have it read aloud.
text-language-found = Found from the text
invalid-text-language = Use the tag of a language such as en, de or fa.
drafts-changed = changed { $time }
list-guess = No post has these words. Perhaps you meant one of these titles?
