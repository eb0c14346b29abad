
## Messages of the scripts. Numbers are formatted by the browser.

script-time-left = { $time } left
script-not-yet = Please wait { $time }.
script-can-be-sent-now = You can submit your rating now.
script-can-go-on-now = You can continue now.
script-button-in = { $button } (in { $time })
script-saving = Saving…
script-try-again = Please try again.
script-rating-not-sent = Your rating couldn’t be submitted because the site can’t be reached. Please try again.
script-rating-will-be-sent = Your { $stars }★ rating hasn’t been submitted yet.
script-change-will-be-sent = Your rating is still { $before }★. The change to { $stars }★ hasn’t been submitted yet.
script-rating-sent-in = The rating will be submitted automatically in about { $time }, as long as a page of this site is open.
script-rating-do-not-send = Don’t submit
script-rating-cancelled = Your rating won’t be submitted automatically. You can submit it yourself.
script-rating-too-late = Your { $stars }★ rating couldn’t be submitted within a day. You can try again.
script-rating-counted = Your { $stars }★ rating has been submitted. You can change it.
script-rating-post-gone = Your { $stars }★ rating couldn’t be submitted because the post no longer exists.
script-rating-not-counted = Your { $stars }★ rating couldn’t be submitted. { $why }
script-sign-out-deletes = You have unsaved changes or unsubmitted ratings in this browser. Signing out deletes them. Sign out anyway?
script-rating-cannot-be-kept = This browser can’t store your rating. Please submit it yourself when the wait is over.
script-chart-keys = Chart. Use the left and right arrow keys to read its values.
script-select-all = Select all
script-selected = { $count } selected
script-marks = Formatting
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
script-numbered-list = Numbered list
script-numbered-list-button = 1. List
script-quote = Quote
script-table = Table
script-table-column = Column
script-code = Code
script-code-text = code
script-image-new-cover = Image you just uploaded
script-image-title = Upload images and insert them here
script-image = Image
script-full-screen = Full screen
script-full-screen-exit = Exit full screen
script-only-the-text = Show only the text
script-calm-on = Only the text is shown. Press Escape to exit.
script-calm-off = The whole page is shown again.
script-side-by-side = Side by side
script-side-by-side-title = Text and preview side by side
script-word-count =
    { $count ->
            [one] { $count } word · { $minutes } min read
           *[other] { $count } words · { $minutes } min read
        }
script-no-words = No words yet
script-image-converting = The image is being converted. Try again in a moment.
script-image-too-large = “{ $name }” is { $size } MiB. Images can be at most 10 MiB.
script-image-no-answer = The site didn’t respond. Your text is still here. Try again in a moment.
script-image-waits =
    { $count ->
            [one] You’re uploading many images. The next one will be uploaded in { $count } second…
           *[other] You’re uploading many images. The next one will be uploaded in { $count } seconds…
        }
script-image-signed-out = You’ve been signed out. Sign in in another tab, then add the image again.
script-image-failed = The image couldn’t be added.
script-image-sending = Uploading image…
script-image-sending-of = Uploading image { $number } of { $all }…
script-image-in-text = Image added to the text.
script-image-in-text-describe = Image added to the text. Describe it between the square brackets for people who can’t see it.
script-image-none = This isn’t an image.
script-image-choose = Choose an image first.
script-image-is-cover = Cover image selected. Save the post to apply it.
script-preview = Preview
script-preview-beside = The preview is shown next to the text.
script-preview-below = The preview is shown below the form.
script-preview-follows = The preview is shown next to the text and updates as you type.
script-preview-failed = The preview couldn’t be updated.
script-time-here = Your local time: { $time }
script-saved = Saved at { $time }
script-kept = Kept in this browser at { $time }
script-kept-without-title = Kept in this browser. Add a title to save.
script-kept-signed-out = You’re signed out. Your text is kept in this browser.
script-sign-in = Sign in in another tab
script-changed-elsewhere = This draft was changed on another device or in another tab. Your text is kept in this browser.
script-compare = Compare both versions
script-kept-older = This browser has unsaved changes from { $time }, but a newer version has been saved since.
script-cannot-be-kept = This browser cannot keep a copy. Save often.
script-restored = Your unsaved changes from { $time } have been restored.
script-restore-undo = Undo restore
script-restore-undone = Your unsaved changes have been removed from the form.
script-restore = Restore
script-restore-discard = Discard unsaved changes
script-signed-out-kept = You’re signed out. Your text (“{ $title }”) is saved in this browser and will be restored after you sign in.
script-key-control = Ctrl
script-key-shift = Shift
script-password-show = Show
script-password-hide = Hide
script-codes-copy = Copy codes
script-codes-download = Download codes
script-codes-copied = Copied.
script-codes-not-copied = The browser did not allow it. Select the codes and copy them.
