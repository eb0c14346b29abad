
## What scripts say. A number is written by the browser.

script-time-left = { $time } left
script-not-yet = Not yet: please wait for { $time }.
script-can-be-sent-now = It can be sent now.
script-can-go-on-now = You can go on now.
script-button-in = { $button } (in { $time })
script-saving = Saving…
script-try-again = Please try again.
script-rating-not-sent = Your rating could not be sent, as the site cannot be reached. Please try again.
script-rating-will-be-sent = Not counted yet. Your rating of { $stars } ★ will be sent for you,
script-rating-sent-in = in about { $time }, as long as a page of this site is open.
script-rating-do-not-send = Do not send it
script-rating-given-up = Your rating is not sent. You can send it yourself.
script-rating-too-late = Your rating of { $stars } ★ could not be counted within a day. You can try again.
script-rating-counted = Your rating of { $stars } ★ is counted. You can change it.
script-rating-post-gone = Your rating of { $stars } ★ could not be counted: the post is not there any more.
script-rating-not-counted = Your rating of { $stars } ★ could not be counted. { $why }
script-sign-out-deletes = What you have not saved or sent is on this computer alone. Signing out deletes it. Sign out all the same?
script-rating-cannot-be-kept = Your rating cannot be kept on this computer. Please send it yourself when the time has come.
script-chart-keys = Chart. The left and right arrow keys read it.
script-chart-point = Point at the chart, or use the arrow keys, to read its figures.
script-marks = Marks
script-bold-button = B
script-bold = Bold
script-bold-text = bold
script-italic-button = I
script-italic = Italic
script-italic-text = italic
script-link = Link
script-link-text = text
script-heading = Heading
script-list = List
script-quote = Quote
script-code = Code
script-code-text = code
script-full-screen = Full screen
script-only-the-text = Only the text
script-calm-on = Only the text is shown. Escape ends this.
script-calm-off = The whole page is shown.
script-side-by-side = Side by side
script-side-by-side-title = Text and preview side by side
script-word-count =
    { $count ->
            [one] { $count } word · { $minutes } min read
           *[other] { $count } words · { $minutes } min read
        }
script-no-words = No words yet
script-image-converting = The picture is being converted. Try again in a moment.
script-image-too-large = “{ $name }” has { $size } MiB. Use at most 10 MiB.
script-image-no-answer = The site did not answer. Your text is still here; try again in a moment.
script-image-waits =
    { $count ->
            [one] That were many pictures. The next one is sent in { $count } second…
           *[other] That were many pictures. The next one is sent in { $count } seconds…
        }
script-image-signed-out = You are not signed in any more. Sign in in another tab, and add the picture again.
script-image-failed = The picture could not be added.
script-image-sending = Sending the picture…
script-image-sending-of = Sending picture { $number } of { $all }…
script-image-in-text = The picture is in the text.
script-image-in-text-describe = The picture is in the text. Type what it shows, for those who do not see it.
script-image-none = That is no picture.
script-image-choose = Choose a picture first.
script-image-is-cover = It is the picture of this post, once that is saved.
script-preview = Preview
script-preview-beside = The preview is shown beside the text.
script-preview-below = The preview is shown below the form.
script-preview-follows = The preview is beside the text, and follows it.
script-preview-failed = The preview could not be made anew.
script-time-here = Where you are: { $time }.
script-kept-draft = Draft saved in this browser at { $time }
script-kept-changes = Changes saved in this browser at { $time }
script-cannot-be-kept = This browser cannot keep a copy. Save often.
script-restored = What you had typed and not saved ({ $time }) is here again.
script-restore-undo = Undo restore
script-restore-undone = This is the text without what you had typed.
script-restore = Restore
script-restore-discard = Discard what I typed
script-signed-out-kept = You are signed out. What you wrote (“{ $title }”) is safe: it is kept on this computer, and is there again when you have signed in.
script-key-control = Ctrl
script-key-shift = Shift
