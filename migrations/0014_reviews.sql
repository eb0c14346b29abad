-- Reviews of posts before they are published, and invitations by email. Tables: `blog_posts`, `invitations`.

-- `blog_posts.submitted_at`: time at which the author submitted the draft for a review by staff; NULL for other posts.
-- `blog_posts.return_reason`: reason why staff returned the submitted post to its author; NULL for other posts.
alter table blog_posts
    add column submitted_at timestamptz,
    add column return_reason text;

-- `invitations.role`: role of the accounts that are registered with the invitation: `reader`, `author` or `moderator`.
-- `invitations.email`: email address that the link was sent to; NULL if staff pass the link on.
alter table invitations
    add column role text not null default 'reader',
    add column email text;
